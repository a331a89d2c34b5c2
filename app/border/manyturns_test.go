//go:build linux

package border

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"parley/app/diagnostics"
	"parley/backend/demo"
	"parley/backend/event"
)

// Turn after turn, Parley needs no more descriptors, processes and goroutines than after
// the first ones, and hardly more memory. PARLEY_TEST_LONG makes it three thousand turns.
func TestManyTurns(t *testing.T) {
	t.Parallel()
	const sessions = 6
	rounds := 5
	if os.Getenv("PARLEY_TEST_LONG") != "" {
		rounds = 250
	}
	p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		if r.Kind != demo.Main {
			return demo.Default(r)
		}
		if len(r.Results) > 0 {
			return demo.Answer(demo.Text("It says so."))
		}
		return demo.Answer(demo.Text("I look. "), demo.Tool("Read", m{"file_path": "notes.txt"}))
	}))
	list := make([]*conversation, sessions)
	for i := range list {
		list[i] = p.openWith(m{"engine": engines()[i%2]})
	}
	list[0].write("notes.txt", "what there is to know")
	work := func() {
		for i := range rounds {
			turns := make([]string, sessions)
			for j, s := range list {
				turns[j] = s.prompt(fmt.Sprint("look ", i))
			}
			for j, s := range list {
				s.done(turns[j], "completed")
			}
		}
	}
	work()
	before := needed(t, p)
	work()
	var after need
	defer func() { t.Logf("%d turns, and as many again: %+v, then %+v", sessions*rounds, before, after) }()
	// Files that are just being read will be closed.
	poll(t, "it to need no more than before", func() bool {
		after = needed(t, p)
		return after.descriptors <= before.descriptors+4 && after.goroutines <= before.goroutines+8 && after.children <= before.children
	})
	if !raceEnabled && after.mb > before.mb+before.mb/2 {
		t.Errorf("its memory grew from %d to %d MB", before.mb, after.mb)
	}
	for _, s := range list {
		if r := call[event.Session](s.c, "session.get", m{"sessionId": s.id}); r.State != "idle" {
			t.Errorf("a session is %s", r.State)
		}
	}
}

// A need is Parley's resource usage.
type need struct{ descriptors, goroutines, children, mb int }

func needed(t *testing.T, p *parley) need {
	t.Helper()
	n := need{mb: residentMB(t, p.pid), children: len(call[m](p.watcher, "process.list", m{})["processes"].([]any))}
	fds, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.pid), "fd"))
	if err != nil && !os.IsPermission(err) { // only root may count them
		t.Fatal(err)
	}
	n.descriptors = len(fds)
	report := call[diagnostics.Diagnostics](p.watcher, "app.diagnostics", m{}).Text
	found := regexp.MustCompile(`goroutines: (\d+)`).FindStringSubmatch(report)
	if found == nil {
		t.Fatalf("no goroutines in %s", report)
	}
	n.goroutines, _ = strconv.Atoi(found[1])
	return n
}
