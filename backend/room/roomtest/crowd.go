package roomtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/backend/room"
	"parley/backend/room/hub"
)

// StressTest makes members of some nodes talk concurrently, and checks that each of them
// receives every message of the others once and in order, with all receipts final.
// during may be nil; it is called once, in the middle.
func StressTest(t *testing.T, nodes []*Node, members, messages int, during func()) {
	t.Helper()
	const name = "crowd"
	type one struct {
		house *Node
		who   hub.Actor
	}
	all := make([]one, members)
	for i := range all {
		h := nodes[i%len(nodes)]
		id := fmt.Sprintf("%s-%d", h.Person().ID, i)
		all[i] = one{h, hub.SessionWho(id, "Session "+id)}
		if _, err := h.Join(t.Context(), all[i].who, name, fmt.Sprint("nick-", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range nodes { // all must know each other
		wait(t, h.News.any, func() bool {
			v, err := h.View(name)
			return err == nil && len(v.Members) == members
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	var writing, hearing sync.WaitGroup
	said := make(chan struct{}, messages)
	if during != nil {
		writing.Go(func() {
			for range messages / 2 {
				select {
				case <-said:
				case <-ctx.Done():
					return
				}
			}
			during()
		})
	}
	each := messages / members
	for i, m := range all {
		writing.Go(func() {
			for n := range each {
				saying := hub.Outgoing{Room: name, Text: fmt.Sprintf("%d %d", i, n), ID: fmt.Sprintf("m-%d-%d", i, n)}
				_, err := m.house.Say(ctx, m.who, saying)
				for room.CodeOf(err) == room.Offline && err != nil { // too many wait: retry later
					time.Sleep(50 * time.Millisecond)
					_, err = m.house.Say(ctx, m.who, saying)
				}
				if err != nil {
					t.Errorf("member %d, message %d: %v", i, n, err)
					return
				}
				said <- struct{}{}
			}
		})
	}
	orders := make([][]uint64, members)
	for i, m := range all {
		hearing.Go(func() {
			orders[i] = hearAll(ctx, t, m.house, m.who, name, i, members, each)
		})
	}
	writing.Wait()
	hearing.Wait()
	if t.Failed() {
		return
	}
	// All received the same order: without one's own messages, the numbers are the
	// same.
	if !slices.IsSorted(orders[0]) {
		t.Error("the numbers do not rise")
	}
	for _, h := range nodes {
		wait(t, h.News.any, func() bool { return complete(t, h, name, messages) })
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d members, %d messages: %d KB of memory more", members, messages, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>10)
}

// hearAll receives everything that the others write, and returns the numbers.
func hearAll(ctx context.Context, t *testing.T, h *Node, who hub.Actor, name string, me, members, each int) (seqs []uint64) {
	next := make([]int, members)
	for n := 0; n < each*(members-1); {
		call := fmt.Sprint("call-", n)
		heard, err := h.Listen(ctx, who, hub.Listening{Room: name, Timeout: room.MostListen, Call: call})
		if err != nil {
			t.Errorf("member %d after %d messages: %v", me, n, err)
			return seqs
		}
		for _, m := range heard.Messages {
			var from, number int
			if _, err := fmt.Sscanf(m.Text, "%d %d", &from, &number); err != nil || from == me || number != next[from] || m.Again {
				t.Errorf("member %d heard %q (again %v), want number %d of %d: %v", me, m.Text, m.Again, next[from], from, err)
				return seqs
			}
			next[from]++
			n++
			if len(seqs) > 0 && m.Seq <= seqs[len(seqs)-1] {
				t.Errorf("member %d heard number %d after %d", me, m.Seq, seqs[len(seqs)-1])
			}
			seqs = append(seqs, m.Seq)
		}
		h.OnToolResultRead(who.SessionID, call)
	}
	h.Ended(who.SessionID, "turn", "completed")
	return seqs
}

// complete reports whether all receipts of a room are final.
func complete(t *testing.T, h *Node, name string, messages int) bool {
	t.Helper()
	v, err := h.View(name)
	if err != nil {
		t.Fatal(err)
	}
	n, after := 0, uint64(0)
	for {
		page, err := h.Messages(t.Context(), v.ID, room.Page{After: after, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, receipts := range h.Receipts(v.ID, page.Messages) {
			n++
			if len(receipts) != len(v.Members)-1 || slices.ContainsFunc(receipts, func(r room.Receipt) bool { return r.State != room.Answered }) {
				return false
			}
		}
		if !page.More {
			return n == messages
		}
		after = page.Messages[len(page.Messages)-1].Seq
	}
}

// Wakes measures the time from a message to its listener. Half of them must arrive
// at once, because nothing polls.
func Wakes(t *testing.T, h *Node, n int) {
	t.Helper()
	a, b := hub.SessionWho("wake-a", ""), hub.SessionWho("wake-b", "")
	for _, w := range []hub.Actor{a, b} {
		if _, err := h.Join(t.Context(), w, "wakes", w.SessionID); err != nil {
			t.Fatal(err)
		}
	}
	took, kept := make([]time.Duration, 0, n), make([]time.Duration, 0, n)
	ready, heard := make(chan struct{}), make(chan time.Time)
	go func() {
		for range n {
			ready <- struct{}{}
			got, err := h.Listen(t.Context(), b, hub.Listening{Room: "wakes", Timeout: room.MostListen})
			at := time.Now()
			if err != nil || len(got.Messages) != 1 || got.Messages[0].Text != "now" {
				t.Errorf("heard %+v, %v", got, err)
			}
			heard <- at
		}
	}()
	for range n {
		<-ready
		v, err := h.View("wakes")
		for err == nil && v.Members[1].State != "listening" {
			time.Sleep(50 * time.Microsecond)
			v, err = h.View("wakes")
		}
		start := time.Now()
		if _, err := h.Say(t.Context(), a, hub.Outgoing{Room: "wakes", Text: "now"}); err != nil {
			t.Fatal(err)
		}
		said := time.Now()
		at := <-heard
		took, kept = append(took, at.Sub(start)), append(kept, max(at.Sub(said), 0))
	}
	for what, all := range map[string][]time.Duration{"From the call to say something": took, "From when it was kept": kept} {
		slices.Sort(all)
		if all[n/2] > time.Second/2 {
			t.Errorf("%s to when it was heard: half took more than %v", what, all[n/2])
		}
		t.Logf("%s to when it was heard: median %v, p95 %v, longest %v", what, all[n/2], all[n*95/100], all[n-1])
	}
}
