//go:build unix

package shellrun

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/fault"
	"parley/backend/need"
)

const helper = "SHELLRUN_TEST_HELPER"

func TestMain(m *testing.M) {
	if command := os.Getenv(helper); command != "" {
		hold(command)
		return
	}
	goleak.VerifyTestMain(m)
}

// hold runs a command like another Parley, until it is killed.
func hold(command string) {
	r := NewRunner(Config{Env: os.Environ(), Logger: slog.New(slog.DiscardHandler)})
	err := r.Start(context.Background(), Spec{
		Dir: os.TempDir(), Command: command, Output: func(s string) { fmt.Print(s) }, Progress: func(Progress) {},
	})
	if err != nil {
		fmt.Println("failed:", err)
	}
	select {}
}

type outcome struct {
	text string
	last Progress
	told int
}

// run runs a command to its end.
func run(ctx context.Context, t *testing.T, command string, during func(text string)) outcome {
	t.Helper()
	r := NewRunner(Config{Env: append(os.Environ(), "PARLEY_TOKEN=secret", "SHELL=/bin/sh"), Logger: slog.New(slog.DiscardHandler)})
	defer r.Close()
	var o outcome
	over := make(chan struct{})
	err := r.Start(ctx, Spec{
		Dir: t.TempDir(), Command: command, Env: []string{"MARK=here"},
		Output: func(s string) {
			o.text += s
			if during != nil {
				during(o.text)
			}
		},
		Progress: func(p Progress) {
			o.told++
			if o.last = p; p.Over {
				close(over)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-over
	return o
}

func TestRun(t *testing.T) {
	for name, tt := range map[string]struct {
		command, text, signal string
		code                  int
	}{
		"both outputs in order": {"echo one; echo two >&2; echo three", "one\ntwo\nthree\n", "", 0},
		"an exit code":          {"exit 3", "", "", 3},
		"a signal":              {"kill -9 $$", "", "killed", -1},
		"no input":              {"cat; echo over", "over\n", "", 0},
		"its environment":       {"echo $MARK-$PARLEY_TOKEN-$PAGER", "here--cat\n", "", 0},
		"what is no text":       {`printf 'a\377\303\244\000b\303'`, "a\uFFFDä\uFFFDb\uFFFD", "", 0},
		"colours":               {`printf '\033[31mred\033[0m'`, "\x1b[31mred\x1b[0m", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := run(t.Context(), t, tt.command, nil)
			if o.text != tt.text || o.last.ExitCode != tt.code || o.last.Signal != tt.signal || o.last.Stopped || o.last.Skipped != 0 {
				t.Errorf("%q, %+v", o.text, o.last)
			}
		})
	}
}

func TestLongOutput(t *testing.T) {
	o := run(t.Context(), t, "i=0; while [ $i -lt 40000 ]; do echo line-$i; i=$((i+1)); done", nil)
	if !strings.HasPrefix(o.text, "line-0\nline-1\n") || len(o.text) != headBytes {
		t.Errorf("a beginning of %d bytes", len(o.text))
	}
	if !strings.HasSuffix(o.last.Tail, "line-39999\n") || len(o.last.Tail) > tailBytes {
		t.Errorf("an end of %d bytes", len(o.last.Tail))
	}
	all := 0
	for i := range 40000 {
		all += len("line-\n") + len(strconv.Itoa(i))
	}
	if got := int64(len(o.text)) + o.last.Skipped + int64(len(o.last.Tail)); got != int64(all) {
		t.Errorf("%d bytes are accounted for, want %d", got, all)
	}
}

func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var child string
	o := run(ctx, t, "sleep 1000 & echo $! ; wait", func(text string) {
		if child = strings.TrimSpace(text); child != "" {
			cancel()
		}
	})
	if !o.last.Stopped || o.last.Signal != "terminated" {
		t.Errorf("%+v", o.last)
	}
	gone(t, child)
}

func TestStopOneThatWillNot(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := run(ctx, t, "trap '' TERM; echo deaf; while :; do sleep 0.05; done", func(string) { cancel() })
	if !o.last.Stopped || o.last.Signal != "killed" {
		t.Errorf("%+v", o.last)
	}
}

func TestLeavesNothingBehind(t *testing.T) {
	o := run(t.Context(), t, "sleep 1000 & echo $!", nil)
	if o.last.ExitCode != 0 || o.last.Stopped {
		t.Errorf("%+v", o.last)
	}
	gone(t, strings.TrimSpace(o.text))
}

// A process that leaves the group and holds the output open isn't waited for.
func TestEscaped(t *testing.T) {
	need.Program(t, "setsid", "util-linux")
	o := run(t.Context(), t, "setsid sh -c 'echo $$; : >out; exec sleep 1000' & while ! [ -e out ]; do sleep 0.01; done", nil)
	pid, err := strconv.Atoi(strings.TrimSpace(o.text))
	if err != nil || !o.last.Over {
		t.Fatalf("%q, %+v", o.text, o.last)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("it was ended: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	r := NewRunner(Config{Env: os.Environ(), Logger: slog.New(slog.DiscardHandler)})
	nothing := Spec{Dir: filepath.Join(t.TempDir(), "gone"), Command: "true", Output: func(string) {}, Progress: func(Progress) {}}
	if err := r.Start(t.Context(), nothing); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("in a folder that is gone: %v", err)
	}
	nothing.Dir, nothing.Command = t.TempDir(), "sleep 1000"
	for range maxRunning {
		if err := r.Start(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Start(t.Context(), nothing); fault.CodeOf(err) != fault.Busy {
		t.Errorf("one too many: %v", err)
	}
	r.Close()
	if err := r.Start(t.Context(), nothing); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("after the end: %v", err)
	}
}

// If Parley is killed, so are its commands.
func TestKilledParley(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parley := exec.Command(exe)
	parley.Env = append(os.Environ(), helper+"=sleep 1000 & echo $$ $!; wait")
	out, err := parley.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parley.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	_ = parley.Process.Kill()
	_ = parley.Wait()
	for _, pid := range strings.Fields(string(line[:n])) {
		gone(t, pid)
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatalf("%q is no process", pid)
	}
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := syscall.Kill(n, 0); err != nil {
			return
		}
		// An orphan waits for init to reap it.
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %s lives", pid)
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("h\xc3\xa4llo"), 2)
	f.Fuzz(func(t *testing.T, p []byte, at int) {
		if len(p) > headBytes/4 || at < 0 || at > len(p) {
			return
		}
		var o output
		got := o.add(p[:at]) + o.add(p[at:]) + o.end()
		var whole output
		if want := whole.add(p) + whole.end(); got != want {
			t.Errorf("in two pieces %q, at once %q", got, want)
		}
	})
}
