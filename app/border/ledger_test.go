//go:build linux

package border

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/app/processes"
	"parley/backend/demo"
	"parley/backend/event"
)

// ledger lists Parley's processes.
func (p *parley) ledger() processes.ProcessList {
	p.t.Helper()
	return call[processes.ProcessList](p.watcher, "process.list", m{})
}

// ofSessions are the processes of a list that are not part of Parley.
func ofSessions(list processes.ProcessList) []processes.ProcessInfo {
	return slices.DeleteFunc(slices.Clone(list.Processes), func(p processes.ProcessInfo) bool { return p.Kind == "parley" })
}

// pidIn reads a PID from a file that the process writes.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(pollFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// alive reports whether a process has not ended.
func alive(pid int) bool { return !isZombie("/proc/" + strconv.Itoa(pid)) }

// The ledger lists the CLI of a session and its tools' processes, each with its
// resource usage, and ends exactly those that the user selects.
func TestLedger(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("tool"), demo.Answer(bash("sh tool.sh")), demo.Say("It was ended.")).
			When(demo.Any, demo.Say("Here.")))
		s := p.openWith(m{"engine": engine, "title": "At work"})
		s.write("tool.sh", "sleep 300 & echo $! >pid; wait")
		turn := s.prompt("tool")
		s.allow(s.question())
		sleep := pidIn(t, s.dir+"/pid")
		cli := s.record().PID
		// Its PID is known before it has replaced the shell.
		poll(t, "it sleeps", func() bool {
			name, _ := os.ReadFile("/proc/" + strconv.Itoa(sleep) + "/comm")
			return string(name) == "sleep\n"
		})

		kinds := map[string]int{}
		var tool, root processes.ProcessInfo
		list := p.ledger()
		for _, o := range ofSessions(list) {
			kinds[o.Kind]++
			if o.SessionID != s.id || o.Title != "At work" || o.Engine != engine || o.State != "running" || o.Bytes <= 0 || o.StartedAt <= 0 {
				t.Errorf("%+v", o)
			}
			switch o.PID {
			case sleep:
				tool = o
			case cli:
				root = o
			}
		}
		if root.Kind != "cli" || root.CPUMs < 50 || root.Bytes < 50<<20 || tool.Kind != "descendant" || tool.Name != "sleep" ||
			kinds["cli"] != 1 || kinds["descendant"] < 2 || list.Orphans != 0 {
			t.Errorf("kinds %v; CLI %+v; tool %+v; %d orphans", kinds, root, tool, list.Orphans)
		}
		if self := list.Self; self.PID != p.pid || self.Kind != "parley" || self.Bytes < 10<<20 || self.SessionID != "" {
			t.Errorf("self %+v", self)
		}

		stranger := os.Getpid()
		for pid, code := range map[int]string{stranger: "not_found", p.pid: "invalid", 1: "not_found", 0: "not_found", -1: "not_found", 1 << 30: "not_found"} {
			s.c.refused("process.end", m{"pid": pid}, code, strconv.Itoa(pid))
		}
		call[m](s.c, "process.end", m{"pid": sleep})
		if alive(sleep) {
			t.Error("the tool's process lives")
		}
		s.done(turn, "completed")
		if got := s.said(turn); got != "It was ended." {
			t.Errorf("said %q", got)
		}

		// Ending an idle CLI suspends the session, which is no crash.
		call[m](s.c, "process.end", m{"pid": cli})
		poll(t, "the CLI is gone", func() bool { return !alive(cli) })
		if r := s.record(); r.State != "idle" || r.PID != 0 || r.Error != nil {
			t.Errorf("put away: %+v", r)
		}
		if len(ofSessions(p.ledger())) != 0 {
			t.Errorf("still %+v", p.ledger().Processes)
		}

		// A working one ends with its tools, and the session reports it.
		if err := os.Remove(s.dir + "/pid"); err != nil {
			t.Fatal(err)
		}
		turn = s.prompt("tool")
		s.allow(s.question())
		sleep = pidIn(t, s.dir+"/pid")
		call[m](s.c, "process.end", m{"pid": s.record().PID})
		s.done(turn, "crashed")
		poll(t, "the tool is gone", func() bool { return !alive(sleep) })
		if r := s.record(); r.State != "failed" || r.PID != 0 || r.Error == nil {
			t.Errorf("ended: %+v", r)
		}
		if got := s.turn("hello?"); got != "Here." {
			t.Errorf("said %q", got)
		}
	})
}

// stray starts a tool that leaves a process behind, which only KILL ends,
// and returns its PID.
func stray(s *conversation) int {
	s.p.t.Helper()
	s.write("stray.sh", `setsid sh -c 'trap "" TERM HUP INT; echo $$ >stray; exec sleep 300' >/dev/null 2>&1 </dev/null & while ! [ -s stray ]; do sleep 0.05; done`)
	turn := s.prompt("stray")
	s.allow(s.question())
	pid := pidIn(s.p.t, s.dir+"/stray")
	s.done(turn, "completed")
	return pid
}

func strays() demo.Script {
	return demo.NewRules().
		When(demo.Contains("stray"), demo.Answer(bash("sh stray.sh")), demo.Say("It runs.")).
		When(demo.Any, demo.Say("Here."))
}

// The next Parley finds and ends the processes that a killed one left, but
// not those of another running Parley.
func TestOrphansAreEnded(t *testing.T) {
	t.Parallel()
	marks := setup{within: withoutGroups(t)}
	other := startWith(t, strays(), marks)
	spared := stray(other.open())
	p := startWith(t, strays(), marks)
	left := stray(p.open())
	p.kill()
	poll(t, "the CLI ends with Parley", func() bool { return len(p.running("--input-format=stream-json")) == 0 })
	if !alive(left) {
		t.Fatal("nothing was left behind")
	}
	p.againWith(marks)
	poll(t, "what was left behind is ended", func() bool { return !alive(left) })
	if n := p.ledger().Orphans; n < 1 {
		t.Errorf("%d orphans", n)
	}
	poll(t, "the log says so", func() bool { return strings.Contains(p.stderr.String(), "Stopped the processes left by") })
	if !alive(spared) {
		t.Error("a process of another Parley was ended")
	}
	if got := p.open().turn("hello?"); got != "Here." {
		t.Errorf("said %q", got)
	}
	_ = syscall.Kill(spared, syscall.SIGKILL)
}

// A process that a tool meant to keep running is not treated as a leftover after an orderly
// end, where the kernel does not contain it.
func TestWhatWasMeantToStay(t *testing.T) {
	t.Parallel()
	p := startWith(t, strays(), setup{within: withoutGroups(t)})
	s := p.open()
	pid := stray(s)
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	noteTime(t, "the end", p.terminate(), endLimit)
	if !alive(pid) {
		t.Skip("the CLI ends even what left its session")
	}
	p.again()
	list := p.ledger()
	if !alive(pid) || list.Orphans != 0 || len(list.Processes) != 0 {
		t.Errorf("alive %v, %+v", alive(pid), list)
	}
	if call[event.Session](p.watcher, "session.get", m{"sessionId": s.id}).State != "idle" {
		t.Error("the session is not idle")
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	poll(t, "it ended", func() bool { return !alive(pid) })
}
