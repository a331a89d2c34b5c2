package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines as the CLI writes them (2.1.329).
func enqueued(text, at string) string {
	return fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":%q,"sessionId":"s","content":%q}`, at, text)
}

func removed(text, reason string) string {
	return fmt.Sprintf(`{"type":"queue-operation","operation":"remove","timestamp":"2026-01-01T00:00:05.000Z","reason":%q,"commandUuid":"x","content":%q}`, reason, text)
}

const dequeued = `{"type":"queue-operation","operation":"dequeue","timestamp":"2026-01-01T00:00:05.000Z","sessionId":"s"}`

func said(uuid, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":%q}}`, uuid, text)
}

func TestTaken(t *testing.T) {
	const before, now = "2026-01-01T00:00:01.000Z", "2026-01-01T00:00:04.000Z"
	const at = 1767225603000 // between them
	for _, tt := range []struct {
		name   string
		lines  []string
		handed []Handed
		want   []string
	}{
		{"nothing", nil, []Handed{{"a", "one", at}}, nil},
		{"a line of its own", []string{enqueued("one", now), dequeued, said("a", "one")}, []Handed{{"a", "one", at}}, []string{"a"}},
		{
			"three joined into one line, with the uuid of the last",
			[]string{enqueued("one", now), enqueued("two", now), enqueued("three", now), dequeued, dequeued, dequeued, said("c", "one\ntwo\nthree")},
			[]Handed{{"a", "one", at}, {"b", "two", at}, {"c", "three", at}}, []string{"a", "b", "c"},
		},
		{
			"the last is still in the queue", []string{enqueued("one", now), enqueued("two", now), dequeued},
			[]Handed{{"a", "one", at}, {"b", "two", at}}, nil,
		},
		{
			"left the queue, and the line was never written", []string{enqueued("one", now), enqueued("two", now), dequeued, dequeued},
			[]Handed{{"a", "one", at}, {"b", "two", at}}, nil,
		},
		{
			"joined into the line of one that is not asked about", []string{enqueued("one", now), enqueued("two", now), dequeued, dequeued, said("x", "one\ntwo")},
			[]Handed{{"a", "one", at}}, []string{"a"},
		},
		{
			"in the line of another, and still in the queue", []string{enqueued("one", now), said("x", "one\ntwo")},
			[]Handed{{"a", "one", at}}, nil,
		},
		{
			"several lines, joined", []string{said("b", "one\nmore\ntwo\n")},
			[]Handed{{"a", "one\nmore", at}, {"b", "two\n", at}, {"c", "more", at}}, []string{"a", "b"},
		},
		{
			"not in the order of time",
			[]string{
				enqueued("two", "2026-01-01T00:00:04.500Z"), enqueued("one", now), removed("one", "cleared_on_cancel"), dequeued, said("x", "one\ntwo"),
			},
			[]Handed{{"a", "one", at}, {"b", "two", at}}, []string{"b"},
		},
		{
			"folded into the turn",
			[]string{
				enqueued("one", now), enqueued("two", now), `{"type":"attachment","uuid":"q","attachment":{"type":"queued_command","prompt":"one","source_uuid":"a"}}`,
				removed("two", "absorbed_mid_turn"),
			},
			[]Handed{{"a", "one", at}, {"b", "two", at}}, []string{"a"},
		},
		{"given back", []string{enqueued("one", now), removed("one", "cleared_on_cancel")}, []Handed{{"a", "one", at}}, nil},
		{"the same words of an earlier time", []string{enqueued("go on", before), dequeued, said("old", "go on"), enqueued("go on", now)}, []Handed{{"a", "go on", at}}, nil},
		{
			"the same words twice, one taken", []string{enqueued("go on", now), enqueued("go on", now), dequeued, said("a", "go on")},
			[]Handed{{"a", "go on", at}, {"b", "go on", at}}, []string{"a"},
		},
		{
			"the same words twice, joined", []string{enqueued("go on", now), enqueued("go on", now), dequeued, dequeued, said("b", "go on\ngo on")},
			[]Handed{{"a", "go on", at}, {"b", "go on", at}}, []string{"a", "b"},
		},
		{"its uuid in another line", []string{`{"type":"assistant","uuid":"m","parentUuid":"a","message":{"content":"a"}}`, `{"type":"last-prompt","leafUuid":"a"}`}, []Handed{{"a", "one", at}}, nil},
		{"the queue was emptied", []string{enqueued("one", now), `{"type":"queue-operation","operation":"popAll","timestamp":"2026-01-01T00:00:04.500Z"}`, dequeued, said("x", "one")}, []Handed{{"a", "one", at}}, nil},
		{"broken lines", []string{"{", `{"type":"queue-operation"`, `{"type":"queue-operation","operation":7}`, dequeued, dequeued, "null", enqueued("one", now), dequeued, said("x", "one")}, []Handed{{"a", "one", at}}, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(tt.lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			taken, err := Taken(t.Context(), path, tt.handed)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range tt.handed {
				if taken[h.ID] {
					got = append(got, h.ID)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if taken, err := Taken(t.Context(), filepath.Join(t.TempDir(), "none"), []Handed{{"a", "one", at}}); err != nil || len(taken) > 0 {
		t.Errorf("without a file: %v, %v", taken, err)
	}
}
