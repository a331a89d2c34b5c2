package history_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// During writes, cut anywhere, every page is a prefix of the whole, and cursors
// lead to earlier messages. Then the file is removed.
func TestReadingWhileWritten(t *testing.T) {
	const turns = 150
	path := filepath.Join(t.TempDir(), "growing.jsonl")
	written := make(chan error, 1)
	go func() {
		rnd := rand.New(rand.NewPCG(1, 2))
		body, parent := "", ""
		for i := range turns {
			u, a := fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i)
			body += user(u, parent, "prompt é "+u) + "\n" + answer(a, u, "answer 🙂 "+a) + "\n"
			parent = a
		}
		f, err := os.Create(path)
		for err == nil && body != "" {
			n := min(1+rnd.IntN(900), len(body))
			_, err = f.WriteString(body[:n])
			body = body[n:]
		}
		if err == nil {
			err = f.Close()
		}
		written <- err
	}()
	var want []string
	for i := range turns {
		want = append(want, fmt.Sprintf("user: prompt é u%d", i), fmt.Sprintf("assistant: answer 🙂 a%d", i))
	}
	tr := history.Open(path)
	var totals history.Totals
	for done := false; !done; {
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		p, err := tr.Page(t.Context(), 7, "")
		if fault.CodeOf(err) == fault.NotFound && !done {
			continue // not started
		}
		if err != nil {
			t.Fatal(err)
		}
		all := [][]event.Message{p.Messages}
		for p.HasMore {
			if p, err = tr.Page(t.Context(), 40, p.Before); err != nil {
				t.Fatal(err)
			}
			all = append(all, p.Messages)
		}
		got := []string{}
		for i := range all {
			got = append(got, say(all[len(all)-1-i])...)
		}
		if diff := cmp.Diff(want[:len(got)], got); diff != "" || done && len(got) != len(want) {
			t.Fatalf("%d messages (-want +got):\n%s", len(got), diff)
		}
		before := totals.Messages
		if totals, err = tr.Count(t.Context(), totals, nil, nil); err != nil || totals.Messages < len(got) || totals.Messages < before {
			t.Fatalf("counted %d, then %d, of %d: %v", before, totals.Messages, len(got), err)
		}
	}
	if totals.Messages != len(want) {
		t.Errorf("counted %d in the end", totals.Messages)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Page(t.Context(), 7, ""); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if _, err := tr.Count(t.Context(), totals, nil, nil); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}
