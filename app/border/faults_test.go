//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/app/diagnostics"
	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// The CLI no longer knows a conversation, because its file was deleted: the user is
// notified, the prompt waits until they clear it, and the old messages stay
// readable as long as they exist anywhere.
func TestConversationIsGone(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("aubergine"), demo.Say("Aubergine it is.")).
			When(demo.Any, demo.Say("Which aubergine?")))
		s := p.openWith(m{"engine": engine, "title": "Vegetables"})
		s.turn("remember the aubergine")
		first := s.record().CLISessionID
		call[event.Session](s.c, "session.suspend", m{"sessionId": s.id})
		if err := os.Remove(p.transcript(first)); err != nil {
			t.Fatal(err)
		}
		turn := s.prompt("which vegetable?")
		await(s.c, s.id, "an error", func(e *event.Error) bool { return e.Code == "conversation_gone" })
		if r := s.record(); r.State != "failed" || len(r.Queued) != 1 || r.Queued[0].State != "held" || r.CLISessionID != first {
			t.Errorf("before anybody decided: %+v", r)
		}
		call[event.Session](s.c, "session.clearContext", m{"sessionId": s.id})
		s.done(turn, "completed")
		r := s.record()
		if r.CLISessionID == first || !slices.Contains(r.PreviousCLISessionIDs, first) || r.State != "idle" || r.Error != nil || r.Title != "Vegetables" {
			t.Errorf("afterwards %+v", r)
		}
		if heard := wholeText(p.lastRequest()); strings.Contains(heard, "aubergine") {
			t.Errorf("the model remembers: %q", heard)
		}
		if got := spoken(p.messages(s.id)); !slices.Contains(got, "user: remember the aubergine") || got[len(got)-1] != "assistant: Which aubergine?" {
			t.Errorf("what can be read: %q", got)
		}

		// The next Parley finds it under its new id, and the old one leaves
		// nothing behind.
		p.end()
		p.again()
		again := p.resume(s)
		if r := again.record(); r.CLISessionID == first || r.Title != "Vegetables" {
			t.Errorf("after the restart %+v", r)
		}
		if got := again.turn("and now?"); got != "Which aubergine?" || !strings.Contains(wholeText(p.lastRequest()), "which vegetable?") {
			t.Errorf("said %q", got)
		}
	})
}

// The folder of a conversation is gone when Parley restarts: the user is told
// which, and when it is back the conversation continues with its history.
func TestFolderOfAConversationIsGone(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	dir := p.path("project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.openWith(m{"cwd": dir})
	s.turn("remember the aubergine")
	p.end()
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	p.again()
	s = p.resume(s)
	if got := spoken(p.messages(s.id)); len(got) != 2 {
		t.Errorf("what can be read: %q", got)
	}
	poll(t, "the workspace is known to be gone", func() bool {
		list := call[sessions.WorkspaceList](s.c, "workspace.list", m{}).Workspaces
		i := slices.IndexFunc(list, func(w sessions.Workspace) bool { return w.Path == dir })
		return i >= 0 && list[i].Folder == "gone"
	})
	s.done(s.prompt("which vegetable?"), "failed")
	e := await(s.c, s.id, "error", func(*event.Error) bool { return true })
	if e.Code != "not_found" || !strings.Contains(e.Message, dir) || e.Hint == "" {
		t.Errorf("error %+v", e)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	s.turn("which vegetable now?")
	if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the aubergine") {
		t.Errorf("the model heard %q", heard)
	}
}

// The store is damaged: Parley starts and reports it, and every conversation is recovered
// from the CLI's files and continues.
func TestStoreIsDamaged(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	conversations := map[string]string{}
	for _, fruit := range []string{"apple", "banana", "cherry"} {
		s := p.open()
		s.turn("remember the " + fruit)
		conversations[fruit] = s.record().CLISessionID
	}
	p.end()
	whole, err := os.ReadFile(p.path("data/parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut":     whole[:20<<10],
		"emptied": nil,
		"rubbish": []byte(strings.Repeat("rubbish ", len(whole)/8)),
	} {
		if err := os.WriteFile(p.path("data/parley.db"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		p.again()
		if problems := call[diagnostics.Info](p.watcher, "app.info", m{}).Problems; len(problems) == 0 && name != "emptied" {
			t.Errorf("%s: nothing is said of the damage", name)
		} else {
			t.Logf("%s: %+v", name, problems)
		}
		var list []event.Session
		poll(t, "all conversations are found", func() bool {
			list = p.sessions(m{})
			return len(list) == len(conversations)
		})
		for fruit, id := range conversations {
			i := slices.IndexFunc(list, func(s event.Session) bool { return s.CLISessionID == id })
			if i < 0 {
				t.Errorf("%s: %s is not there: %+v", name, fruit, list)
				continue
			}
			// One of them continued after the previous damage.
			got := spoken(p.messages(list[i].ID))
			if want := []string{"user: remember the " + fruit, "assistant: Noted."}; len(got) < 2 || !slices.Equal(got[:2], want) {
				t.Errorf("%s: %s: %q", name, fruit, got)
			}
		}
		s := &conversation{p: p, c: p.watcher, id: list[0].ID, dir: p.path("work")}
		s.turn("which one?")
		if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the ") {
			t.Errorf("%s: the model heard %q", name, heard)
		}
		p.end()
	}
}

// onSmallDisk is a command that gives Parley a data folder on a separate disk with
// this many bytes. It needs no privileges, but a system that allows user namespaces.
func onSmallDisk(t *testing.T, p *parley, size int) []string {
	t.Helper()
	within := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mount -t tmpfs -o size=` + fmt.Sprint(size) + ` tmpfs "$0" && exec "$@"`, p.path("data")}
	if out, err := exec.Command(within[0], append(within[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this system gives nobody a disk of their own: %v: %s", err, out)
	}
	return within
}

// The disk is full: writes fail with an error, existing data stays
// readable, and with room again everything continues.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	p.end()
	p.againWith(setup{within: onSmallDisk(t, p, 24<<20)})
	s := p.open()
	s.turn("remember the aubergine")
	filler := fmt.Sprintf("/proc/%d/root%s/filler", p.pid, p.path("data"))
	fill(t, filler)

	_, err := s.c.try("session.prompt", m{"sessionId": s.id, "text": strings.Repeat("much ", 1<<18), "delivery": "queue"})
	if err == nil {
		t.Error("a prompt is accepted that cannot be kept")
	} else {
		t.Log(err)
	}
	if got := spoken(p.messages(s.id)); len(got) < 2 {
		t.Errorf("what can be read: %q", got)
	}
	if n := len(p.sessions(m{})); n != 1 {
		t.Errorf("%d sessions", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if got := s.turn("which vegetable?"); got != "Noted." || !strings.Contains(wholeText(p.lastRequest()), "aubergine") {
		t.Errorf("said %q", got)
	}
	call[m](s.c, "draft.set", m{"sessionId": s.id, "text": "kept again"})
	poll(t, "no problem is left", func() bool { return len(call[diagnostics.Info](s.c, "app.info", m{}).Problems) == 0 })
}

// fill writes until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// line is a line of the CLI's files, with the fields that Parley reads.
func line(session, parent, role, text string) string {
	id := uuid.NewString()
	message := m{"role": role, "content": text}
	if role == "assistant" {
		message = m{"role": role, "id": "msg_" + id, "type": "message", "model": "claude-test", "content": []m{{"type": "text", "text": text}},
			"stop_reason": "end_turn", "usage": m{"input_tokens": 1, "output_tokens": 1}}
	}
	b, err := json.Marshal(m{"type": role, "uuid": id, "parentUuid": parent, "sessionId": session, "isSidechain": false, "userType": "external",
		"cwd": "/", "version": "2.1.329", "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "message": message})
	if err != nil {
		panic(err) // of strings and numbers alone
	}
	return string(b) + "\n"
}

// A conversation's file is cut in the middle of a line, as by a crash, and has a line
// of 100 MB: the rest is readable, the partial line is waited for, and Parley's memory
// stays small.
func TestOddTranscripts(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Noted.")))
	s := p.open()
	s.turn("remember the aubergine")
	id := s.record().CLISessionID
	p.end()
	file, err := os.OpenFile(p.transcript(id), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	add := func(text string) {
		t.Helper()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	// A tool output of 100 MB, and an incomplete line.
	add(line(id, "", "user", "and the long one: "+strings.Repeat("x", 100<<20)))
	add(line(id, "", "assistant", "That was long."))
	whole := line(id, "", "user", "half a line")
	add(whole[:len(whole)/2])
	p.again()
	before := residentMB(t, p.pid)
	page := call[event.History](p.watcher, "session.history", m{"sessionId": s.id, "limit": 2})
	got := spoken(page.Messages)
	if len(got) == 0 || got[len(got)-1] != "assistant: That was long." {
		t.Errorf("the newest page: %.100q", got)
	}
	for _, text := range spoken(p.messages(s.id)) {
		if len(text) > 4<<20 {
			t.Errorf("a message of %d bytes", len(text))
		}
	}
	if got := spoken(p.messages(s.id)); got[0] != "user: remember the aubergine" {
		t.Errorf("the oldest: %.100q", got)
	}
	add(whole[len(whole)/2:])
	poll(t, "the half line is whole", func() bool {
		got := spoken(call[event.History](p.watcher, "session.history", m{"sessionId": s.id, "limit": 1}).Messages)
		return len(got) == 1 && got[0] == "user: half a line"
	})
	mb := residentMB(t, p.pid)
	t.Logf("Parley has %d MB after the line of 100 MB, %d before", mb, before)
	if mb > 250 && !raceEnabled {
		t.Errorf("Parley has %d MB", mb)
	}
	// If a complete line is cut in the middle, only that line is lost.
	add(`{"type":"user","uuid":"` + uuid.NewString())
	p.end()
	p.again()
	if got := spoken(p.messages(s.id)); len(got) != 5 || got[4] != "user: half a line" {
		t.Errorf("%d messages", len(got))
	}
}
