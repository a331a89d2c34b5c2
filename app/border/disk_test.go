//go:build linux

package border

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/app/audit"
	"parley/app/diagnostics"
	"parley/backend/demo"
	"parley/backend/problem"
)

// smallDisk mounts a disk of that many bytes on a folder, which needs root. It survives
// restarts of Parley, and is unmounted with the test.
func smallDisk(t *testing.T, dir string, size string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skip("no small disk can be mounted here, so nothing is said of full ones:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// The CLI's disk is full: its answers end and are not saved. Parley reports it, keeps them, and
// shows them correctly after a restart; with room again everything works as before.
func TestFullDiskOfTheCLI(t *testing.T) {
	t.Parallel()
	// They are longer than what may be left of the transcript's last page, or be freed by other files.
	which := "which vegetable?" + strings.Repeat(" Think it over.", 1000)
	answer := "The aubergine it is." + strings.Repeat(" It is a fine vegetable.", 2000)
	inParallel(t, engines(), func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("which"), demo.Say(answer)).
			When(demo.Contains("aubergine"), demo.Say("Noted.")).
			When(demo.Any, demo.Say("And now there is room.")))
		p.end()
		smallDisk(t, p.path("home/.claude"), "16m")
		p.again()
		s := p.openWith(m{"engine": engine})
		s.turn("remember the aubergine")
		filler := p.path("home/.claude/filler")
		fill(t, filler)
		began := time.Now()
		if said := s.turn(which); said != answer {
			t.Errorf("said %q", said)
		}
		poll(t, "a full disk is said", func() bool {
			said := p.health()
			status, ids := said.Status, said.ids()
			return status == "degraded" && slices.Contains(ids, problem.DiskFull)
		})
		noteTime(t, "saying it", time.Since(began), 5*time.Second)
		for _, one := range call[diagnostics.Problems](s.c, "app.problems", m{}).Problems {
			if one.ID == problem.DiskFull && (one.Facts["what"] != "conversations" || one.Severity != "error" || one.Todo == "") {
				t.Errorf("problem %+v", one)
			}
		}
		// Even a Parley that ends now has saved it.
		p.end()
		p.again()
		s = p.resume(s)
		want := []string{"user: remember the aubergine", "assistant: Noted.", "user: " + which, "assistant: " + answer}
		list := p.messages(s.id)
		if got := spoken(list); !slices.Equal(got, want) {
			t.Errorf("after a restart %q", got)
		}
		if last := list[len(list)-1]; !last.Unsaved || list[1].Unsaved {
			t.Errorf("marked: %t, %t", last.Unsaved, list[1].Unsaved)
		}
		poll(t, "it is still said", func() bool { return p.health().Status == "degraded" })
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		poll(t, "it is over by itself", func() bool { return p.health().Status == "ok" })
		s.turn("what now?")
		want = append(want, "user: what now?", "assistant: And now there is room.")
		if got := spoken(p.messages(s.id)); !slices.Equal(got, want) {
			t.Errorf("with room again %q", got)
		}
		p.end()
		p.again()
		if got := spoken(p.messages(s.id)); !slices.Equal(got, want) {
			t.Errorf("after another restart %q", got)
		}
		poll(t, "nothing is wrong", func() bool { return len(call[diagnostics.Problems](p.watcher, "app.problems", m{}).Problems) == 0 })
	})
}

// Parley's own disk is full: no tool runs without a record, every surface reports what is
// not saved, and with room again everything continues automatically.
func TestFullDiskOfParley(t *testing.T) {
	t.Parallel()
	inParallel(t, engines(), func(t *testing.T, engine string) {
		const tools = 24
		var replies []demo.Reply
		for i := range tools {
			replies = append(replies, demo.Use("Bash", m{"command": fmt.Sprint("touch made-", i)}))
		}
		p := start(t, demo.NewRules().
			When(demo.Contains("make"), append(replies, demo.Say("Made."))...).
			When(demo.Any, demo.Say("Done.")))
		p.end()
		disk := p.path("data")
		kept := p.path("kept")
		if err := os.Rename(disk, kept); err != nil {
			t.Fatal(err)
		}
		smallDisk(t, disk, "24m")
		p.full = true
		if out, err := exec.Command("cp", "-a", kept+"/.", disk).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.again()
		s := p.openWith(m{"engine": engine})
		s.turn("hello")
		turn := s.prompt("make it")
		q := s.question()
		filler := disk + "/filler"
		fill(t, filler)
		began := time.Now()
		// Some records still fit into the disk blocks of the log's file.
		allowed := 0
		for ; allowed < tools; allowed++ {
			if _, err := s.c.try("permission.respond", m{"requestId": q.RequestID, "behavior": "allow"}); err != nil {
				t.Log(err)
				break
			}
			q = s.question()
		}
		poll(t, "a full disk is said", func() bool { return p.health().Status == "degraded" })
		noteTime(t, "saying it", time.Since(began), 5*time.Second)
		page := call[audit.AuditPage](s.c, "audit.list", m{"sessionId": s.id, "outcome": "allow", "limit": 100})
		if len(page.Records) != allowed || s.exists(fmt.Sprint("made-", allowed)) || allowed == tools {
			t.Errorf("%d tools were allowed, of %d is a record", allowed, len(page.Records))
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		poll(t, "it is over by itself", func() bool {
			status := p.health().Status
			return status == "ok" && len(call[diagnostics.Problems](s.c, "app.problems", m{}).Problems) == 0
		})
		for i := allowed; i < tools; i++ {
			if !s.c.respond(q, m{"behavior": "allow"}) {
				t.Error("the question is gone")
			}
			if i+1 < tools {
				q = s.question()
			}
		}
		s.done(turn, "completed")
		if !s.exists(fmt.Sprint("made-", tools-1)) {
			t.Error("the last tool did not run")
		}
		if report := call[audit.AuditReport](s.c, "audit.verify", m{}); !report.OK {
			t.Errorf("%+v", report)
		}
		p.end() // before its disk goes
	})
}
