// Package roomtest tests room stores: every [room.Store] must pass the same suite,
// alone and under a hub. It is only for tests.
package roomtest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/room"
)

// Open opens a store. After the store was closed, it opens the same one again.
type Open func(tb testing.TB) room.Store

// Suite is what every store must pass. fresh creates a new one for each test.
func Suite(t *testing.T, fresh func(tb testing.TB) Open) {
	tests := []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"rooms are kept", testRooms},
		{"changes at once are all made", testChanges},
		{"a change that fails changes nothing", testFailedChange},
		{"messages have numbers", testNumbers},
		{"a message posted twice is kept once", testTwice},
		{"no message is in no room", testNoRoom},
		{"pages lead both ways", testPages},
		{"pages end with their bytes", testBytes},
		{"threads are read alone", testThreads},
		{"all is told in order", testTold},
		{"progress is kept", testProgress},
		{"what is deleted is gone", testDelete},
		{"what is old goes", testPrune},
		{"all is there again", testReopen},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, fresh(t)) })
	}
}

// begun opens a store with some rooms.
func begun(t *testing.T, open Open, rooms ...string) room.Store {
	t.Helper()
	s := open(t)
	for _, id := range rooms {
		make1(t, s, id)
	}
	return s
}

func make1(t *testing.T, s room.Store, id string) {
	t.Helper()
	_, err := s.Change(t.Context(), id, func(r *room.Room) error {
		r.Name, r.Kind, r.Rules = id, room.KindRoom, room.DefaultRules()
		r.Members, r.Barred = []room.Member{}, []room.Member{}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func message(roomID, id, text string) room.Message {
	return room.Message{
		ID: id, Room: roomID, Text: text, Mentions: []string{},
		From: room.Speaker{ID: "s-1", Kind: room.KindSession, Nick: "ann", SessionID: "1", Title: "One", Node: "n", Host: "h"},
	}
}

func say(t *testing.T, s room.Store, m room.Message) room.Message {
	t.Helper()
	kept, err := s.Append(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func read(t *testing.T, s room.Store, id string, q room.Page) (texts string, more bool) {
	t.Helper()
	page, err := s.Messages(t.Context(), id, q)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range page.Messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, " "), page.More
}

func testRooms(t *testing.T, open Open) {
	s := begun(t, open, "a", "b")
	if _, err := s.Room(t.Context(), "c"); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("a room that is not there: %v", err)
	}
	want := room.Room{
		ID: "b", Name: "büro 🦜", Kind: room.KindRoom, CreatedAt: 5, Pinned: true, Rules: room.Rules{Approval: true, Wake: room.WakeAny, TurnsPerHour: 3, MaxHops: 4},
		Members:    []room.Member{{ID: "s-1", Kind: room.KindSession, Nick: "ann", SessionID: "1", Node: "n", Since: 7, Muted: true, Wake: room.WakeOff}},
		Barred:     []room.Member{{ID: "s-2", Nick: "bob", Left: 3, Until: 9}},
		EmptySince: 9,
	}
	got, err := s.Change(t.Context(), "b", func(r *room.Room) error { *r = want.Clone(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err = s.Room(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	rooms, err := s.Rooms(t.Context())
	if err != nil || len(rooms) != 2 {
		t.Errorf("%d rooms, %v", len(rooms), err)
	}
}

func testChanges(t *testing.T, open Open) {
	s := begun(t, open, "a")
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				_, err := s.Change(t.Context(), "a", func(r *room.Room) error {
					r.CreatedAt++
					return nil
				})
				if err != nil {
					t.Errorf("writer %d, %d: %v", w, i, err)
				}
			}
		})
	}
	all.Wait()
	r, err := s.Room(t.Context(), "a")
	if err != nil || r.CreatedAt != writers*each {
		t.Errorf("counted to %d, %v", r.CreatedAt, err)
	}
}

func testFailedChange(t *testing.T, open Open) {
	s := begun(t, open, "a")
	refuse := room.Errorf(room.NickTaken, "no")
	for _, id := range []string{"a", "new"} {
		_, err := s.Change(t.Context(), id, func(r *room.Room) error { r.Name = "other"; return refuse })
		if !errors.Is(err, refuse) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if r, err := s.Room(t.Context(), "a"); err != nil || r.Name != "a" {
		t.Errorf("%q, %v", r.Name, err)
	}
	if _, err := s.Room(t.Context(), "new"); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("a room that was refused: %v", err)
	}
}

func testNumbers(t *testing.T, open Open) {
	s := begun(t, open, "a", "b")
	last := map[string]uint64{}
	for i := range 20 {
		id := []string{"a", "b"}[i%2]
		before := time.Now().Add(-time.Minute).UnixMilli()
		m := message(id, fmt.Sprint("m", i), "text")
		m.Mentions, m.All, m.ReplyTo, m.Thread, m.Hops = []string{"s-2"}, true, 3, 2, 5
		kept := say(t, s, m)
		if kept.Seq <= last[id] || kept.At < before {
			t.Errorf("number %d after %d, at %d", kept.Seq, last[id], kept.At)
		}
		last[id] = kept.Seq
		m.Seq, m.At = kept.Seq, kept.At
		if diff := cmp.Diff(m, kept); diff != "" {
			t.Error(diff)
		}
	}
}

func testTwice(t *testing.T, open Open) {
	s := begun(t, open, "a")
	first := say(t, s, message("a", "same", "one"))
	say(t, s, message("a", "other", "two"))
	if again := say(t, s, message("a", "same", "one")); again.Seq != first.Seq {
		t.Errorf("number %d, then %d", first.Seq, again.Seq)
	}
	if texts, _ := read(t, s, "a", room.Page{Limit: 10}); texts != "one two" {
		t.Error(texts)
	}
}

func testNoRoom(t *testing.T, open Open) {
	s := begun(t, open, "a")
	if _, err := s.Append(t.Context(), message("none", "x", "lost")); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("said in no room: %v", err)
	}
	if kept := say(t, s, message("a", "y", "here")); kept.Seq == 0 {
		t.Error("no number")
	}
}

func testPages(t *testing.T, open Open) {
	s := begun(t, open, "a", "b")
	seqs := []uint64{}
	for i := range 7 {
		seqs = append(seqs, say(t, s, message("a", fmt.Sprint("a", i), fmt.Sprint(i))).Seq)
		say(t, s, message("b", fmt.Sprint("b", i), "not this"))
	}
	tests := []struct {
		q    room.Page
		want string
		more bool
	}{
		{room.Page{Limit: 3}, "0 1 2", true},
		{room.Page{After: seqs[2], Limit: 4}, "3 4 5 6", false},
		{room.Page{After: seqs[2], Limit: 3}, "3 4 5", true},
		{room.Page{After: seqs[6], Limit: 3}, "", false},
		{room.Page{After: seqs[6] + 1000, Limit: 3}, "", false},
		{room.Page{Backward: true, Limit: 3}, "4 5 6", true},
		{room.Page{Backward: true, Before: seqs[4], Limit: 3}, "1 2 3", true},
		{room.Page{Backward: true, Before: seqs[1], Limit: 3}, "0", false},
		{room.Page{Backward: true, Before: seqs[0], Limit: 3}, "", false},
		{room.Page{Backward: true, Before: 1 << 62, Limit: 1}, "6", true},
		{room.Page{After: 1<<64 - 1, Limit: 1}, "", false}, // as a model may write it
	}
	for _, tt := range tests {
		if got, more := read(t, s, "a", tt.q); got != tt.want || more != tt.more {
			t.Errorf("%+v: %q (more %v), want %q (%v)", tt.q, got, more, tt.want, tt.more)
		}
	}
}

func testBytes(t *testing.T, open Open) {
	s := begun(t, open, "a")
	for i := range 4 {
		say(t, s, message("a", fmt.Sprint(i), strings.Repeat(fmt.Sprint(i), 100)))
	}
	for _, backward := range []bool{false, true} {
		for bytes, want := range map[int]int{10: 1, 100: 1, 250: 2, 400: 4} {
			page, err := s.Messages(t.Context(), "a", room.Page{Limit: 10, Bytes: bytes, Backward: backward})
			if err != nil || len(page.Messages) != want || page.More != (want < 4) {
				t.Errorf("%d bytes, backward %v: %d messages, more %v, %v", bytes, backward, len(page.Messages), page.More, err)
			}
		}
	}
	longest := say(t, s, message("a", "long", strings.Repeat("€", room.MaxText/3)))
	if page, err := s.Messages(t.Context(), "a", room.Page{After: longest.Seq - 1, Limit: 1}); err != nil || page.Messages[0].Text != longest.Text {
		t.Errorf("the longest message: %v", err)
	}
}

func testThreads(t *testing.T, open Open) {
	s := begun(t, open, "a")
	root := say(t, s, message("a", "root", "root")).Seq
	for i := range 6 {
		m := message("a", fmt.Sprint(i), fmt.Sprint(i))
		if i%2 == 0 {
			m.ReplyTo, m.Thread = root, root
		}
		say(t, s, m)
	}
	for _, tt := range []struct {
		q    room.Page
		want string
		more bool
	}{
		{room.Page{Thread: root, Limit: 10}, "0 2 4", false},
		{room.Page{Thread: root, Limit: 2}, "0 2", true},
		{room.Page{Thread: root, Limit: 2, Backward: true}, "2 4", true},
		{room.Page{Thread: root + 1, Limit: 2}, "", false},
	} {
		if got, more := read(t, s, "a", tt.q); got != tt.want || more != tt.more {
			t.Errorf("%+v: %q (more %v), want %q (%v)", tt.q, got, more, tt.want, tt.more)
		}
	}
}
