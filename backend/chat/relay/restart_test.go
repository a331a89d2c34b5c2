package relay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/chat"
)

// line is what people write while a Parley is killed: at each step a post in a thread,
// after a delay.
type line struct {
	after  time.Duration
	by     string
	thread int
	text   string
}

func script() []line {
	return []line{
		{0, "anna", 0, "alpha"},
		{300 * time.Millisecond, "anna", 0, "bravo"},
		{10 * time.Millisecond, "bert", 1, "charlie"},
		{10 * time.Millisecond, "anna", 0, "delta"},
		{10 * time.Millisecond, "anna", 0, "echo"},
		{10 * time.Millisecond, "bert", 0, "foxtrot"},
		{2 * time.Second, "bert", 1, "golf"},
		{3 * time.Second, "anna", 0, "hotel"},
	}
}

// connection delivers posts to the current Parley, in order, until it confirms them; a
// new one also gets the last one of its predecessor.
type connection struct {
	w      *world
	all    []chat.Incoming
	handed int
}

func (c *connection) bring() {
	for c.handed < len(c.all) && c.w.life.alive() {
		if c.w.Handle(context.Background(), c.all[c.handed]) != nil {
			return
		}
		c.handed++
	}
}

// play plays the script with a Parley that is killed at a step, with real streams or fake
// ones. It reports whether it was killed.
func play(t *testing.T, diesAt int, after, all, real bool) (w *world, killed bool) {
	w = newWorld(t)
	if real {
		w.streams = nil
	}
	w.startUntil(diesAt, after)
	defer func() { w.stop() }()
	c := &connection{w: w}
	var roots [2]string
	look := func(d time.Duration) {
		time.Sleep(d)
		synctest.Wait()
		if w.life.alive() {
			return
		}
		killed = true
		w.stop()
		if all { // the sessions' processes die with it
			w.sessions.cut()
		}
		w.start()
		c.handed = max(0, c.handed-3)
		c.bring()
		synctest.Wait()
	}
	for _, l := range script() {
		look(l.after)
		p := w.chat.write(l.by, room, roots[l.thread], l.text)
		if roots[l.thread] == "" {
			roots[l.thread] = p.ID
		}
		c.all = append(c.all, chat.Posted{Post: p})
		c.bring()
		look(0)
	}
	for range 4 {
		look(30 * time.Second)
	}
	w.check(roots[:])
	return w, killed
}

// check expects every prompt to be sent and answered once, in order, with nothing
// left.
func (w *world) check(roots []string) {
	w.t.Helper()
	for n, root := range roots {
		said, at := strings.Join(w.said(root), "\n"), -1
		for _, l := range script() {
			if l.thread != n {
				continue
			}
			if got := strings.Count(strings.Join(w.texts(), "|"), l.text); got != 1 {
				w.t.Errorf("%q was sent %d times: %q", l.text, got, w.texts())
			}
			i := strings.Index(said, l.text)
			if i < at || strings.Count(said, l.text) != 1 {
				w.t.Errorf("%q was not answered once and in order: %q", l.text, w.said(root))
			}
			at = i
		}
	}
	for _, rec := range w.Threads() {
		if len(rec.Inbox)+len(rec.Waiting)+len(rec.Sent) != 0 {
			w.t.Errorf("left: %+v", rec)
		}
	}
	if len(w.sessions.order) != len(roots) {
		w.t.Errorf("sessions: %v", w.sessions.order)
	}
	if left := w.signs(); len(left) != 0 {
		w.t.Errorf("signs that were left: %v", left)
	}
}

// Parley may be killed right before or after each write, send or request: nothing is
// lost and nothing is done twice.
func TestKilledAnywhere(t *testing.T) {
	for n := range 8 {
		after, all, real := n&1 != 0, n&2 != 0, n&4 != 0
		t.Run(fmt.Sprintf("after=%v all=%v real=%v", after, all, real), func(t *testing.T) {
			for at := 1; ; at++ {
				killed := false
				ok := t.Run(fmt.Sprint(at), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { _, killed = play(t, at, after, all, real) })
				})
				if !ok || !killed {
					t.Logf("%d places", at-1)
					if ok && at < 20 {
						t.Error("it was not killed where it should have been")
					}
					return
				}
			}
		})
	}
}

// A prompt that once ended Parley isn't automatically sent a second time.
func TestNotAgainAndAgain(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "poison")
		w.pass(100 * time.Millisecond)
		for range 3 {
			w.life.mu.Lock()
			w.life.dead = true
			w.life.mu.Unlock()
			w.stop()
			w.sessions.cut()
			w.start()
			w.pass(100 * time.Millisecond)
		}
		if n := w.sessions.list["s1"].starts; n != 2 {
			t.Errorf("started %d times", n)
		}
		w.wantSaid(p.ID, "A message is on hold")
	})
}

// A turn that was cut off is reported.
func TestCutTurn(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "go")
		w.pass(100 * time.Millisecond)
		w.life.mu.Lock()
		w.life.dead = true
		w.life.mu.Unlock()
		w.stop()
		w.sessions.cut()
		w.session("s1", func(s *fakeSession) { s.Queued, s.Interrupted = nil, true }) // it was started
		w.start()
		w.pass(time.Second)
		w.wantSaid(p.ID, "Parley quit during this turn")
		if rec := w.Threads()[0]; len(rec.Sent) != 0 {
			t.Errorf("%+v", rec)
		}
	})
}

// Threads are dropped if there are too many: first those without a session.
func TestForgets(t *testing.T) {
	bubble(t, func(w *world) {
		first := w.write("anna", "", "keep me")
		w.pass(2 * time.Second)
		for range 300 {
			w.write("eve", "", "spam")
			w.pass(time.Second)
		}
		if n := len(w.disk.threads); n > 202 {
			t.Errorf("%d threads", n)
		}
		if _, kept := w.disk.threads[first.ID]; !kept {
			t.Error("the wrong one was forgotten")
		}
	})
}
