//go:build linux

package handover_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/platform/handover"
)

// What the test binary does when it isn't the test.
const play = "PARLEY_TEST_HANDOVER"

func TestMain(m *testing.M) {
	switch os.Getenv(play) {
	case "first":
		first()
	case "second":
		second()
	default:
		os.Exit(m.Run())
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// first hands a listener and a file over to second.
func first() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	file, err := l.(*net.TCPListener).File()
	check(err)
	leaky, err := os.Create(filepath.Join(os.Args[1], "leaky"))
	check(err)
	raw, err := leaky.SyscallConn()
	check(err)
	check(raw.Control(func(fd uintptr) { clearCloseOnExec(int(fd)) }))
	fmt.Println(os.Getpid(), l.Addr())
	// This one waits until the successor accepts it.
	conn, err := net.Dial("tcp", l.Addr().String())
	check(err)
	_, err = conn.Write([]byte("hello"))
	check(err)
	g := &handover.Given{Files: map[string]*os.File{"listener": file, "none": nil}, State: []byte(os.Args[2])}
	environ := append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, play) }), play+"=second")
	if err := g.Exec("/nowhere/at/all", os.Args, environ); err == nil || !strings.Contains(err.Error(), "no such file") {
		check(fmt.Errorf("a program that is not there: %w", err))
	}
	check(g.Exec("/proc/self/exe", os.Args, environ))
}

func second() {
	g, err := handover.Take()
	check(err)
	if _, there := os.LookupEnv("PARLEY_HANDOVER"); there {
		check(fmt.Errorf("the variable is still there"))
	}
	entries, err := os.ReadDir("/proc/self/fd")
	check(err)
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasSuffix(to, "leaky") {
			check(fmt.Errorf("%s is open", to))
		}
	}
	l, err := net.FileListener(g.File("listener"))
	check(err)
	g.Close()
	conn, err := l.Accept()
	check(err)
	said := make([]byte, 5)
	_, err = io.ReadFull(conn, said)
	check(err)
	// A new child has neither the files nor the variable.
	child := exec.Command("ls", "-l", "/proc/self/fd")
	out, err := child.CombinedOutput()
	check(err)
	fmt.Println(os.Getpid(), l.Addr(), string(said), len(g.State), g.File("none") == nil, strings.Count(string(out), "socket:"))
}

// The process, the listener and its pending connections stay, the state arrives, and other
// descriptors are closed.
func TestExec(t *testing.T) {
	for _, size := range []int{0, 90 << 10} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], t.TempDir(), strings.Repeat("x", size))
		cmd.Env = append(os.Environ(), play+"=first")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if want := lines[0] + fmt.Sprintf(" hello %d true 0", size); len(lines) != 2 || lines[1] != want {
			t.Errorf("said %q, want %q after the first line", lines, want)
		}
	}
}

// What isn't for this process is rejected, and never taken for a file.
func TestTake(t *testing.T) {
	for name, text := range map[string]string{
		"nonsense":        `[`,
		"another process": `{"pid":1,"state":9}`,
		"standard input":  fmt.Sprintf(`{"pid":%d,"state":0}`, os.Getpid()),
		"not open":        fmt.Sprintf(`{"pid":%d,"state":9999}`, os.Getpid()),
		"too many":        fmt.Sprintf(`{"pid":%d,"state":9,"files":{%s"z":1}}`, os.Getpid(), many(5000)),
	} {
		t.Setenv("PARLEY_HANDOVER", text)
		if g, err := handover.Take(); err == nil {
			t.Errorf("%s: took %+v", name, g)
		}
		if _, there := os.LookupEnv("PARLEY_HANDOVER"); there {
			t.Errorf("%s: the variable stays", name)
		}
	}
	if g, err := handover.Take(); g != nil || err != nil {
		t.Errorf("of nothing: %v %v", g, err)
	}
	if g := (*handover.Given)(nil); g.File("lock") != nil {
		t.Error("nothing has a file")
	}
	big := &handover.Given{State: make([]byte, 1<<20)}
	if err := big.Exec("/bin/true", []string{"true"}, nil); err == nil || !strings.Contains(err.Error(), "room") {
		t.Errorf("a state that is too long: %v", err)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":%d,`, i, 100+i)
	}
	return b.String()
}
