//go:build linux

package border

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/demo"
)

// withoutGroups is a command that runs another one without access to control groups,
// so that Parley has to rely on marks and parents.
func withoutGroups(t *testing.T) []string {
	t.Helper()
	within := []string{"unshare", "--mount", "sh", "-c", `for d in $(awk '$3 == "cgroup2" {print $2}' /proc/mounts); do mount -t tmpfs none $d || exit; done; exec "$@"`, "sh"}
	if out, err := exec.Command(within[0], append(within[1:], "true")...).CombinedOutput(); err != nil {
		if !grouped(t) {
			return nil // there are none anyway
		}
		t.Skipf("this system gives nobody mounts of their own: %v: %s", err, out)
	}
	return within
}

// grouped reports whether Parley has control groups here.
func grouped(t *testing.T) bool {
	t.Helper()
	p := start(t, demo.NewQueue())
	held := p.ledger().Held
	if health := p.health(); health.Containment != held {
		t.Errorf("health: %+v, and the list says %q", health, held)
	}
	return held == "cgroup"
}

// escapes are ways for a command to leave a process behind: nearly hidden,
// and only KILL ends it.
func escapes() map[string]string {
	const loop = `sh -c 'trap "" TERM HUP INT; echo $$ >$0.new; mv $0.new $0; while :; do sleep 1; done' `
	quiet := func(command string) string { return command + " >/dev/null 2>&1 </dev/null &" }
	return map[string]string{
		"nohup":             quiet("nohup " + loop + "pid"),
		"setsid":            quiet("setsid " + loop + "pid"),
		"env -i, setsid":    quiet("env -i setsid " + loop + "pid"),
		"two forks":         "(setsid " + quiet(loop+"pid") + ")",
		"env -i, two forks": "(env -i setsid " + quiet(loop+"pid") + ")",
	}
}

// escape has a command leave a process behind, checks that it is listed, and returns its PID.
func escape(s *conversation) int {
	s.p.t.Helper()
	turn := s.prompt("escape")
	s.allow(s.question())
	pid := pidIn(s.p.t, s.dir+"/pid")
	s.done(turn, "completed")
	poll(s.p.t, "it is shown", func() bool {
		for _, p := range s.p.ledger().Processes {
			if p.PID == pid && p.SessionID == s.id {
				return true
			}
		}
		return false
	})
	return pid
}

// Whatever a command leaves behind, and however: it is gone soon after Parley was
// killed, when Parley ends, and when its session is closed or archived.
func TestContained(t *testing.T) {
	t.Parallel()
	if !grouped(t) {
		t.Skip("this system gives Parley no control groups: what sheds its environment and its parents cannot be held, which the list of processes says")
	}
	ends := map[string]func(s *conversation){
		"killed":  func(s *conversation) { s.p.kill() },
		"ended":   func(s *conversation) { s.p.end() },
		"closed":  func(s *conversation) { call[m](s.c, "session.close", m{"sessionId": s.id, "force": true}) },
		"deleted": func(s *conversation) { call[m](s.c, "session.delete", m{"sessionId": s.id, "force": true}) },
		"CLI killed": func(s *conversation) {
			if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
				s.p.t.Fatal(err)
			}
		},
	}
	for way, command := range escapes() {
		for how, end := range ends {
			if how != "killed" && way != "env -i, two forks" {
				continue // each way once, and the worst with each end
			}
			t.Run(way+" "+how, func(t *testing.T) {
				t.Parallel()
				oneEngine(t, func(t *testing.T, engine string) {
					p := start(t, demo.NewRules().When(demo.Contains("escape"), demo.Answer(bash("sh escape.sh")), demo.Say("It runs.")))
					s := p.openWith(m{"engine": engine})
					s.write("escape.sh", command+"\nwhile ! [ -s pid ]; do sleep 0.05; done\n")
					pid := escape(s)
					begun := time.Now()
					end(s)
					poll(t, "its end", func() bool { return !alive(pid) })
					noteTime(t, "the end of what was left", time.Since(begun), 5*time.Second)
				})
			})
		}
	}
}

// A suspended session keeps what a command left running on purpose.
func TestContainedAndSuspended(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Contains("escape"), demo.Answer(bash("sh escape.sh")), demo.Say("It runs.")))
	s := p.open()
	s.write("escape.sh", escapes()["two forks"]+"\nwhile ! [ -s pid ]; do sleep 0.05; done\n")
	pid := escape(s)
	call[m](s.c, "session.suspend", m{"sessionId": s.id})
	if !alive(pid) {
		t.Error("it was ended")
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// Without control groups, Parley reports that, and finds left-over processes by
// their marks when it restarts.
func TestContainedByMarks(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.NewQueue(), setup{within: withoutGroups(t)})
	if held := p.ledger().Held; held != "marks" {
		t.Errorf("held by %q", held)
	}
	if health := p.health(); health.Containment != "marks" {
		t.Errorf("health: %v", health)
	}
	poll(t, "the log says so", func() bool { return strings.Contains(p.stderr.String(), "Control groups unavailable") })
}
