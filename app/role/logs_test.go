package role_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A server's log is in a file that parley logs prints, and follows across log rotation.
func TestLogs(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	if code, _, err := run(t, nil, "", "logs", "--data", data); code != 1 || !strings.Contains(err, "There is no log in ") {
		t.Errorf("before: code %d, %q", code, err)
	}
	s := serve(t, nil, "--data", data)
	if code, _ := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("code %d", code)
	}
	path := filepath.Join(data, "logs", "parley.log")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	code, out, said := run(t, nil, "", "logs", "-n", "1", "--data", data)
	if code != 0 || said != "" || strings.Count(out, "\n") != 1 || !strings.Contains(out, "msg=Closed") {
		t.Errorf("code %d, %q, %q", code, out, said)
	}

	cmd := command(t, nil, "logs", "-f", "-n", "1", "--data", data)
	read, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(read)
	next := func(want string) {
		t.Helper()
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
	}
	next("msg=Closed")
	add := func(line string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	add("one")
	next("one")
	add("two")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add("three")
	next("two")
	next("three")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A logged secret is in no file.
func TestLogHasNoToken(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, nil, "--data", data)
	token := s.line.Token
	s.end(t, syscall.SIGTERM)
	text, err := os.ReadFile(filepath.Join(data, "logs", "parley.log"))
	if err != nil || strings.Contains(string(text), token) || len(text) == 0 {
		t.Errorf("%v:\n%s", err, text)
	}
}
