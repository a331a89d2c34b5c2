package library_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/event"
	"parley/backend/session"
)

// line returns a user's prompt as the CLI writes it.
func line(parent, id, text string, second int) string {
	return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"timestamp":"2026-01-01T00:00:%02d.000Z","cwd":"/home/person/project","uuid":%q}`+"\n", parent, text, second, id)
}

func (r *rig) add(cli string, lines ...string) {
	r.t.Helper()
	f, err := os.OpenFile(filepath.Join(r.root, "project", cli+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "")); err != nil {
		r.t.Fatal(err)
	}
}

// The messages of an interrupted turn stay in the conversation, marked and exactly once,
// whatever the next CLI makes of it: it continues from before the prompt, its line is gone,
// or what was joined into one line is gone.
func TestCutOff(t *testing.T) {
	said := func(id string) event.Message {
		return event.Message{ID: id, Role: "user", At: 1767225610000, Blocks: []event.Block{{ID: id + ":0", Type: "text", Text: id}}}
	}
	for name, tt := range map[string]struct {
		turn []event.Message
		// lines is what the CLI wrote of it; after is what a later CLI does.
		lines, after string
		cut          string
		kept, then   string
	}{
		"it goes on": {
			[]event.Message{said("lost")}, line("a-turn-1", "lost", "lost", 10), line("lost", "next", "next", 20), "",
			"turn-1 msg-turn-1 lost", "turn-1 msg-turn-1 lost next",
		},
		"another branch": {
			[]event.Message{said("lost")}, line("a-turn-1", "lost", "lost", 10), line("a-turn-1", "next", "next", 20), "",
			"turn-1 msg-turn-1 lost", "turn-1 msg-turn-1 lost! next",
		},
		"the line is gone": {
			[]event.Message{said("lost")}, line("a-turn-1", "lost", "lost", 10), line("a-turn-1", "next", "next", 20), `"lost"`,
			"turn-1 msg-turn-1 lost", "turn-1 msg-turn-1 lost! next",
		},
		"nothing comes after": {
			[]event.Message{said("lost")}, line("a-turn-1", "lost", "lost", 10), "", `"lost"`,
			"turn-1 msg-turn-1 lost", "turn-1 msg-turn-1 lost!",
		},
		"joined": {
			[]event.Message{said("lost"), said("too")}, line("a-turn-1", "too", "lost\ntoo", 10), line("a-turn-1", "next", "next", 20), "",
			"turn-1 msg-turn-1 too", "turn-1 msg-turn-1 lost! too! next",
		},
		"another branch, with what the model began to say": {
			append([]event.Message{said("lost")}, turnOf("lost")[1]), line("a-turn-1", "lost", "lost", 10), line("a-turn-1", "next", "next", 20), "",
			"turn-1 msg-turn-1 lost msg-lost!", "turn-1 msg-turn-1 lost! msg-lost! next",
		},
		"what the model began to say": {
			append([]event.Message{said("lost")}, turnOf("lost")[1]), line("a-turn-1", "lost", "lost", 10), line("lost", "next", "next", 20), "",
			"turn-1 msg-turn-1 lost msg-lost!", "turn-1 msg-turn-1 lost msg-lost! next",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.create("/p")
			r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
			path := r.write("cli-"+id, "turn-1")
			r.add("cli-"+id, tt.lines)
			r.restart()
			r.l.Cut(t.Context(), id, "cli-"+id, "", tt.turn)
			r.restart()
			if got := r.shown(id); got != tt.kept {
				t.Errorf("at first: %s, want %s", got, tt.kept)
			}
			if tt.cut != "" {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var left [][]byte
				for l := range bytes.Lines(raw) {
					if !bytes.Contains(l, []byte(tt.cut)) {
						left = append(left, l)
					}
				}
				if err := os.WriteFile(path, bytes.Join(left, nil), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r.add("cli-"+id, tt.after)
			r.restart()
			for range 2 {
				if got := r.shown(id); got != tt.then {
					t.Errorf("then: %s, want %s", got, tt.then)
				}
				r.restart()
			}
			if err := r.l.Wake(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if got := r.shown(id); got != tt.then {
				t.Errorf("woken: %s, want %s", got, tt.then)
			}
		})
	}
}

// Missing messages are on one page of the conversation, however its pages are split,
// and stay when more is added than is searched.
func TestCutOffOnPages(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	r.write("cli-"+id, "turn-1")
	r.add("cli-"+id, line("a-turn-1", "lost", "lost", 10))
	r.restart()
	r.l.Cut(t.Context(), id, "cli-"+id, "a message that nobody kept", []event.Message{{ID: "lost", Role: "user", At: 1767225610000, Blocks: []event.Block{{Type: "text", Text: "lost"}}}})
	r.restart()
	parent := "a-turn-1"
	more := func(n int) {
		var lines []string
		for i := range n {
			next := fmt.Sprintf("%s-%d", parent, i)
			if i > 0 {
				next = fmt.Sprintf("m%d-%d", n, i)
			}
			lines = append(lines, line(parent, next, "more", 20))
			parent = next
		}
		r.add("cli-"+id, lines...)
	}
	for _, n := range []int{1, 2, 9, 2500} {
		more(n)
		r.restart()
		for _, limit := range []int{1, 2, 3, 7, 200} {
			if n > 9 && limit < 200 {
				continue
			}
			count, before := 0, ""
			for {
				page, err := r.l.History(t.Context(), id, limit, before)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range page.Messages {
					if m.ID == "lost" {
						count++
					}
				}
				if !page.HasMore {
					break
				}
				before = page.Before
			}
			if count != 1 {
				t.Errorf("%d more, by pages of %d: it is there %d times", n, limit, count)
			}
		}
	}
}

// A prompt that waited when Parley was killed, and that the CLI's file had, stays as well.
func TestTakenUpAndLost(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	r.write("cli-"+id, "turn-1")
	if err := r.l.Keep(id, session.AcceptedPrompt{Prompt: session.Prompt{ID: "p", Text: "lost"}, TurnID: "lost", Order: 1, Phase: session.Taken, At: 1767225610000}); err != nil {
		t.Fatal(err)
	}
	r.add("cli-"+id, line("a-turn-1", "lost", "lost", 10))
	r.crash()
	r.start()
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if got := r.shown(id); got != "turn-1 msg-turn-1 lost" || len(r.get(id).Queued) > 0 {
		t.Errorf("at first: %s, waiting %+v", got, r.get(id).Queued)
	}
	r.add("cli-"+id, line("a-turn-1", "next", "next", 20))
	r.restart()
	if got := r.shown(id); got != "turn-1 msg-turn-1 lost! next" {
		t.Errorf("then: %s", got)
	}
}

// queued returns the CLI's records of prompts that waited in its queue and left it together.
func queued(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-01T00:00:11.000Z","content":%q}`+"\n", text)
	}
	for range texts {
		b.WriteString(`{"type":"queue-operation","operation":"dequeue","timestamp":"2026-01-01T00:00:12.000Z"}` + "\n")
	}
	return b.String()
}

// A prompt that the file got only after the check, and after Parley was killed, is in the
// conversation once: by its own line, or by one that it was joined into. A prompt whose text is
// quoted later is still missing.
func TestWrittenAfterTheCheck(t *testing.T) {
	said := func(id string) event.Message {
		return event.Message{ID: id, Role: "user", At: 1767225610000, Blocks: []event.Block{{ID: id + ":0", Type: "text", Text: id}}}
	}
	for name, tt := range map[string]struct {
		turn  []event.Message
		lines string
		want  string
	}{
		"joined":             {[]event.Message{said("lost")}, queued("lost", "too") + line("a-turn-1", "too", "lost\ntoo", 13), "turn-1 msg-turn-1 too"},
		"in the middle":      {[]event.Message{said("lost")}, queued("one", "lost", "too") + line("a-turn-1", "too", "one\nlost\ntoo", 13), "turn-1 msg-turn-1 too"},
		"two of three":       {[]event.Message{said("lost"), said("more")}, queued("more", "lost", "too") + line("a-turn-1", "too", "more\nlost\ntoo", 13), "turn-1 msg-turn-1 too"},
		"one of two":         {[]event.Message{said("lost"), said("more")}, queued("lost", "too") + line("a-turn-1", "too", "lost\ntoo", 13), "turn-1 msg-turn-1 more! too"},
		"its own line":       {[]event.Message{said("lost")}, line("a-turn-1", "lost", "lost", 13), "turn-1 msg-turn-1 lost"},
		"quoted":             {[]event.Message{said("lost")}, line("a-turn-1", "too", "lost\ntoo", 13), "turn-1 msg-turn-1 lost! too"},
		"a part of a line":   {[]event.Message{said("lost")}, queued("lost one", "too") + line("a-turn-1", "too", "lost one\ntoo", 13), "turn-1 msg-turn-1 lost! too"},
		"joined before it":   {[]event.Message{said("lost")}, line("a-turn-1", "too", "lost\ntoo", 1), "turn-1 msg-turn-1 too lost!"},
		"queued, not joined": {[]event.Message{said("lost")}, queued("lost", "too"), "turn-1 msg-turn-1 lost!"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.create("/p")
			r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
			r.write("cli-"+id, "turn-1")
			r.restart()
			r.l.Said(id, "cli-"+id, "a-turn-1", tt.turn)
			r.restart()
			want := "turn-1 msg-turn-1"
			for _, m := range tt.turn {
				want += " " + m.ID + "!"
			}
			if got := r.shown(id); got != want {
				t.Fatalf("at first: %s, want %s", got, want)
			}
			r.add("cli-"+id, tt.lines)
			for range 2 {
				if got := r.shown(id); got != tt.want {
					t.Errorf("then: %s, want %s", got, tt.want)
				}
				r.restart()
			}
			if kept, missing := len(r.records.unsaved[id]), strings.Count(tt.want, "!"); kept != missing && name != "its own line" {
				t.Errorf("%d messages are stored, want %d", kept, missing)
			}
		})
	}
}
