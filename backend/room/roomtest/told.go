package roomtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/owner"
	"parley/backend/room"
)

func testTold(t *testing.T, open Open) {
	s := open(t)
	var mu sync.Mutex
	told := map[string][]uint64{}
	news := make(chan struct{}, 1)
	s.Watch(func(c room.Change) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case c.Message != nil:
			told[c.Message.Room] = append(told[c.Message.Room], c.Message.Seq)
		case c.Room != nil:
			told["room "+c.Room.ID] = append(told["room "+c.Room.ID], 1)
		case c.Deleted != "":
			told["gone "+c.Deleted] = append(told["gone "+c.Deleted], 1)
		}
		owner.Wake(news)
	})
	make1(t, s, "a")
	make1(t, s, "b")
	const writers, each = 8, 25
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				id := []string{"a", "b"}[w%2]
				if _, err := s.Append(t.Context(), message(id, fmt.Sprint(w, "-", i), "text")); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	all.Wait()
	if err := s.Delete(t.Context(), "b", nil); err != nil {
		t.Fatal(err)
	}
	wait(t, news, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(told["a"]) == writers*each/2 && len(told["b"]) == writers*each/2 && len(told["gone b"]) == 1
	})
	for _, id := range []string{"a", "b"} {
		if !slices.IsSorted(told[id]) || len(slices.Compact(slices.Clone(told[id]))) != len(told[id]) {
			t.Errorf("%s is not told in order, each once: %v", id, told[id])
		}
		if len(told["room "+id]) == 0 {
			t.Errorf("it is not told that %s was made", id)
		}
	}
}

// patience is how long something that involves others may take on a busy machine. Only
// a failing test waits that long.
const patience = 2 * time.Minute

func wait(t *testing.T, news <-chan struct{}, done func() bool) {
	t.Helper()
	end := time.After(patience)
	for !done() {
		select {
		case <-news:
		case <-end:
			t.Fatal("it was not told in time")
		}
	}
}

func testProgress(t *testing.T, open Open) {
	s := begun(t, open, "a", "b")
	want := []room.Progress{
		{Room: "a", Member: "s-1", Cursor: 7, Spans: []room.Span{{From: 1, To: 7, State: room.Read, At: 5, Reply: 3, Reason: "r", Prompt: true}}, Turns: []int64{1, 2}, Hops: 3, State: "idle", At: 9},
		{Room: "a", Member: "s-2", Spans: []room.Span{}, Turns: []int64{}, Hops: -1},
	}
	if err := s.SetProgress(t.Context(), []room.Progress{{Room: "a", Member: "s-1", Cursor: 1}, {Room: "b", Member: "s-1", Cursor: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetProgress(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Progress(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func testDelete(t *testing.T, open Open) {
	s := begun(t, open, "a", "b")
	first := say(t, s, message("a", "1", "one"))
	say(t, s, message("b", "2", "stays"))
	if err := s.SetProgress(t.Context(), []room.Progress{{Room: "a", Member: "s-1", Cursor: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "a", func(r room.Room) bool { return r.Pinned }); err != nil {
		t.Fatal(err)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "one" {
		t.Errorf("deleted against the condition: %q", texts)
	}
	for range 2 { // a second time is no error
		if err := s.Delete(t.Context(), "a", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Room(t.Context(), "a"); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("the room: %v", err)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "" {
		t.Errorf("messages are left: %q", texts)
	}
	if all, err := s.Progress(t.Context(), "a"); err != nil || len(all) != 0 {
		t.Errorf("progress is left: %v, %v", all, err)
	}
	make1(t, s, "a")
	if again := say(t, s, message("a", "3", "new")); again.Seq <= first.Seq {
		t.Errorf("number %d after %d", again.Seq, first.Seq)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "new" {
		t.Error(texts)
	}
	if texts, _ := read(t, s, "b", room.Page{Limit: 9}); texts != "stays" {
		t.Error(texts)
	}
}

func testPrune(t *testing.T, open Open) {
	s := begun(t, open, "a")
	last := say(t, s, message("a", "1", "one"))
	if err := s.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "one" {
		t.Errorf("%q is left", texts)
	}
	if err := s.Prune(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "" {
		t.Errorf("%q is left", texts)
	}
	if next := say(t, s, message("a", "2", "two")); next.Seq <= last.Seq {
		t.Errorf("number %d after %d", next.Seq, last.Seq)
	}
}

func testReopen(t *testing.T, open Open) {
	s := begun(t, open, "a")
	first := say(t, s, message("a", "1", "one"))
	if err := s.SetProgress(t.Context(), []room.Progress{{Room: "a", Member: "s-1", Cursor: first.Seq}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t)
	if r, err := s.Room(t.Context(), "a"); err != nil || r.Name != "a" {
		t.Errorf("%q, %v", r.Name, err)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 9}); texts != "one" {
		t.Error(texts)
	}
	if all, err := s.Progress(t.Context(), "a"); err != nil || len(all) != 1 || all[0].Cursor != first.Seq {
		t.Errorf("%v, %v", all, err)
	}
	if again := say(t, s, message("a", "1", "one")); again.Seq != first.Seq {
		t.Errorf("said twice: %d, %d", first.Seq, again.Seq)
	}
	if next := say(t, s, message("a", "2", "two")); next.Seq <= first.Seq {
		t.Errorf("number %d after %d", next.Seq, first.Seq)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.Append(ctx, message("a", "3", "late")); err == nil {
		t.Error("said after the end")
	}
}
