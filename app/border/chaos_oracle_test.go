//go:build linux

package border

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/app/audit"
	"parley/app/diagnostics"
	"parley/app/heartbeats"
	"parley/app/memory"
	"parley/app/rooms"
	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/platform/atomicfile"
)

// tokens matches the unique texts.
var tokens = regexp.MustCompile(`tok-\d+-[a-z]+`)

// settle waits until everything has ended.
func (w *chaos) settle() {
	c, answer := w.p.watcher, w.answer()
	for _, id := range w.sessions {
		call[m](c, "session.sendQueued", m{"sessionId": id})
	}
	poll(w.t, "everything is done", func() bool {
		if err := answer(c); err != nil {
			w.t.Fatal(err)
		}
		done := true
		for _, id := range w.sessions {
			s := w.p.session(id)
			for _, q := range s.Queued {
				// A denied turn or a killed CLI may have left it there.
				if q.State != "unknown" {
					done = false
					if _, err := w.try(c, "session.sendQueued", m{"sessionId": id, "promptId": q.PromptID}); err != nil {
						w.t.Fatal(err)
					}
				}
			}
			if s.State == "waiting" { // a question that is deliberately not answered
				call[m](c, "session.interrupt", m{"sessionId": id})
			}
			done = done && (s.State == "idle" || s.State == "failed")
		}
		return done && len(w.p.running("--input-format=stream-json")) <= len(w.sessions)
	})
}

// check reports violations of the invariants, whenever Parley was killed.
func (w *chaos) check(when string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, wrong := w.p.watcher, func(format string, args ...any) {
		w.t.Helper()
		w.t.Errorf(when+": "+format, args...)
	}
	// Every prompt exists once.
	waits, stands := map[string]string{}, map[string]int{}
	for _, id := range w.sessions {
		for _, q := range call[event.Session](c, "session.get", m{"sessionId": id}).Queued {
			if waits[q.PromptID] != "" {
				wrong("%s waits twice", q.PromptID)
			}
			waits[q.PromptID] = q.State
			if q.State == "failed" && (q.Why == nil || q.Why.Message == "") {
				wrong("%s waits without a reason", q.PromptID)
			}
		}
		for _, message := range w.messages(id) {
			if message.Role != "user" {
				continue
			}
			for _, token := range tokens.FindAllString(words(message), -1) {
				stands[token]++
			}
		}
	}
	ran := map[string]int{}
	if raw, err := os.ReadFile(w.p.path("ran")); err == nil {
		for _, token := range strings.Fields(string(raw)) {
			ran[token]++
		}
	}
	for token, s := range w.prompts {
		there := stands[token]
		if waits[token] != "" {
			there++
		}
		state := waits[token]
		wrong := func(format string, args ...any) {
			w.t.Helper()
			wrong(format+"%s", append(args, w.story(token)+w.written(s.session))...)
		}
		switch {
		case there == 0 && s.accepted && !s.dropped:
			wrong("%s was accepted and is gone (given to the model: %v, ran %d)", token, w.given[token], ran[token])
		case there > 1+s.again:
			wrong("%s is there %d times, waiting: %q, sent again by a person: %d", token, there, state, s.again)
		case state != "" && state != "unknown" && w.given[token] && s.again == 0:
			wrong("%s is %s, and the model was given it", token, state)
		case ran[token] > 1+s.again:
			wrong("%s ran %d times", token, ran[token])
		case ran[token] > 0 && !s.allowed:
			wrong("%s ran without leave", token)
		}
	}
	for token := range stands {
		if w.prompts[token] == nil {
			wrong("%s stands in a conversation, and nobody said it", token)
		}
	}
	w.checkKept(c, wrong)
	if report := call[audit.AuditReport](c, "audit.verify", m{}); !report.OK || report.Missing > 0 {
		wrong("the audit log: %+v", report)
	}
	// The next Parley sweeps what the previous one left in the folders.
	poll(w.t, when+": the sweep of temporary files", func() bool {
		left := 0
		_ = filepath.WalkDir(w.p.path("data"), func(path string, _ os.DirEntry, _ error) error {
			if strings.HasPrefix(filepath.Base(path), atomicfile.Unfinished) {
				left++
			}
			return nil
		})
		dirs, err := os.ReadDir(w.p.path("tmp"))
		return err == nil && len(dirs) <= 1 && left == 0
	})
}

// checkKept checks everything but conversations.
func (w *chaos) checkKept(c *client, wrong func(string, ...any)) {
	said := map[string]int{}
	for before, more := uint64(0), true; more; {
		params := m{"roomId": w.room, "limit": 200}
		if before > 0 {
			params["before"] = before
		}
		page := call[rooms.RoomMessages](c, "room.messages", params)
		for _, message := range page.Messages {
			for _, token := range tokens.FindAllString(message.Text, -1) {
				said[token]++
			}
		}
		if more = page.More && len(page.Messages) > 0; more {
			before = page.Messages[0].Seq
		}
	}
	remembered := map[string]int{}
	for offset := 0; ; {
		found := call[memory.MemoryFound](c, "memory.search", m{"limit": 200, "offset": offset})
		for _, one := range found.Memories {
			remembered[one.Text]++
		}
		if offset += len(found.Memories); len(found.Memories) == 0 || offset >= found.Total {
			break
		}
	}
	for what, list := range map[string]struct {
		asked map[string]bool
		got   map[string]int
	}{"message of the room": {w.rooms, said}, "memory": {w.memory, remembered}} {
		for token, kept := range list.asked {
			if n := list.got[token]; n > 1 || n == 0 && kept {
				wrong("the %s %s is there %d times", what, token, n)
			}
		}
	}
	fits := func(what, got string, l *latest) {
		if got != l.kept && !slices.Contains(l.maybe, got) {
			wrong("%s is %q, was %q and may be one of %q", what, got, l.kept, l.maybe)
		}
		l.kept, l.maybe = got, nil
	}
	for id, l := range w.drafts {
		fits("a draft", call[sessions.Draft](c, "draft.get", m{"sessionId": id}).Text, l)
	}
	fits("a setting", strconv.Itoa(call[diagnostics.Info](c, "app.info", m{}).Settings.SuspendMinutes), &w.setting)
	if h := call[heartbeats.Heartbeat](c, "heartbeat.get", m{"name": "beat"}); !h.Enabled || h.State == "stopped" {
		wrong("the heartbeat was switched off: %+v", h)
	}
}

// story lists the events that clients got about a prompt.
func (w *chaos) story(token string) string {
	var b strings.Builder
	session, turns := w.prompts[token].session, map[string]bool{}
	for life, c := range w.p.before {
		before, has := "", false
		for _, e := range c.all() {
			if e.Header().SessionID != session || e.Header().TurnID == "" && e.name != "session.state" && e.name != "session.closed" {
				continue
			}
			raw := string(e.raw)
			if state, is := e.Event.(*event.State); is {
				raw = state.Session.State
				for _, q := range state.Session.Queued {
					if q.PromptID == token {
						raw += " waits: " + q.State + " " + q.TurnID
						turns[q.TurnID], has = true, true
					}
				}
			}
			if strings.Contains(raw, token) {
				turns[e.Header().TurnID] = true
			}
			if turns[e.Header().TurnID] || has && raw != before || e.name == "session.closed" {
				fmt.Fprintf(&b, "\n  life %d %s %s %.300s", life, e.at.Format("05.000"), e.name, raw)
			}
			before = raw
		}
	}
	return b.String()
}

// messages reads a whole conversation.
func (w *chaos) messages(id string) []event.Message {
	var list []event.Message
	before := ""
	for {
		page := call[event.History](w.p.watcher, "session.history", m{"sessionId": id, "limit": 200, "before": before})
		list = append(page.Messages, list...)
		if !page.HasMore {
			return list
		}
		before = page.Before
	}
}
