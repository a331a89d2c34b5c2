package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// Handed is a prompt that a CLI was given: its uuid, its text, and when it was
// accepted, in Unix milliseconds.
type Handed struct {
	ID, Text string
	At       int64
}

// Taken returns which of the prompts a conversation's file has, by uuid. The list is in
// the order they were given. A prompt that isn't there may still have run, because the
// CLI writes it shortly after starting it.
//
// Most have a line with their uuid. Those in the CLI's queue may be joined into one line
// with the uuid of the last, which has all their texts. That uuid identifies them, or
// lines of the queue's own, which have the text of additions and the order of removals;
// they aren't in chronological order. Leaving the queue isn't enough: the CLI may have
// died before it wrote the line. A missing file has none.
func Taken(ctx context.Context, path string, handed []Handed) (map[string]bool, error) {
	taken := make(map[string]bool)
	f, err := Open(path).open()
	if fault.CodeOf(err) == fault.NotFound {
		return taken, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var since int64
	for i, h := range handed {
		if i == 0 || h.At < since {
			since = h.At
		}
	}
	var queue cliQueue
	var lines []*told
	_, err = forward(ctx, f, 0, f.size, func(_ span, line []byte) error {
		if bytes.Contains(line, []byte(`"queue-operation"`)) {
			queue.read(line)
			return nil
		}
		own := slices.ContainsFunc(handed, func(h Handed) bool { return bytes.Contains(line, []byte(h.ID)) })
		if !own && len(lines) >= maxQueued {
			return nil
		}
		if t, ok := toldIn(line); ok && (own || t.at >= since) {
			lines = append(lines, t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	queue.follow()
	for _, h := range handed {
		for _, t := range lines {
			if t.id == h.ID {
				taken[h.ID], t.whose = true, true
				t.take(h.Text)
				queue.left(h)
			}
		}
	}
	for _, h := range handed {
		if taken[h.ID] {
			continue
		}
		left := queue.left(h)
		taken[h.ID] = slices.ContainsFunc(lines, func(t *told) bool { return t.at >= h.At && (left || t.whose) && t.take(h.Text) })
	}
	return taken, nil
}

// told is a line with prompts for the model.
type told struct {
	id string
	at int64
	// rest is the text not yet matched to a prompt.
	rest string
	// whose: its uuid is that of one of the prompts in question.
	whose bool
}

// toldIn parses such a line.
func toldIn(line []byte) (*told, bool) {
	if !bytes.Contains(line, []byte(`"user"`)) && !bytes.Contains(line, []byte(`"queued_command"`)) {
		return nil, false
	}
	var l struct {
		Type, UUID, Timestamp string
		Message               struct{ Content json.RawMessage }
		Attachment            struct {
			Type   string
			Source string `json:"source_uuid"`
			Prompt json.RawMessage
		}
	}
	if json.Unmarshal(line, &l) != nil {
		return nil, false
	}
	at, _ := time.Parse(time.RFC3339, l.Timestamp)
	t := &told{id: l.UUID, at: at.UnixMilli()}
	content := l.Message.Content
	switch {
	case l.Type == "user":
	case l.Type == "attachment" && l.Attachment.Type == "queued_command":
		t.id, content = l.Attachment.Source, l.Attachment.Prompt
	default:
		return nil, false
	}
	t.rest = "\n" + textOf(content) + "\n"
	return t, true
}

// textOf returns the text of a message whose content is a text or a list of
// blocks.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Type, Text string }
	_ = json.Unmarshal(content, &blocks) // anything else has no text
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// take reports whether a text is among the unmatched lines, and removes them.
func (t *told) take(text string) bool {
	before, after, found := strings.Cut(t.rest, "\n"+strings.TrimSpace(text)+"\n")
	if found {
		t.rest = before + "\n\x00\n" + after
	}
	return found
}

// cliQueue follows the CLI's queue records.
type cliQueue struct {
	operations   []operation
	waiting, out []operation
}

type operation struct {
	what, text, reason string
	at                 int64
}

// maxQueued bounds what is remembered of a queue.
const maxQueued = 10_000

func (q *cliQueue) read(line []byte) {
	var l struct {
		Type, Operation, Timestamp, Reason string
		Content                            json.RawMessage
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "queue-operation" {
		return
	}
	if len(q.operations) >= maxQueued { // the relevant ones are at the end
		q.operations = slices.Delete(q.operations, 0, maxQueued/2)
	}
	at, _ := time.Parse(time.RFC3339, l.Timestamp)
	var text string
	_ = json.Unmarshal(l.Content, &text) // anything else matches nothing
	q.operations = append(q.operations, operation{l.Operation, text, l.Reason, at.UnixMilli()})
}

// follow applies the records in chronological order.
func (q *cliQueue) follow() {
	slices.SortStableFunc(q.operations, func(a, b operation) int { return cmp.Compare(a.at, b.at) })
	for _, o := range q.operations {
		switch o.what {
		case "enqueue":
			q.waiting = append(q.waiting, o)
		case "dequeue":
			q.take(0, true)
		case "remove":
			i := slices.IndexFunc(q.waiting, func(w operation) bool { return w.text == o.text })
			q.take(i, o.reason == "absorbed_mid_turn")
		default: // such as popAll: everything returns to the user
			q.waiting = nil
		}
	}
}

// take removes one from the queue, started or not.
func (q *cliQueue) take(i int, begun bool) {
	if i < 0 || i >= len(q.waiting) {
		return
	}
	if begun {
		q.out = append(q.out, q.waiting[i])
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
}

// left reports whether a prompt left the queue to be started, and counts that only for
// it.
func (q *cliQueue) left(h Handed) bool {
	i := slices.IndexFunc(q.out, func(o operation) bool { return o.text == h.Text && o.at >= h.At })
	if i < 0 {
		return false
	}
	q.out = slices.Delete(q.out, i, i+1)
	return true
}
