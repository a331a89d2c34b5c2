package search

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"

	"parley/backend/event"
	"parley/backend/fault"
)

// paged is a conversation of messages m0, m1, …, each with a unique word.
func paged(n int) func(context.Context, string, int, string) (event.History, error) {
	return func(_ context.Context, _ string, limit int, before string) (event.History, error) {
		end := n
		if before != "" {
			end, _ = strconv.Atoi(before)
		}
		start := max(0, end-limit)
		page := event.History{Total: n, HasMore: start > 0}
		if page.HasMore {
			page.Before = strconv.Itoa(start)
		}
		for i := start; i < end; i++ {
			page.Messages = append(page.Messages, event.Message{
				ID: fmt.Sprint("m", i), Role: "assistant", Blocks: []event.Block{{ID: "b", Type: "text", Text: fmt.Sprintf("word%d. All all", i)}},
			})
		}
		return page, nil
	}
}

// Called until there is no cursor, it finds everything once, in order.
func TestFindAll(t *testing.T) {
	const messages = 3210
	f := finder{history: paged(messages)}
	var ids []string
	places, looked, calls := 0, 0, 0
	for p := (FindParams{SessionID: "s", Text: "ALL"}); ; calls++ {
		page, err := f.find(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != messages {
			t.Fatalf("a total of %d", page.Total)
		}
		part := make([]string, 0, len(page.Hits))
		for _, h := range page.Hits {
			part = append(part, h.MessageID)
		}
		ids = append(part, ids...)
		places, looked = places+page.Places, looked+page.Messages
		if p.Before = page.Before; p.Before == "" {
			break
		}
	}
	if places != 2*messages || looked != messages || len(ids) != messages || calls == 0 {
		t.Fatalf("%d places in %d messages, %d hits, %d calls", places, looked, len(ids), calls)
	}
	for i, id := range ids {
		if id != fmt.Sprint("m", i) {
			t.Fatalf("hit %d is %s", i, id)
		}
	}
}

func TestFindOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // one call finds everything, as no time passes
		f := finder{history: paged(500)}
		page, err := f.find(t.Context(), FindParams{SessionID: "s", Text: "word7", Words: true, MatchCase: true})
		if err != nil || len(page.Hits) != 1 || page.Hits[0].MessageID != "m7" || page.Before != "" || page.Messages != 500 {
			t.Errorf("%+v %v", page, err)
		}
		if page, err = f.find(t.Context(), FindParams{SessionID: "s", Text: "Word7", MatchCase: true}); err != nil || len(page.Hits) > 0 || page.Hits == nil {
			t.Errorf("%+v %v", page, err)
		}
	})
}

func TestFindFaults(t *testing.T) {
	f := finder{history: func(context.Context, string, int, string) (event.History, error) {
		return event.History{}, fault.New(fault.NotFound, "There is no such session.")
	}}
	if _, err := f.find(t.Context(), FindParams{Text: ""}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
	if _, err := f.find(t.Context(), FindParams{Text: "x"}); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}
