//go:build linux

package contain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/platform/process"
)

// TestMain lets this program be the guard.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "guard" {
		if Guard(os.Stdin, os.Args[2]) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// open creates groups, or skips with the reason there are none here.
func open(t *testing.T, self string, noted ...string) *Groups {
	t.Helper()
	g, err := Open(Config{
		Self: self, Gone: func(pid int, began uint64) bool { return process.ID{PID: pid, Start: began}.Gone() }, Guard: func() string { return os.Args[0] }, Note: func(string) {}, Noted: noted, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Skipf("this system gives the tests no control groups: %v", err)
	}
	t.Cleanup(g.Close)
	return g
}

// self returns the identity of this process.
func self(t *testing.T) string {
	t.Helper()
	return nameOf(t, os.Getpid())
}

// nameOf returns the identity of a running process.
func nameOf(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d-%s", pid, strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[19])
}

// stray starts a shell in a group, which leaves behind a process without its
// environment and parents, and returns that process's pid.
func stray(t *testing.T, g *Group) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command("/bin/sh", "-c", `env -i /bin/sh -c '(setsid /bin/sh -c "trap \"\" TERM HUP; echo \$\$ >$0.new; mv $0.new $0; while :; do sleep 1; done" "$0" &) &' "$0"; exit`, file)
	folder, err := os.Open(g.Folder())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd())}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if pid, e := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && e == nil {
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			return pid
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was started")
		}
	}
}

// lives reports whether a process exists.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0] != "Z"
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func gone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// A process that sheds its environment and parents is still known, and ends with its
// group.
func TestGroup(t *testing.T) {
	g := open(t, self(t))
	for _, tt := range []struct {
		name string
		end  func(*Group)
	}{
		{"killed", (*Group).Kill},
		{"left, and its session ended", func(one *Group) {
			one.Leave()
			g.End("other")
			if !populated(one.dir) {
				t.Error("what was left of another session was ended")
			}
			g.End("one")
		}},
		{"left, and Parley ended", func(one *Group) { one.Leave(); g.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one := g.New("one")
			if one == nil {
				t.Fatal("no group")
			}
			pid := stray(t, one)
			if g.Members()[pid] != "one" {
				t.Errorf("members: %v", g.Members())
			}
			tt.end(one)
			eventually(t, "its end", func() bool { return !lives(pid) })
			if !gone(one.dir) {
				t.Errorf("%s is left", one.dir)
			}
		})
	}
	if !gone(g.dir) || g.New("late") != nil {
		t.Error("after the end there are groups")
	}
}

// An empty group is removed.
func TestGroupLeftEmpty(t *testing.T) {
	g := open(t, self(t))
	one := g.New("one")
	one.Leave()
	if !gone(one.dir) || len(g.groups) > 0 {
		t.Errorf("%s, %d", one.dir, len(g.groups))
	}
}

// A killed Parley can't clean up: its guard ends what is in the groups.
func TestGuard(t *testing.T) {
	g := open(t, self(t))
	one := g.New("one")
	pid := stray(t, one)
	if err := g.guard.life.Close(); err != nil { // as the kernel does
		t.Fatal(err)
	}
	eventually(t, "its end", func() bool { return !lives(pid) })
	eventually(t, "the end of the groups", func() bool { return gone(g.dir) })
	<-g.guard.gone
	for _, dir := range []string{"", "/", "/tmp/x", "parley-1-2"} {
		if Guard(strings.NewReader(""), dir) == nil {
			t.Errorf("it guards %q", dir)
		}
	}
}

// A killed guard is replaced, and the next Parley ends what both left.
func TestGroupsOfADeadParley(t *testing.T) {
	const dead = "4194305-1" // beyond all valid pids
	g := open(t, dead)
	one := g.New("one")
	first := g.guard
	_ = first.process.Kill()
	<-first.gone
	if g.New("two") == nil || g.guard == first || !g.guard.stands() {
		t.Error("nobody guards")
	}
	pid := stray(t, one)
	_ = g.guard.process.Kill()
	<-g.guard.gone
	open(t, self(t), "/nowhere/parley-4194305-1", t.TempDir())
	eventually(t, "its end", func() bool { return !lives(pid) })
	if !gone(g.dir) {
		t.Errorf("%s is left", g.dir)
	}
}

// Other Parleys run beside this one, and keep their sessions, including those of other
// tests.
func TestGroupsOfALivingParley(t *testing.T) {
	other := open(t, nameOf(t, os.Getppid()))
	pid := stray(t, other.New("one"))
	open(t, self(t), other.dir)
	if !lives(pid) || gone(other.dir) {
		t.Error("the session of a Parley that runs was ended")
	}
}

func TestGroupOf(t *testing.T) {
	const v1 = "35 25 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	for _, tt := range []struct{ name, mounts, groups, want string }{
		{"one tree", "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n", "0::/user.slice/a.scope\n", "/sys/fs/cgroup/user.slice/a.scope"},
		{"both versions", v1 + "36 25 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "8:pids:/x\n0::/\n", "/sys/fs/cgroup/unified"},
		{"a container's part", "30 25 0:26 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/box/in\n", "/sys/fs/cgroup/in"},
		{"outside of what is mounted", "30 25 0:26 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/other\n", ""},
		{"above what is mounted", "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/../x\n", ""},
		{"a blank in the path", "30 25 0:26 / /sys/fs/c\\040group rw - cgroup2 cgroup2 rw\n", "0::/a\n", "/sys/fs/c group/a"},
		{"the first version only", v1, "8:pids:/x\n", ""},
		{"not mounted", v1, "0::/\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := groupOf(io.Reader(strings.NewReader(tt.mounts)), tt.groups)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// The groups continue in the program that this one becomes, with the same guard.
func TestHandOver(t *testing.T) {
	first := open(t, self(t))
	one := first.New("one")
	pid := stray(t, one)
	state, life, err := first.HandOver()
	if err != nil {
		t.Fatal(err)
	}
	var h handed
	if err := json.Unmarshal(state, &h); err != nil || h.Life != int(life.Fd()) {
		t.Fatalf("%s %v", state, err)
	}
	if h.Life, err = syscall.Dup(h.Life); err != nil { // two programs in one process
		t.Fatal(err)
	}
	if state, err = json.Marshal(h); err != nil {
		t.Fatal(err)
	}
	second := open(t, self(t))
	if err := second.TakeOver(state); err != nil {
		t.Fatal(err)
	}
	first.Close() // it has nothing to close
	if err := life.Close(); err != nil {
		t.Fatal(err)
	}
	if second.Members()[pid] != "one" || second.New("two") == nil || second.guard.process.Pid != h.Guard {
		t.Errorf("%v", second.Members())
	}
	held := second.Held(one.dir)
	if held == nil || second.Held("/elsewhere") != nil {
		t.Fatal("there is no such group")
	}
	held.Kill()
	eventually(t, "its end", func() bool { return !lives(pid) })
	for _, state := range []string{`[]`, `{"life":-1}`} {
		if second.TakeOver(json.RawMessage(state)) == nil {
			t.Errorf("%s is taken", state)
		}
	}
}
