package role_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"parley/app"
	"parley/app/doctor"
	"parley/app/gateway"
	"parley/app/method"
	"parley/app/restart"
	"parley/app/role"
	"parley/backend/bus"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/problem"
)

// The variables that make the test binary run a command with a fake back end.
const (
	envPlay  = "PARLEY_TEST_PLAY"
	envFault = "PARLEY_TEST_FAULT" // "open" or "start" fails
	envHang  = "PARLEY_TEST_HANG"  // Close never returns
	envStuck = "PARLEY_TEST_STUCK" // while a file of that name exists, the sessions do not answer
)

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) == "" {
		os.Exit(m.Run())
	}
	os.Exit(role.Run(role.Program{
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:  os.Getenv,
		Page:    fstest.MapFS{"index.html": {Data: []byte("the page")}},
		Version: "9.9.9",
		Open:    open,
		Table:   app.Methods,
		Doctor: func(ctx context.Context, dirs paths.Dirs, fix bool) []doctor.CheckResult {
			return doctor.Run(ctx, doctor.Here(dirs, os.Environ()), fix)
		},
	}))
}

type backend struct {
	table *method.Table
	bus   *bus.Bus
	log   *slog.Logger
}

type text struct {
	Text string `json:"text"`
}

// methods are a feature.
type methods []*method.Method

func (m methods) Methods() []*method.Method { return m }

func open(o role.Options) (role.Backend, error) {
	if os.Getenv(envFault) == "open" {
		return nil, fault.New(fault.Conflict, "the folder %s is taken", o.Dirs.Data)
	}
	if err := o.Dirs.Create(); err != nil {
		return nil, err
	}
	b := &backend{bus: bus.New(o.Log), log: o.Log}
	b.table = method.Config{Logger: o.Log}.New(methods{
		method.New("test.echo", "", func(_ context.Context, t text) (text, error) { return t, nil }),
		method.New("test.hang", "", func(ctx context.Context, _ struct{}) (text, error) {
			<-ctx.Done()
			return text{}, ctx.Err()
		}),
		method.New("test.log", "", func(context.Context, struct{}) (text, error) {
			for range 100 {
				o.Log.Info("Something to say")
			}
			return text{"said"}, nil
		}),
	}, methods(b.sessions()))
	return b, nil
}

func (b *backend) Start(context.Context) error {
	if os.Getenv(envFault) == "start" {
		return fault.New(fault.Unavailable, "it does not start")
	}
	return nil
}

func (b *backend) Close() error {
	b.log.Info("Closed")
	if os.Getenv(envHang) != "" {
		select {}
	}
	return nil
}

func (b *backend) HandOver(leave func()) (*restart.Handed, error) {
	leave()
	return &restart.Handed{}, b.Close()
}

func (b *backend) Button(context.Context, []byte) (bool, error) { return false, nil }
func (b *backend) Health(context.Context) map[string]any        { return nil }
func (b *backend) Methods() *method.Table                       { return b.table }
func (b *backend) Bus() *bus.Bus                                { return b.bus }

func (b *backend) Problems() []problem.Problem { return nil }

func (b *backend) Devices() gateway.Devices                            { return nil }
func (b *backend) PageDied()                                           {}
func (b *backend) Busy(context.Context) bool                           { return false }
func (b *backend) Leave(context.Context, bool, <-chan struct{}) string { return "" }
func (b *backend) Finished(context.Context) error                      { return nil }

// command prepares a command; env has additional variables.
func command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append([]string{envPlay + "=1", "HOME=" + t.TempDir()}, env...)
	return cmd
}

// run runs a command to its end.
func run(t *testing.T, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := command(t, env, args...)
	var out, err bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &err
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatal(e)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

type server struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr io.ReadCloser
	line   struct {
		URL, Token string
		PID        int
	}
}

func serve(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	s := &server{cmd: command(t, env, append([]string{"serve"}, args...)...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.stderr, err = s.cmd.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	s.stdout = bufio.NewReader(out)
	first, err := s.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(first, &s.line); err != nil {
		t.Fatalf("%s: %v", first, err)
	}
	if s.line.PID != s.cmd.Process.Pid || len(s.line.Token) < 32 || !strings.HasPrefix(s.line.URL, "http://127.0.0.1:") {
		t.Fatalf("first line %s", first)
	}
	return s
}

// logged reads the log until it contains a text.
func (s *server) logged(t *testing.T, what string) {
	t.Helper()
	lines := bufio.NewScanner(s.stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), what) {
			return
		}
	}
	t.Fatalf("it was not logged: %s", what)
}

// end sends a signal and returns the exit code and the remaining standard output.
func (s *server) end(t *testing.T, signals ...os.Signal) (int, string) {
	t.Helper()
	for _, sig := range signals {
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	return s.wait(t)
}

func (s *server) wait(t *testing.T) (int, string) {
	t.Helper()
	rest, err := io.ReadAll(s.stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode(), string(rest)
}

func TestServe(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			s := serve(t, nil, "--data", data)
			res, err := http.Get(s.line.URL)
			if err != nil {
				t.Fatal(err)
			}
			page, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil || string(page) != "the page" {
				t.Errorf("%q %v", page, err)
			}
			began := time.Now()
			code, rest := s.end(t, sig)
			if code != 0 || rest != "" {
				t.Errorf("code %d after %v, more on stdout: %q", code, time.Since(began), rest)
			}
			if left, _ := os.ReadDir(data); len(left) != 1 || left[0].Name() != "logs" {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	s := serve(t, []string{envHang + "=1"})
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// It hangs in Close, and logs that.
	log := bufio.NewScanner(s.stderr)
	for log.Scan() && !strings.Contains(log.Text(), "Closed") {
	}
	if code, _ := s.end(t, syscall.SIGTERM); code != 1 {
		t.Errorf("code %d", code)
	}
}

func TestReaderOfTheLogsMayLeave(t *testing.T) {
	data := t.TempDir()
	s := serve(t, nil, "--data", data, "--announce")
	if err := s.stderr.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out, err := run(t, nil, "", "call", "--data", data, "test.log"); code != 0 {
		t.Errorf("%d %s %s", code, out, err)
	}
	if code, _ := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("code %d", code)
	}
}

func TestFailingStart(t *testing.T) {
	tests := []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"open", []string{envFault + "=open"}, nil, "is taken"},
		{"start", []string{envFault + "=start"}, nil, "it does not start"},
		{"address", nil, []string{"--listen", "nowhere:nothing"}, "cannot listen on nowhere:nothing"},
		{"remote", nil, []string{"--listen", "0.0.0.0:0"}, "--allow-remote"},
		{"data", nil, []string{"--data", "/dev/null/x"}, "cannot keep its data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := run(t, tt.env, "", append([]string{"serve"}, tt.args...)...)
			if code != 1 || out != "" || !strings.Contains(err, tt.want) {
				t.Errorf("%d %q %q", code, out, err)
			}
			if strings.Contains(err, "level=INFO msg=Closed") == (tt.name == "open" || tt.name == "data") {
				t.Errorf("close: %q", err)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name        string
		args        []string
		code        int
		out, stderr string
	}{
		{"help", []string{"help"}, 0, "parley serve [flags]", ""},
		{"help flag", []string{"--help"}, 0, "parley serve [flags]", ""},
		{"version", []string{"version"}, 0, "parley 9.9.9\n", ""},
		{"version flag", []string{"--version"}, 0, "parley 9.9.9\n", ""},
		{"unknown command", []string{"nope"}, 2, "", `no command "nope"`},
		{"open without a place", []string{"open"}, 2, "", "pass a session, a folder, or a link"},
		{"help of open", []string{"open", "-h"}, 0, "", "-hidden"},
		{"unknown flag", []string{"serve", "--nope"}, 2, "", "-nope"},
		{"stray argument", []string{"serve", "now"}, 2, "", `unexpected argument "now"`},
		{"help of a command", []string{"serve", "-h"}, 0, "", "-listen"},
		{"no method", []string{"call"}, 2, "", "parley call [flags] METHOD [JSON]"},
		{"too many", []string{"call", "a", "{}", "b"}, 2, "", `unexpected argument "b"`},
		{"no socket", []string{"mcp"}, 1, "", "is started by the CLI"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := run(t, nil, "", tt.args...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(err, tt.stderr) {
				t.Errorf("%d %q %q", code, out, err)
			}
			if (tt.out == "") != (out == "") {
				t.Errorf("stdout %q", out)
			}
		})
	}
}

func TestCall(t *testing.T) {
	data := t.TempDir()
	s := serve(t, nil, "--data", data, "--announce")
	info, err := os.Stat(filepath.Join(data, "gateway.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	announced := []string{"--data", data}
	here := []string{"PARLEY_URL=" + s.line.URL, "PARLEY_TOKEN=" + s.line.Token}
	const echoed = "{\n  \"text\": \"hi\"\n}\n"
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections are never accepted
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	tests := []struct {
		name        string
		env, args   []string
		stdin       string
		code        int
		out, stderr string
	}{
		{"announced", nil, append(announced, "test.echo", `{"text":"hi"}`), "", 0, echoed, ""},
		{"environment", here, []string{"test.echo", `{"text":"hi"}`}, "", 0, echoed, ""},
		{"stdin", here, []string{"test.echo", "-"}, `{"text":"hi"}`, 0, echoed, ""},
		{"unknown parameter", here, []string{"test.echo", `{"text":"hi","x":1}`}, "", 1, "", `test.echo: unknown parameter "x" (invalid)`},
		{"unknown method", here, []string{"test.nope"}, "", 1, "", `unknown method "test.nope"`},
		{"not JSON", here, []string{"test.echo", `{`}, "", 1, "", "not JSON"},
		{"timeout", here, []string{"--timeout", "50ms", "test.hang"}, "", 1, "", "did not answer in time"},
		{"timeout of the connection", []string{"PARLEY_URL=http://" + silent.Addr().String() + "/", "PARLEY_TOKEN=x"}, []string{"--timeout", "50ms", "test.echo"}, "", 1, "", "did not answer in time"},
		{"wrong token", []string{here[0], "PARLEY_TOKEN=wrong"}, []string{"test.echo"}, "", 1, "", "does not accept this token"},
		{"half an environment", here[:1], []string{"test.echo"}, "", 1, "", "PARLEY_TOKEN"},
		{"nobody there", []string{"PARLEY_URL=http://127.0.0.1:1/", "PARLEY_TOKEN=x"}, []string{"test.echo"}, "", 1, "", "Parley is not running"},
		{"nothing announced", nil, []string{"--data", t.TempDir(), "test.echo"}, "", 1, "", "--announce"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := run(t, tt.env, tt.stdin, append([]string{"call"}, tt.args...)...)
			if code != tt.code || out != tt.out || !strings.Contains(err, tt.stderr) {
				t.Errorf("%d %q %q", code, out, err)
			}
			if strings.Contains(out+err, s.line.Token) {
				t.Error("the token is shown")
			}
		})
	}
	if code, _ := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("code %d", code)
	}
	if _, err := os.Stat(filepath.Join(data, "gateway.json")); err == nil {
		t.Error("the announcement is still there")
	}
}

func TestTokenIsNotAnnouncedUnasked(t *testing.T) {
	data := t.TempDir()
	s := serve(t, nil, "--data", data)
	err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(s.line.Token)) {
			return fmt.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	s.end(t, syscall.SIGTERM)
}
