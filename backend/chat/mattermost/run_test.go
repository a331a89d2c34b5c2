package mattermost

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
)

func TestLive(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	_, stop := g.begin()
	ada := g.As(g.ada.ID)
	p := ada.Post(g.ch.Id, "one")
	ada.Reply(p.Id, "two")
	g.expect("post one", "post two")
	ada.React(p.Id, "+1")
	g.expect("post one", "post two", "react +1 to one")
	ada.Edit(p.Id, "uno")
	g.expect("post one", "post two", "react +1 to one", "edit uno")
	ada.Unreact(p.Id, "+1")
	g.expect("post one", "post two", "react +1 to one", "edit uno", "unreact +1 from uno")
	ada.Delete(p.Id)
	g.expect("post one", "post two", "react +1 to one", "edit uno", "unreact +1 from uno", "delete "+p.Id)
	g.settled()
	stop()
	// What was handled is known to the next one.
	g.begin()
	g.settled()
}

// Everything that happens while Parley is away is delivered when it comes
// back.
func TestAway(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	_, stop := g.begin()
	old := ada.Post(g.ch.Id, "old")
	gone := ada.Post(g.ch.Id, "gone")
	ada.Reply(gone.Id, "gone too")
	g.expect("post old", "post gone", "post gone too")
	ada.React(old.Id, "eyes")
	g.expect("post old", "post gone", "post gone too", "react eyes to old")
	g.away(stop)
	g.forgetHeard()

	ada.Edit(old.Id, "older")
	ada.Unreact(old.Id, "eyes")
	ada.React(old.Id, "+1")
	ada.Delete(gone.Id)
	fresh := ada.Post(g.ch.Id, "fresh")
	reply := ada.Reply(fresh.Id, "replay")
	ada.Edit(reply.Id, "reply")
	brief := ada.Post(g.ch.Id, "brief")
	ada.Delete(brief.Id)

	g.run(g.client())
	g.WaitFor(t, "all", func() bool { return len(g.lines()) >= 6 })
	got := g.lines()
	slices.Sort(got)
	want := []string{"delete " + gone.Id, "edit older", "post fresh", "post reply", "react +1 to older", "unreact eyes from older"}
	if !slices.Equal(got, want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
	g.forgetHeard()
	g.settled()
}

// Posts of the same millisecond are delivered once each, wherever the gap
// starts.
func TestSameMillisecond(t *testing.T) {
	at := time.Now()
	g := newRig(t, mattermosttest.Options{Clock: func() time.Time { return at }})
	ada := g.As(g.ada.ID)
	_, stop := g.begin()
	var want []string
	for round := range 3 {
		for i := range 5 {
			text := fmt.Sprint(round, i)
			ada.Post(g.ch.Id, text)
			want = append(want, "post "+text)
			if i == 2 {
				g.WaitFor(t, text, func() bool { return len(g.lines()) >= len(want) })
				g.away(stop)
			}
		}
		stop = g.run(g.client())
		g.WaitFor(t, "a round", func() bool { return len(g.lines()) >= len(want) })
	}
	got := g.lines()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
}

// A gap with more events than the server returns at once: with edits, which leave
// former versions, and reactions to old posts.
func TestLongGap(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	_, stop := g.begin()
	old := ada.Post(g.ch.Id, "old")
	g.expect("post old")
	g.away(stop)
	g.forgetHeard()
	const posts = 1500
	var root string
	for i := range posts {
		if i%50 == 0 {
			root = ada.Post(g.ch.Id, fmt.Sprintf("%04d", i)).Id
			continue
		}
		p := ada.Reply(root, fmt.Sprintf("%04d.", i))
		if i%3 == 0 {
			ada.Edit(p.Id, fmt.Sprintf("%04d", i))
		} else if i%3 == 1 {
			ada.Edit(p.Id, fmt.Sprintf("%04d", i))
			ada.Edit(p.Id, fmt.Sprintf("%04d", i))
		}
	}
	ada.React(old.Id, "+1")
	g.run(g.client())
	g.WaitFor(t, "all", func() bool { return len(g.lines()) >= posts+1 })
	var got []string
	for _, l := range g.lines() {
		if l != "react +1 to old" {
			got = append(got, l[:9])
		}
	}
	if len(got) != posts {
		t.Fatalf("%d posts, want %d", len(got), posts)
	}
	inThread := map[int]int{}
	for _, l := range got {
		var n int
		_, _ = fmt.Sscanf(l, "post %d", &n)
		if n < inThread[n/50] {
			t.Fatalf("%d came after %d", n, inThread[n/50])
		}
		inThread[n/50] = n
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != posts {
		t.Fatal("some came twice")
	}
	g.forgetHeard()
	g.settled()
}

// Events that are duplicated, reordered or lost.
func TestUnreliableEvents(t *testing.T) {
	g := newRig(t, mattermosttest.Options{Seed: 7})
	ada := g.As(g.ada.ID)
	g.begin()
	remove := g.Faults(
		mattermosttest.Fault{What: mattermosttest.EventTwice, User: g.bot.ID, Chance: 0.15},
		mattermosttest.Fault{What: mattermosttest.EventLost, User: g.bot.ID, Chance: 0.15},
	)
	root := ada.Post(g.ch.Id, "000")
	want := []string{"post 000"}
	for i := range 200 {
		p := ada.Reply(root.Id, fmt.Sprintf("%03d", i+1))
		want = append(want, "post "+p.Message)
	}
	for _, n := range remove() {
		if n == 0 {
			t.Fatal("a fault did not happen")
		}
	}
	end := ada.Reply(root.Id, "end") // now the swapped event arrives, and reveals what was lost
	want = append(want, "post "+end.Message)
	g.expect(want...)
	g.settled()
}

// A post isn't skipped in its thread until it is accepted; other threads
// continue.
func TestRefusals(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	_, stop := g.begin()
	tries := 0
	g.mu.Lock()
	g.refuse = func(in chat.Incoming) error {
		if v, ok := in.(chat.Posted); ok && v.Post.Text == "bad" {
			tries++
			return errors.New("not now")
		}
		return nil
	}
	g.mu.Unlock()
	bad := ada.Post(g.ch.Id, "bad")
	for i := range 300 {
		ada.Reply(bad.Id, fmt.Sprintf("after %03d", i))
	}
	ada.Post(g.ch.Id, "other")
	g.expect("post other")
	g.WaitFor(t, "tries", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return tries > 3
	})
	// Another run starts with it again, even if it doesn't fit into the queue.
	g.away(stop)
	g.forgetHeard()
	g.run(g.client())
	g.WaitFor(t, "tries", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return tries > 6
	})
	g.mu.Lock()
	g.refuse = nil
	g.mu.Unlock()
	want := []string{"post bad"}
	for i := range 300 {
		want = append(want, fmt.Sprintf("post after %03d", i))
	}
	g.expect(want...)
	g.settled()
}

// Channels that the account joins later, and direct messages, are followed from that
// time.
func TestLaterChannels(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	side := g.AddChannel(g.team.Id, "side", g.ada.ID)
	ada.Post(side.Id, "before")
	_, stop := g.begin()
	ada.Post(side.Id, "before too")
	g.AddMember(side.Id, g.bot.ID)
	ada.Post(side.Id, "with you")
	g.expect("post with you")
	g.settled()
	g.away(stop)

	later := g.AddChannel(g.team.Id, "later", g.ada.ID)
	ada.Post(later.Id, "before")
	g.AddMember(later.Id, g.bot.ID)
	ada.Post(later.Id, "with you again")
	direct := ada.Direct(g.bot.ID)
	ada.Post(direct.Id, "psst")
	g.run(g.client())
	g.WaitFor(t, "both", func() bool { return len(g.lines()) >= 2 })
	got := g.lines()
	slices.Sort(got)
	if want := []string{"post psst", "post with you again"}; !slices.Equal(got, want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
	g.forgetHeard()
	ada.Post(direct.Id, "psst again")
	g.expect("post psst again")
	g.RemoveMember(side.Id, g.bot.ID)
	g.settled()
}

// Messages from before Parley's first start, and in channels it doesn't follow, are
// ignored.
func TestBeginning(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	deaf := g.AddChannel(g.team.Id, "deaf", g.bot.ID, g.ada.ID)
	ada.Post(g.ch.Id, "long ago")
	hears := make(chan bool, 1)
	hears <- false
	c := g.client(func(c *Config) {
		c.Hears = func(ch chat.Channel) bool {
			on := <-hears
			hears <- on
			return on || ch.ID != deaf.Id
		}
	})
	g.run(c)
	g.hello()
	ada.Post(deaf.Id, "quiet")
	g.settled()
	root := ada.Post(deaf.Id, "@parley, here?")
	ada.Reply(root.Id, "and @parley-bot?")
	g.expect("post @parley, here?")
	g.settled()
	<-hears
	hears <- true
	c.Refresh()
	g.WaitFor(t, "the channel", func() bool {
		ada.Post(deaf.Id, "loud")
		return slices.Contains(g.lines(), "post loud")
	})
	if slices.Contains(g.lines(), "post quiet") {
		t.Error("heard what was said before")
	}
}

// A socket that is open but dead is detected; so is a server whose clock goes
// back.
func TestHalfOpenAndSkew(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	c := g.client()
	c.tune.silence = 300 * time.Millisecond
	g.run(c)
	g.hello()
	g.Freeze(g.bot.ID)
	ada.Post(g.ch.Id, "into the void")
	g.expect("post into the void")
	before := g.Sockets(g.bot.ID)
	g.WaitFor(t, "another socket", func() bool {
		return c.Connection().Reconnects > 0 && g.Sockets(g.bot.ID) >= before && c.Connection().State == "connected"
	})
	g.settled()
	g.Skew(-time.Hour)
	p := ada.Post(g.ch.Id, "an hour ago")
	ada.React(p.Id, "+1")
	g.expect("post an hour ago", "react +1 to an hour ago")
	g.Skew(time.Hour)
	ada.Post(g.ch.Id, "in an hour")
	g.expect("post an hour ago", "react +1 to an hour ago", "post in an hour")
	g.Skew(0)
	ada.Post(g.ch.Id, "now")
	g.Cut(g.bot.ID)
	ada.Post(g.ch.Id, "now too")
	g.expect("post an hour ago", "react +1 to an hour ago", "post in an hour", "post now", "post now too")
}

// Events in another order than their posts are delivered once.
func TestSwapped(t *testing.T) {
	g := newRig(t, mattermosttest.Options{Seed: 3})
	ada := g.As(g.ada.ID)
	g.begin()
	remove := g.Faults(mattermosttest.Fault{What: mattermosttest.EventSwapped, User: g.bot.ID, Chance: 0.3})
	root := ada.Post(g.ch.Id, "000")
	want := []string{"post 000"}
	for i := range 100 {
		want = append(want, "post "+ada.Reply(root.Id, fmt.Sprintf("%03d", i+1)).Message)
	}
	remove()
	want = append(want, "post "+ada.Reply(root.Id, "101").Message)
	g.WaitFor(t, "all", func() bool { return len(g.lines()) >= len(want) })
	got := g.lines()
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heard something else (-want +got):\n%s", diff)
	}
	g.forgetHeard()
	g.settled()
}

func TestRunsOnce(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c, _ := g.begin()
	if err := c.Run(t.Context(), g.take); !errors.Is(err, ErrRunning) {
		t.Errorf("a second Run says %v", err)
	}
}

// What was handled but not written, because Parley was killed or the disk was full, is
// redelivered to the next one with the same ids.
func TestKilled(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	ada := g.As(g.ada.ID)
	_, stop := g.begin()
	g.settled()
	g.away(stop)
	g.store.set(errors.New("the disk is full"))
	stop = g.run(g.client())
	p := ada.Post(g.ch.Id, "handled")
	g.expect("post handled")
	g.away(stop)
	g.store.set(nil)
	g.forgetHeard()
	g.run(g.client())
	g.expect("post handled")
	if v := g.all()[0].(chat.Posted); v.Post.ID != p.Id {
		t.Errorf("another post: %+v", v)
	}
	g.settled()
}
