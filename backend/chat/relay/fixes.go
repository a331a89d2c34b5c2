package relay

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

const (
	// leastFinding is the minimum length of an answer with a finding, in characters;
	// findingPage is how many messages are searched for it.
	leastFinding = 300
	findingPage  = 50
	fixesPrompt  = "(Requested by a setting of this Parley.) Below your findings, add a section “Suggested fixes”: the fixes you would make, best first, each with its location and risk. Change nothing yet."
)

// fixes is in a record's Posts once fixes were requested.
const fixes = ownPrefix + "fixes"

var (
	fenced  = regexp.MustCompile("(?ms)^[ \t]*```.*?(^[ \t]*```|\\z)")
	finds   = regexp.MustCompile(`(?im)^\s*(#{1,6}\s|\*\*)\W*((the\s+)?root\s+cause|cause|what\s+happened|what\s+went\s+wrong|analysis|diagnosis|investigation)\b`)
	trouble = regexp.MustCompile(`(?i)\b(bugs?|errors?|fail(s|ed|ing|ures?)?|crash(es|ed)?|broken|issues?|problems?|because|caused)\b`)
	fixed   = regexp.MustCompile(`(?im)^\s*(#{1,6}\s|\*\*).*\b(fix(es|ed)?|solutions?|remed(y|ies|iation)|recommendations?|next\s+steps)\b`)
)

// lacksFixes reports whether an answer explains a problem under its own heading, without
// one for the fix.
func lacksFixes(text string) bool {
	if utf8.RuneCountInString(text) < leastFinding {
		return false
	}
	text = fenced.ReplaceAllString(text, "")
	return finds.MatchString(text) && trouble.MatchString(text) && !fixed.MatchString(text)
}

// finding is a turn and the author of its prompt.
type finding struct{ turn, by string }

// completed records which of the thread's turns ended, to ask for fixes.
func (t *thread) completed(e *event.Done) {
	if !t.r.cfg.Config().SuggestFixes || e.Reason != "completed" || e.Waits {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.IndexFunc(t.rec.Sent, func(p port.Sent) bool { return p.PromptID == e.PromptID && p.By != "" }); at >= 0 {
		t.finding = finding{e.TurnID, t.rec.Sent[at].By}
	}
}

// suggest asks for fixes, once per thread, if the last turn found a problem and
// proposed no fix, and nobody has written anything since.
func (t *thread) suggest(ctx context.Context) error {
	t.mu.Lock()
	found, rec := t.finding, t.rec
	t.mu.Unlock()
	if found.turn == "" {
		return nil
	}
	done := func() { // unless another one has ended
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.finding == found {
			t.finding = finding{}
		}
	}
	if rec.Posts[fixes] != "" || len(rec.Waiting) > 0 || rec.Paused || rec.SessionID == "" {
		done()
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	h, err := t.r.cfg.Sessions.History(limited, rec.SessionID, findingPage)
	if temporary(err) {
		return err
	}
	if !lacksFixes(answerIn(&h, found.turn)) {
		done()
		return nil
	}
	who, err := t.r.person(limited, found.by)
	if err != nil {
		return err
	}
	id := short(reactPrefix, "fixes", t.id) // it isn't a post
	err = t.change(ctx, func(rec *port.Thread) error {
		if who.ID == "" || rec.Posts[fixes] != "" {
			return errSame
		}
		setPost(rec, fixes, "1")
		rec.Waiting = append(rec.Waiting, port.Message{
			Post: chat.Post{ID: id, ChannelID: t.channel, RootID: t.id, AuthorID: who.ID, Text: fixesPrompt, At: h.Messages[len(h.Messages)-1].At}, By: who,
		})
		return nil
	})
	if err != nil {
		return err
	}
	done()
	t.note(note{key: id, text: fixesSaid})
	return nil
}

// answerIn returns the answer of a turn.
func answerIn(h *event.History, turn string) string {
	var texts []string
	for _, m := range h.Messages {
		if m.Role != "assistant" || m.TurnID != turn {
			continue
		}
		for _, b := range m.Blocks {
			if b.Type == "text" {
				texts = append(texts, b.Text)
			}
		}
	}
	return strings.Join(texts, "\n\n")
}
