package library_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

func full() error {
	return fault.New(fault.Unavailable, "The disk is full.")
}

func pending(order int64, id string, images ...string) session.AcceptedPrompt {
	p := session.AcceptedPrompt{TurnID: "turn-" + id, Order: order}
	p.ID, p.Text = id, "text of "+id
	for _, image := range images {
		p.Images = append(p.Images, wire.Image{MediaType: "image/png", Data: []byte(image)})
		p.Attachments = append(p.Attachments, event.Attachment{Name: image + ".png", MediaType: "image/png"})
	}
	return p
}

// Saved states are collected; important changes are written at once.
func TestSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.create("/p")
		synctest.Wait()
		time.Sleep(time.Second)
		before := r.records.count()
		for i := range 50 {
			r.live.set(id, func(s *session.Snapshot) { s.LastSeq = uint64(i) })
		}
		synctest.Wait()
		if n := r.records.count(); n != before {
			t.Errorf("%d writes at once", n-before)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if n := r.records.count(); n != before+1 || r.records.session(id).LastSeq != 49 {
			t.Errorf("%d writes, %+v", n-before, r.records.session(id))
		}
		r.live.set(id, func(s *session.Snapshot) { s.State, s.Turn = session.Running, "t1" })
		synctest.Wait()
		if s := r.records.session(id); s.State != "running" || s.InterruptedTurn != "t1" {
			t.Errorf("not written at once: %+v", s)
		}
		r.end()
	})
}

// A failed write is kept in memory, logged once, and retried.
func TestSaveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		id := r.create("/p")
		r.records.fail(full())
		for i := range 20 {
			r.live.set(id, func(s *session.Snapshot) {
				s.LastSeq, s.State = uint64(i), session.State([]string{"idle", "running"}[i%2])
			})
			time.Sleep(5 * time.Second)
		}
		if err := r.l.Unwritten(); fault.MessageOf(err) != "The disk is full." {
			t.Errorf("unwritten: %v", err)
		}
		if n := strings.Count(r.logged.String(), "level=ERROR"); n != 1 {
			t.Errorf("said %d times:\n%s", n, r.logged)
		}
		r.records.fail(nil)
		r.l.Retry() // no need to wait if there is space again
		if s := r.records.session(id); s.LastSeq != 19 || r.l.Unwritten() != nil {
			t.Errorf("after the retry %+v, unwritten: %v", s, r.l.Unwritten())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := r.records.session(id); s.LastSeq != 19 || r.l.Unwritten() != nil {
			t.Errorf("%+v, unwritten: %v", s, r.l.Unwritten())
		}
		r.end()
	})
}

// A prompt counts once it is on disk.
func TestKeep(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	if err := r.l.Keep(id, pending(2, "b", "image")); err != nil {
		t.Fatal(err)
	}
	if err := r.l.Keep(id, pending(1, "a")); err != nil {
		t.Fatal(err)
	}
	r.records.fail(full())
	if err := r.l.Keep(id, pending(3, "c")); fault.CodeOf(err) != fault.Unavailable || fault.MessageOf(err) != "The disk is full." {
		t.Error(err)
	}
	r.records.fail(nil)
	r.crash()
	r.start()
	s := r.get(id)
	want(t, "queue", s.Queued, []event.QueuedPrompt{
		{PromptID: "a", TurnID: "turn-a", Text: "text of a", State: "held"},
		{PromptID: "b", TurnID: "turn-b", Text: "text of b", State: "held",
			Attachments: []event.Attachment{{Name: "image.png", MediaType: "image/png", Bytes: 5}}},
	})
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	waiting := r.live.waiting(id)
	if len(waiting) != 2 || string(waiting[1].Images[0].Data) != "image" || waiting[1].Attachments[0].Name != "image.png" || waiting[1].Order != 2 {
		t.Errorf("%+v", waiting)
	}
	r.l.Release(id, "a")
	r.restart()
	if q := r.get(id).Queued; len(q) != 1 || q[0].PromptID != "b" {
		t.Errorf("%+v", q)
	}
}

// A prompt that overtakes others gets a new position and leaves the old one.
func TestKeepElsewhere(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	for _, p := range []session.AcceptedPrompt{pending(5, "a"), pending(6, "b"), pending(4, "b")} {
		if err := r.l.Keep(id, p); err != nil {
			t.Fatal(err)
		}
	}
	r.restart()
	if q := r.get(id).Queued; len(q) != 2 || q[0].PromptID != "b" {
		t.Errorf("%+v", q)
	}
}

// A turn that was running is interrupted, until one succeeds.
func TestInterrupted(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.State, s.Turn, s.Begun = session.Running, "t1", true })
	r.writeIn("-p", "cli-"+id, "one")
	r.restart()
	if s := r.get(id); s.State != "idle" || !s.Interrupted {
		t.Errorf("%+v", s)
	}
	page, err := r.l.History(t.Context(), id, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "history", ids(page.Messages), []string{"one", "msg-one", "notice:interrupted:t1"})
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	page, err = r.l.History(t.Context(), id, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "live history", ids(page.Messages), []string{"one", "msg-one", "notice:interrupted:t1"})
	for _, tt := range []struct {
		reason string
		still  bool
	}{{"interrupted", true}, {"closed", true}, {"completed", false}} {
		e := &event.Done{Reason: tt.reason}
		e.SessionID = id
		r.l.Publish(e)
		if s := r.get(id); s.Interrupted != tt.still {
			t.Errorf("after %s: %v", tt.reason, s.Interrupted)
		}
	}
	r.restart()
	if s := r.get(id); s.Interrupted || s.State != "idle" {
		t.Errorf("%+v", s)
	}
}

// Event numbers never decrease, whatever was written last.
func TestNumbersAfterACrash(t *testing.T) {
	for _, state := range []session.State{session.Idle, session.Running, session.Failed} {
		r := newRig(t)
		id := r.create("/p")
		r.live.set(id, func(s *session.Snapshot) { s.State, s.LastSeq = state, 10 })
		if err := r.l.Keep(id, pending(1, "p")); err != nil { // writes the record, too
			t.Fatal(err)
		}
		r.crashAfter(func() {
			// A long answer, during which the session saves nothing.
			r.live.set(id, func(s *session.Snapshot) { s.LastSeq = 250_000 })
		})
		r.start()
		if s := r.get(id); s.LastSeq < 250_000 {
			t.Errorf("%s: event %d comes a second time", state, s.LastSeq+1)
		}
	}
}

// crashAfter crashes without writing the last changes.
func (r *rig) crashAfter(do func()) {
	snapshot := r.records.clone()
	do()
	r.end()
	r.records = snapshot
}

// Prompts that the CLI took up before the end aren't sent again.
func TestSentPrompts(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	for i, name := range []string{"taken", "lost", "waits"} {
		p := pending(int64(i), name)
		if name != "waits" {
			p.Phase = session.Handed
		}
		if err := r.l.Keep(id, p); err != nil {
			t.Fatal(err)
		}
	}
	r.writeIn("-p", "cli-"+id, "zero", "turn-taken", "next")
	r.restart()
	held := []string{}
	for _, q := range r.get(id).Queued {
		held = append(held, q.PromptID+" "+q.State)
	}
	// The catalog hasn't scanned yet when the library starts.
	want(t, "held", held, []string{"lost unknown", "waits held"})
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if w := r.live.waiting(id); len(w) != 2 || w[0].ID != "lost" || w[0].Phase != session.Unknown {
		t.Errorf("%+v", w)
	}
}

// A prompt with a lost attachment is shown and names what is missing.
func TestLostAttachment(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	if err := r.l.Keep(id, pending(1, "a", "image")); err != nil {
		t.Fatal(err)
	}
	if err := r.l.Keep(id, pending(2, "b")); err != nil {
		t.Fatal(err)
	}
	r.blobs.files = map[string][]byte{}
	r.restart()
	if q := r.get(id).Queued; len(q) != 2 || len(q[0].Attachments) != 1 {
		t.Errorf("%+v", q)
	}
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"", "a"} {
		err := r.l.CheckQueue(id, prompt)
		if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "image.png") {
			t.Errorf("%q: %v", prompt, err)
		}
	}
	if err := r.l.CheckQueue(id, "b"); err != nil {
		t.Error(err)
	}
	// After an edit it is sent without.
	if err := r.l.Keep(id, pending(1, "a")); err != nil {
		t.Fatal(err)
	}
	if err := r.l.CheckQueue(id, ""); err != nil {
		t.Error(err)
	}
}

// Referenced blobs aren't swept.
func TestSweep(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	if err := r.l.Keep(id, pending(1, "a", "in a prompt")); err != nil {
		t.Fatal(err)
	}
	if err := r.l.SetDraft(id, "", &[]library.Attachment{{Name: "x", MediaType: "image/png", Data: []byte("in a draft")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.blobs.Put([]byte("nobody's")); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if n := len(r.blobs.files); n != 2 {
		t.Errorf("%d files", n)
	}
}

// Many sessions saving at once lose nothing.
func TestManySpeak(t *testing.T) {
	r := newRig(t)
	var list []string
	for range 30 {
		list = append(list, r.create("/p"))
	}
	done := make(chan struct{})
	for n, id := range list {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range 50 {
				r.live.set(id, func(s *session.Snapshot) { s.LastSeq = uint64(i + n) })
				if i%10 == 0 {
					if err := r.l.Keep(id, pending(int64(i), fmt.Sprint(i))); err != nil {
						t.Error(err)
					}
				}
				if i%10 == 5 {
					r.l.Release(id, fmt.Sprint(i-5))
				}
				if _, err := r.l.Pin(t.Context(), id, i%2 == 0); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range list {
		<-done
	}
	r.restart()
	for n, id := range list {
		if s := r.get(id); s.LastSeq < uint64(49+n) || s.Pinned || len(s.Queued) != 0 {
			t.Errorf("%s: %+v", id, s)
		}
	}
}

// A new session that can't be stored is removed.
func TestCreateFails(t *testing.T) {
	r := newRig(t)
	r.records.fail(full())
	_, err := r.l.Create(t.Context(), session.CreateParams{CWD: "/p"}, library.Source{})
	if fault.MessageOf(err) != "The disk is full." || r.live.Live("s1") {
		t.Error(err)
	}
	want(t, "list", r.list(library.Filter{}), []string{})
	r.records.fail(nil)
	r.restart()
	want(t, "list", r.list(library.Filter{}), []string{})
}

func TestStoreUnreadable(t *testing.T) {
	_, err := library.New(library.Config{Records: unreadable{newFakeRecords()}, Root: func(bool) string { return filepath.Join("no", "where") }})
	if !errors.Is(err, errUnreadable) {
		t.Error(err)
	}
}

var errUnreadable = errors.New("cannot be read")

type unreadable struct{ *fakeRecords }

func (unreadable) Sessions() ([]model.Session, error) { return nil, errUnreadable }
