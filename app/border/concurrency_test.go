//go:build linux

package border

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/app/processes"
	"parley/backend/demo"
	"parley/backend/event"
)

// Eight sessions answer at the same time, with both engines: each gets the text of its own
// model only.
func TestEightAtOnce(t *testing.T) {
	t.Parallel()
	const sessions, pieces = 8, 300
	gate := demo.NewGate()
	fruit := make([]string, sessions)
	for i := range fruit {
		fruit[i] = "berry-" + strings.Repeat(string(rune('p'+i)), 4)
	}
	p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		if r.Kind != demo.Main {
			return demo.Default(r)
		}
		if len(r.Results) > 0 {
			return demo.Answer(demo.Text("So "), demo.Wait(gate), demo.Text(strings.Repeat(r.Text+" ", pieces)))
		}
		return demo.Answer(demo.Text("First "+r.Text+". "), demo.Tool("Read", m{"file_path": r.Text + ".txt"}))
	}))
	list, turns := make([]*conversation, sessions), make([]string, sessions)
	for i := range list {
		dir := p.path("work", fruit[i])
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		list[i] = p.openWith(m{"cwd": dir, "engine": engines()[i%2]})
		list[i].write(fruit[i]+".txt", "all about "+fruit[i])
		turns[i] = list[i].prompt(fruit[i])
	}
	// All are in the middle of their answers before any may continue.
	for i, s := range list {
		s.hears(turns[i], "So ")
	}
	begun := time.Now()
	gate.Open()
	for i, s := range list {
		s.done(turns[i], "completed")
		if got, want := s.said(turns[i]), "First "+fruit[i]+". So "+strings.Repeat(fruit[i]+" ", pieces); got != want {
			t.Errorf("%s said %.100q…", fruit[i], got)
		}
	}
	t.Logf("%d answers at once took %v", sessions, time.Since(begun).Round(time.Millisecond))
	// No event of a session contains text of another one.
	for _, e := range p.watcher.all() {
		if _, global := e.Event.(event.Global); global {
			continue
		}
		for i, s := range list {
			if e.Header().SessionID != s.id && strings.Contains(string(e.raw), fruit[i]) {
				t.Fatalf("a word of %s in an event of another session: %.300s", fruit[i], e.raw)
			}
		}
	}
	for i, s := range list {
		heard := 0
		for _, r := range p.mainRequests() {
			if whole := wholeText(r); strings.Contains(whole, fruit[i]) {
				heard++
				if strings.Contains(whole, fruit[(i+1)%sessions]) {
					t.Errorf("the model heard of two sessions at once: %.300s", whole)
				}
			}
		}
		if heard != 2 || s.record().State != "idle" {
			t.Errorf("%s: %d requests, %s", fruit[i], heard, s.record().State)
		}
	}
}

// Many open sessions use few resources of Parley itself, whatever their CLIs use.
func TestFiftyOpen(t *testing.T) {
	t.Parallel()
	const sessions, running = 50, 3
	p := start(t, demo.NewRules().When(demo.Any, demo.Say(strings.Repeat("Word after word. ", 500))))
	for i := range sessions {
		s := p.openWith(m{"title": fmt.Sprint("session ", i), "engine": engines()[i%2]})
		if i < running {
			s.turn("tell me")
		}
	}
	if n := len(p.sessions(m{})); n != sessions {
		t.Fatalf("%d sessions", n)
	}
	// The work of the start has ended.
	poll(t, "the library rests", func() bool {
		l := call[event.Library](p.watcher, "library.status", m{})
		return !l.Scanning && !l.Counting.Busy && !l.Search.Busy
	})
	const over = 4 * time.Second
	before := cpuTime(t, p.pid)
	time.Sleep(over) // the measurement needs real time
	share := 100 * float64(cpuTime(t, p.pid)-before) / float64(over)
	mb := residentMB(t, p.pid)
	list := call[processes.ProcessList](p.watcher, "process.list", m{})
	children := 0
	for _, c := range list.Processes {
		children += int(c.Bytes >> 20)
	}
	t.Logf("%d sessions, %d with a process: Parley has %d MB and uses %.2f %% of a core; its children have %d MB", sessions, running, mb, share, children)
	if raceEnabled {
		return
	}
	if mb > 100 || share > 3 || children < 100 {
		t.Errorf("Parley has %d MB and uses %.2f %% of a core", mb, share)
	}
}

// cpuTime is the processor time of a process.
func cpuTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
