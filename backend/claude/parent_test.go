//go:build linux

package claude_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/demo"
	"parley/backend/session"
)

// After kill -9 nothing is left: neither the CLI, nor its shell, nor the tool.
func TestRealKilledParent(t *testing.T) {
	cli := claudetest.RealCLI(t)
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	// The CLI refuses a plain sleep in the foreground.
	tool := script(t, dir, "tool", `echo $$ $PPID >"`+pids+`.new"; mv "`+pids+`.new" "`+pids+`"; sleep 300`)
	model, err := demo.Start(demo.Config{
		Script: demo.NewQueue(demo.Use("Bash", map[string]string{"command": tool, "description": "Run"})),
		Logger: slog.New(slog.DiscardHandler), Instant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	cfg, err := json.Marshal(parent{CLI: cli, CWD: dir, Prompt: "go", Env: model.Env(dir, filepath.Join(dir, "config"))})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(claudetest.Path(t))
	cmd.Env = append(os.Environ(), parentVar+"="+string(cfg))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(bufio.NewReader(out))
		said <- string(b)
	}()
	killed := false
	defer func() {
		if !killed {
			_ = cmd.Process.Kill()
			<-said
			_ = cmd.Wait()
		}
	}()
	var b []byte
	eventually(t, "the tool runs", func() bool {
		b, err = os.ReadFile(pids)
		return err == nil
	})
	if n := len(ownedBy(cmd.Process.Pid)); n < 3 {
		t.Fatalf("%d marked processes, want the CLI, its shell and the tool", n)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed = true
	<-said
	_ = cmd.Wait()
	start := time.Now()
	eventually(t, "all processes are gone", func() bool { return len(ownedBy(cmd.Process.Pid)) == 0 })
	for _, field := range strings.Fields(string(b)) {
		if pid, _ := strconv.Atoi(field); syscall.Kill(pid, 0) == nil && !isZombie(pid) {
			t.Errorf("process %d of the tool lives on", pid)
		}
	}
	t.Logf("gone after %v", time.Since(start))
}

// Stop ends a turn with a running tool, including all its processes, without the
// ladder's later steps.
func TestRealStopMidTool(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "runs")
	tool := script(t, dir, "tool", `touch "`+mark+`"; sleep 300`)
	r := real(t, demo.NewQueue(demo.Use("Bash", map[string]string{"command": tool, "description": "Run"})), session.Spec{CWD: dir})
	r.prompt("go")
	q, _ := until(r, 0, func(f *wire.ControlRequest) bool { return f.CanUseTool != nil })
	if err := r.Reply(q.RequestID, wire.AllowTool(q.CanUseTool.Input)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the tool runs", func() bool { _, err := os.Stat(mark); return err == nil })
	start := time.Now()
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	exit := r.end()
	if took := time.Since(start); exit.Signal != "" {
		t.Errorf("took %v, exit %+v; want it to end without KILL", took, exit)
	}
	// Processes that the CLI killed may still be exiting.
	eventually(t, "nothing is left behind", func() bool { return len(ownedBy(os.Getpid())) == 0 })
}

// A CLI that crashes leaves its tools behind; Parley ends them.
func TestCrashTakesToolsAlong(t *testing.T) {
	for name, child := range map[string]int{"quiet": 1, "holding stdout": 2} {
		t.Run(name, func(t *testing.T) {
			r := run(t, claudetest.Scenario{Start: []claudetest.Step{{Child: child}, {Kill: syscall.SIGKILL}}}, nil)
			r.end()
			if left := ownedBy(os.Getpid()); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A child that outlives an orderly exit may hold stdout open; that doesn't
// delay the session's end.
func TestOrderlyEndWithOpenStdout(t *testing.T) {
	r := run(t, claudetest.Scenario{Start: []claudetest.Step{{Child: 2}, {Exit: 1}}}, nil)
	if exit := r.end(); exit.Err != nil {
		t.Errorf("exit %+v", exit)
	}
	left := ownedBy(os.Getpid())
	if len(left) != 1 {
		t.Errorf("%d processes left, want the one child: it ended in order, so what it left was meant", len(left))
	}
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// An inheritable pipe, as created by C libraries, isn't inherited by the CLI:
// whoever waits for its end would wait for the CLI.
func TestForeignPipesStayHere(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	foreign, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fds[1]))
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, claudetest.Scenario{}, nil)
	if _, err := r.Initialized(t.Context()); err != nil {
		t.Fatal(err)
	}
	links, _ := filepath.Glob("/proc/" + strconv.Itoa(r.PID()) + "/fd/*")
	if len(links) < 3 {
		t.Fatalf("descriptors of the CLI: %q", links)
	}
	for _, link := range links {
		if target, _ := os.Readlink(link); target == foreign {
			t.Errorf("the CLI holds %s as %s", foreign, link)
		}
	}
}

// ownedBy lists the living processes that carry an owner's mark.
func ownedBy(owner int) []int {
	var out []int
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for kv := range strings.SplitSeq(string(b), "\x00") {
			if kv == claude.MarkOwner+"="+strconv.Itoa(owner) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
				if !isZombie(pid) {
					out = append(out, pid)
				}
			}
		}
	}
	return out
}

func isZombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z")
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}
