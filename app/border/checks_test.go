//go:build linux

package border

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/sessions"
	"parley/backend/claude/transcript"
	"parley/backend/event"
)

// finish checks the invariants at the end of every test.
func (p *parley) finish() {
	p.mu.Lock()
	lost := p.lost
	p.mu.Unlock()
	select {
	case <-p.exited:
	default:
		if !p.t.Failed() {
			p.checkSessions()
			p.end()
		}
	}
	if p.t.Failed() {
		p.t.Logf("log of Parley:\n%s", p.stderr)
		return
	}
	p.checkEvents()
	p.checkLog()
	if !lost {
		if left, err := os.ReadDir(p.path("tmp")); err != nil || len(left) > 0 {
			p.t.Errorf("Parley left behind in the folder for temporary files: %v (%v)", left, err)
		}
	}
}

const (
	// endLimit bounds Parley's shutdown, sessionsLimit the part for its CLIs,
	// clientsLimit its clients' time for that; the latter two
	// less the delay until the test notices on a busy machine.
	endLimit      = 4 * time.Second
	sessionsLimit = 3 * time.Second
	clientsLimit  = 2500 * time.Millisecond
)

// end ends Parley as a service manager would.
func (p *parley) end() {
	took := p.terminate()
	noteTime(p.t, "the end", took, endLimit)
	// If no time is left, Parley says so, and its relays end the rest.
	late := strings.Contains(p.stderr.String(), "parley: "+context.DeadlineExceeded.Error()+"\n")
	if code := p.cmd.ProcessState.ExitCode(); (code != 0) != late || late && took < sessionsLimit {
		p.t.Errorf("exit code %d after %v; log:\n%s", code, took, p.stderr)
	}
	if len(p.rest) > 0 {
		p.t.Errorf("more than one line on standard output: %.300q", p.rest)
	}
	p.nothingLeft()
}

// checkSessions compares the methods' results about each session with its events.
func (p *parley) checkSessions() {
	p.mu.Lock()
	turns := make([]string, 0, len(p.accepted))
	for turn := range p.accepted {
		turns = append(turns, turn)
	}
	p.mu.Unlock()
	sessions := call[sessions.SessionList](p.watcher, "session.list", m{}).Sessions
	waits := map[string]bool{}
	for _, s := range sessions {
		held(s, waits)
	}
	for _, turn := range turns {
		if waits[turn] {
			continue
		}
		if _, err := p.watcher.find(func(s seen) bool {
			d, ok := s.Event.(*event.Done)
			return ok && d.TurnID == turn
		}); err != nil {
			p.t.Errorf("turn %s has no end: %v", turn, err)
			return
		}
	}
	for _, s := range sessions {
		p.checkSession(s.ID)
	}
}

// held notes the turns of prompts on hold, which only a user can send: they have not
// ended.
func held(s event.Session, turns map[string]bool) {
	for _, q := range s.Queued {
		if q.State == "held" || q.State == "failed" || q.State == "unknown" {
			turns[q.TurnID] = true
		}
	}
}

// keptBytes is how much of a conversation is certainly kept.
const keptBytes = 16 << 20

func (p *parley) checkSession(id string) {
	p.t.Helper()
	record := call[event.Session](p.watcher, "session.get", m{"sessionId": id})
	page := call[event.History](p.watcher, "session.history", m{"sessionId": id, "limit": 3})
	messages, first := page.Messages, page
	wasClosed := slices.ContainsFunc(p.watcher.all(), func(e seen) bool {
		state, ok := e.Event.(*event.State)
		return ok && state.SessionID == id && state.Session.State == "closed"
	})
	// Earlier turns, and turns elsewhere, are in the history and not in
	// the events; their number shows only on the way.
	past := wasClosed || len(p.before) > 0 || record.ID == record.CLISessionID || record.ForkedFrom != nil || len(record.PreviousCLISessionIDs) > 0
	for page.HasMore {
		page = call[event.History](p.watcher, "session.history", m{"sessionId": id, "limit": 3, "before": page.Before})
		if len(page.Messages) == 0 || page.Total != first.Total && !past {
			p.t.Fatalf("an older page of the history: %+v", page)
		}
		messages = append(slices.Clone(page.Messages), messages...)
	}
	if page.Before != "" {
		p.t.Errorf("the oldest page has the cursor %q", page.Before)
	}
	// For sessions that run elsewhere, or are or were closed, the CLI's files count.
	if past && !p.watcher.knows(id) || p.shared || wasClosed {
		return
	}
	if first.Seq > 0 {
		_, err := p.watcher.find(func(s seen) bool {
			return s.Header().SessionID == id && s.Header().Seq == first.Seq
		})
		if err != nil {
			p.t.Fatalf("event %d, which the history includes, did not come: %v", first.Seq, err)
		}
	}
	log := transcript.NewLog(10_000, 1<<30)
	var last *event.State
	size := 0
	for _, s := range p.watcher.all() {
		if s.Header().SessionID != id || s.Header().Seq > first.Seq {
			continue
		}
		log.Apply(s.Event)
		size += len(s.raw)
		if state, ok := s.Event.(*event.State); ok {
			last = state
		}
	}
	want := log.Page(10_000, "")
	if past && len(want.Messages) <= len(messages) {
		messages = messages[len(messages)-len(want.Messages):]
	} else if first.Total != want.Total {
		p.t.Errorf("a history of %d messages, the events make %d", first.Total, want.Total)
	}
	if n := len(want.Messages) - len(messages); n > 0 && size > keptBytes {
		want.Messages = want.Messages[n:]
	}
	if diff := cmp.Diff(plain(p.t, want.Messages), plain(p.t, messages)); diff != "" {
		p.t.Errorf("the history differs from what the events add up to (-events +history):\n%s", diff)
	}
	if last == nil {
		return
	}
	// Fields that change with every event have no separate state event.
	got := last.Session
	got.ListState = record.ListState
	got.LastSeq, got.LastActivityAt = record.LastSeq, record.LastActivityAt
	if diff := cmp.Diff(plain(p.t, record), plain(p.t, got)); diff != "" && record.LastSeq == first.Seq {
		p.t.Errorf("the last state differs from the record (-record +state):\n%s", diff)
	}
}

// plain is v as JSON readers see it.
func plain(t testing.TB, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkLog searches the log for what it must not contain.
func (p *parley) checkLog() {
	log := p.stderr.String()
	if p.tampered {
		log = regexp.MustCompile(`level=ERROR msg="(Audit log was modified|Couldn't write the audit log)`).ReplaceAllString(log, "")
	}
	if p.full {
		log = regexp.MustCompile(`level=ERROR [^\n]*no space left on device`).ReplaceAllString(log, "")
	}
	for _, bad := range []string{"level=ERROR", "panic", "DATA RACE", "goroutine "} {
		if strings.Contains(log, bad) {
			p.t.Errorf("%q in the log:\n%s", bad, log)
		}
	}
	for _, secret := range p.secrets {
		if strings.Contains(log, secret) {
			p.t.Errorf("a secret in the log:\n%s", log)
		}
		for _, s := range p.watcher.all() {
			if strings.Contains(string(s.raw), secret) {
				p.t.Errorf("a secret in the event %s: %s", s.name, s.raw)
			}
		}
	}
}

// checkEvents checks the events of every session.
func (p *parley) checkEvents() {
	sessions := map[string]*account{}
	last := map[string]event.Session{}
	for _, s := range p.watcher.all() {
		if state, ok := s.Event.(*event.State); ok {
			last[state.SessionID] = state.Session
		}
		if e, ok := s.Event.(*event.Error); ok && e.Code == "intruder" && !p.meddled {
			p.t.Errorf("a false alarm: %s", e.Message)
		}
		if _, global := s.Event.(event.Global); global {
			continue
		}
		id := s.Header().SessionID
		if sessions[id] == nil {
			sessions[id] = newAccount(p.t)
			if len(p.before) > 0 {
				// It continues where the previous Parley ended.
				sessions[id].seq = s.Header().Seq - 1
			}
		}
		sessions[id].add(s)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	done := map[string]int{}
	for _, a := range sessions {
		for turn, n := range a.done {
			done[turn] += n
			if !p.accepted[turn] && !a.own[turn] && !p.earlier[turn] && !p.strange {
				p.t.Errorf("done for turn %s, which nobody began", turn)
			}
		}
		if !p.lost && !p.late {
			a.close()
		}
	}
	waits := map[string]bool{}
	for _, s := range last {
		held(s, waits)
	}
	for turn := range p.accepted {
		if n := done[turn]; n != 1 && !(n == 0 && (waits[turn] || p.late)) && !p.lost {
			p.t.Errorf("%d done for turn %s, which waits: %v", n, turn, waits[turn])
		}
	}
}
