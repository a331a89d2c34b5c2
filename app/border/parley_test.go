//go:build linux

package border

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/backend/claude/claudetest"
	"parley/backend/demo"
)

// parley is a running "parley serve".
type parley struct {
	t     *testing.T
	model *demo.Server
	// root contains all folders of this Parley: home, data, work and tmp.
	root string
	env  []string
	// program is the running executable.
	program string

	cmd    *exec.Cmd
	url    string
	token  string
	pid    int
	stderr *output
	// rest is the standard output after the first line, once exited is
	// closed.
	rest   []byte
	exited chan struct{}

	// watcher gets all events from the start.
	watcher *client

	mu sync.Mutex
	// accepted are the turns of all accepted prompts.
	accepted map[string]bool
	// earlier are those that an earlier Parley accepted here: queued ones may be
	// answered by this one.
	earlier map[string]bool
	// secrets must not appear in the log or in events.
	secrets []string
	// strange is true if others than the test start turns.
	strange bool
	// shared is true if its conversations are also continued elsewhere.
	shared bool
	// before are the watchers of Parleys that ran here before.
	before []*client
	// lost is set when Parley was killed: then there is no orderly end to
	// check.
	lost bool
	// meddled is true if another process writes to its CLIs.
	meddled bool
	// late is set when its orderly end took so long that clients did not get all events.
	late bool
	// tampered is true if the test changes the log of permissions, which Parley reports.
	tampered bool
	// full is true if the test fills the disk, which Parley reports.
	full bool
	// damaged is true if its files are damaged, so that it may refuse to start.
	damaged bool
}

// setup has the options of a test.
type setup struct {
	// cli is the path of the CLI; "" means the real one.
	cli string
	// program is the path of a Parley other than the built one.
	program string
	// args are additional flags of "parley serve".
	args []string
	// env is added to the environment of Parley.
	env []string
	// paced makes the model keep the pauses of its script.
	paced bool
	// within is a command that executes the following one in its place, with the
	// same PID.
	within []string
}

// start starts a Parley whose CLI talks to script. It is ended, and checked, with
// the test.
func start(t *testing.T, script demo.Script) *parley { return startWith(t, script, setup{}) }

func startWith(t *testing.T, script demo.Script, s setup) *parley {
	t.Helper()
	if s.cli == "" {
		s.cli = claudetest.RealCLI(t)
	}
	model, err := demo.Start(demo.Config{Script: script, Logger: slog.New(slog.DiscardHandler), Instant: !s.paced})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	root, err := os.MkdirTemp("", "ply-") //nolint:usetesting // TempDir's path is too long for the socket that will be in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	for _, dir := range []string{"home", "tmp", "work"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := &parley{
		t: t, model: model, root: root, program: cmp.Or(s.program, program), stderr: &output{}, accepted: map[string]bool{},
		secrets: []string{"sk-ant-local"},
	}
	p.env = append(model.Env(p.path("home"), p.path("home/.claude")),
		"PARLEY_CLAUDE_BIN="+s.cli, "TMPDIR="+p.path("tmp"),
		// Otherwise the hundreds of CLIs started here would each compile code for long runs.
		"BUN_JSC_useDFGJIT=0")
	p.env = append(p.env, s.env...)
	t.Cleanup(func() {
		p.kill()
		p.nothingLeft()
	})
	p.launch(s)
	t.Cleanup(func() { p.watcher.drop() })
	t.Cleanup(p.finish) // runs while the watcher is still connected
	return p
}

// again restarts Parley on the same folders, after it has ended. The first one's
// events are checked.
func (p *parley) again() {
	p.t.Helper()
	p.againWith(setup{})
}

func (p *parley) againWith(s setup) {
	p.t.Helper()
	<-p.exited
	p.watcher.drop()
	p.checkEvents()
	p.checkLog()
	p.mu.Lock()
	p.earlier, p.accepted, p.lost, p.late = p.accepted, map[string]bool{}, false, false
	p.mu.Unlock()
	p.before = append(p.before, p.watcher)
	p.stderr = &output{}
	p.launch(s)
}

// command returns "parley serve" for the data folder, not started.
func (p *parley) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.program, append([]string{"serve", "--listen", "127.0.0.1:0", "--data", p.path("data")}, args...)...)
	cmd.Env, cmd.Dir = p.env, p.root
	return cmd
}

// launch starts Parley and connects its watcher.
func (p *parley) launch(s setup) {
	p.t.Helper()
	cmd := p.command(s.args...)
	if len(s.within) > 0 {
		path, err := exec.LookPath(s.within[0])
		if err != nil {
			p.t.Fatal(err)
		}
		cmd.Path, cmd.Args = path, append(s.within, cmd.Args...)
	}
	p.cmd, p.exited = cmd, make(chan struct{})
	p.cmd.Stderr = p.stderr
	// A separate process group distinguishes stray children from ours; TERM
	// if the tests die.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Not StdoutPipe, whose end Wait would not wait for.
	read, write, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Stdout = write
	err = p.cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		p.t.Fatal(err)
	}
	out := bufio.NewReader(read)
	first := make(chan string, 1)
	go func() {
		defer close(p.exited)
		defer read.Close()
		line, _ := out.ReadString('\n')
		first <- line
		p.rest, _ = io.ReadAll(out)
		_ = p.cmd.Wait() // ProcessState has the result
	}()
	select {
	case line := <-first:
		if line == "" && p.damaged {
			<-p.exited
			return
		}
		p.hello(line)
		p.watcher = p.connect()
		p.watcher.subscribe("session.*")
	case <-time.After(limit):
		p.t.Fatalf("no first line; log:\n%s", p.stderr)
	}
}

// hello reads the first line.
func (p *parley) hello(line string) {
	p.t.Helper()
	var hello struct {
		URL   string `json:"url"`
		Token string `json:"token"`
		PID   int    `json:"pid"`
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&hello); err != nil {
		p.t.Fatalf("first line %q: %v; log:\n%s", line, err, p.stderr)
	}
	if !strings.HasPrefix(hello.URL, "http://127.0.0.1:") || !strings.HasSuffix(hello.URL, "/") ||
		len(hello.Token) < 32 || hello.PID != p.cmd.Process.Pid {
		p.t.Fatalf("first line %q of process %d", line, p.cmd.Process.Pid)
	}
	p.url, p.token, p.pid = hello.URL, hello.Token, hello.PID
	p.secrets = append(p.secrets, hello.Token)
}

// path is a path below this Parley's root.
func (p *parley) path(elem ...string) string {
	return filepath.Join(append([]string{p.root}, elem...)...)
}

// kill kills Parley, if it is still running.
func (p *parley) kill() {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	select {
	case <-p.exited:
		return
	default:
	}
	p.mu.Lock()
	p.lost = true
	p.mu.Unlock()
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// nothingLeft waits until all processes are gone, and enforces it.
func (p *parley) nothingLeft() {
	p.t.Helper()
	left := p.left(limit)
	for _, proc := range left {
		p.t.Errorf("process %d is left: %v", proc.pid, proc.args)
	}
	killAll(left)
}

// terminate sends SIGTERM to Parley and returns how long it took to end.
func (p *parley) terminate() time.Duration {
	p.t.Helper()
	begun := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(limit):
		p.t.Fatalf("Parley goes on after SIGTERM; log:\n%s", p.stderr)
	}
	took := time.Since(begun)
	p.mu.Lock()
	p.late = took > clientsLimit
	p.mu.Unlock()
	return took
}

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
