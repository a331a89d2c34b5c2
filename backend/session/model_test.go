package session

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

var modelRuns = flag.Int("model-runs", 300, "how many random lives of a session the model test lives through")

// scripted is a CLI with random behavior: it takes up prompts, folds some into the
// running turn, asks, compacts, starts turns itself, is slow to stop, and may die
// at any moment.
type scripted struct {
	t    *testing.T
	rnd  *rand.Rand
	p    *fakeProcess
	desk *fakeQuestions
	// started holds the prompts that any process has taken up; they must never be
	// sent again.
	book *book

	turns   int
	inbox   chan wire.UserMessage
	stop    chan struct{}
	waiting []string
	folded  []string
	died    bool
}

// book is what all processes of a session share.
type book struct {
	mu      sync.Mutex
	started map[string]bool
	asked   int
	starts  int
}

func (b *book) take(t *testing.T, uuid string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.started[uuid] {
		t.Errorf("prompt %s was taken up twice", uuid)
	}
	b.started[uuid] = true
}

func (b *book) received(t *testing.T, uuid string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.started[uuid] {
		t.Errorf("prompt %s was sent again although it had been taken up", uuid)
	}
}

// pause waits a random time and reports whether the turn is to stop.
func (c *scripted) pause(longest time.Duration) (stop bool) {
	timer := time.NewTimer(time.Duration(c.rnd.Int64N(int64(longest))))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if c.rnd.IntN(60) == 0 {
				c.die()
			}
			return c.died
		case <-c.stop:
			c.giveBack()
			return true
		case <-c.p.gone:
			c.died = true
			return true
		case m := <-c.inbox:
			c.waiting = append(c.waiting, m.UUID)
			c.p.say(lifecycle(m.UUID, "queued"))
		}
	}
}

// giveBack gives back pending prompts, as the CLI does when interrupted.
func (c *scripted) giveBack() {
	for _, uuid := range c.waiting {
		c.p.say(lifecycle(uuid, "cancelled"))
	}
	c.waiting = nil
}

func (c *scripted) die() {
	c.died = true
	c.p.die(Exit{Code: 1, Stderr: "chance"})
}

// live runs the CLI.
func (c *scripted) live() {
	if c.p.spec.Resume && c.rnd.IntN(6) == 0 {
		c.p.die(Exit{Code: 1, Stderr: "No conversation found with session ID: x"})
		return
	}
	c.pause(400 * time.Millisecond)
	for !c.died {
		switch {
		case len(c.waiting) > 0:
			uuid := c.waiting[0]
			c.waiting = c.waiting[1:]
			c.turn(uuid)
		case c.turns > 0 && c.rnd.IntN(40) == 0:
			c.turn("")
		default:
			select {
			case <-c.p.gone:
				return
			case m := <-c.inbox:
				c.waiting = append(c.waiting, m.UUID)
				c.p.say(lifecycle(m.UUID, "queued"))
			case <-c.stop:
				c.giveBack()
			case <-time.After(time.Second):
				if c.rnd.IntN(50) == 0 {
					c.die()
				}
			}
		}
	}
}

// turn runs one turn; uuid is "" for a turn of the CLI's own.
func (c *scripted) turn(uuid string) {
	c.turns++
	c.folded = nil
	var uuids []string
	if uuid != "" {
		c.book.take(c.t, uuid)
		uuids = []string{uuid}
		c.p.say(lifecycle(uuid, "started"))
	}
	if c.pause(5 * time.Millisecond) {
		c.end(uuids, true)
		return
	}
	if c.rnd.IntN(12) == 0 {
		c.p.say(&wire.Status{Status: "compacting"})
		if c.pause(100 * time.Millisecond) {
			c.end(uuids, true)
			return
		}
		c.p.say(&wire.Status{CompactResult: "success"})
	}
	c.p.say(c.p.report(), &wire.Status{Status: "requesting"})
	for m := range 1 + c.rnd.IntN(3) {
		if c.message(fmt.Sprintf("msg_%d_%d_%d", c.p.pid, c.turns, m)) {
			c.end(uuids, true)
			return
		}
		// Between messages a pending prompt may be folded in.
		if uuid != "" && len(c.waiting) > 0 && c.rnd.IntN(2) == 0 {
			next := c.waiting[0]
			c.waiting = c.waiting[1:]
			c.book.take(c.t, next)
			c.p.say(lifecycle(next, "started"))
			uuids = append(uuids, next)
			c.folded = append(c.folded, next)
		}
	}
	c.end(uuids, false)
}

// message streams one message and reports whether the turn is to stop.
func (c *scripted) message(id string) (stop bool) {
	c.p.say(openText(id)...)
	text := ""
	for range c.rnd.IntN(12) {
		text += "word "
		c.p.say(textDelta("word "))
		if c.pause(15 * time.Millisecond) {
			return true
		}
	}
	c.p.say(assistantText(id, text), stream(&wire.BlockStop{Index: 0}))
	if c.rnd.IntN(3) > 0 {
		return false
	}
	tool := "toolu_" + id
	c.p.say(stream(&wire.BlockStart{Index: 1, Type: "tool_use", ID: tool, Name: "Bash"}))
	c.p.say(&wire.Assistant{Message: wire.Message{ID: id, Content: wire.Content{{Type: "tool_use", ID: tool, Name: "Bash"}}}},
		stream(&wire.BlockStop{Index: 1}))
	if c.rnd.IntN(2) == 0 {
		c.book.mu.Lock()
		c.book.asked++
		question := fmt.Sprintf("q%d", c.book.asked)
		c.book.mu.Unlock()
		c.desk.ask(c.p.spec.SessionID, question)
		for c.desk.isOpen(c.p.spec.SessionID, question) {
			if c.pause(50 * time.Millisecond) {
				return true
			}
		}
	}
	if c.pause(100 * time.Millisecond) {
		return true
	}
	c.p.say(&wire.User{Message: wire.Message{Content: wire.Content{{Type: "tool_result", ToolUseID: tool, Content: wire.Content{{Type: "text", Text: "ok"}}}}}})
	return false
}

// end sends the end of a turn in one of the recorded ways.
func (c *scripted) end(uuids []string, stopped bool) {
	if c.died {
		return
	}
	if stopped {
		if c.rnd.IntN(5) == 0 {
			// Too slow: Parley kills the process.
			select {
			case <-c.p.gone:
				c.died = true
				return
			case <-time.After(time.Minute):
			}
		}
		c.p.abort(uuids...)
		return
	}
	for _, id := range c.folded {
		c.p.say(lifecycle(id, "completed"))
	}
	c.p.say(&wire.Result{Subtype: "success", IsError: c.rnd.IntN(10) == 0, UserMessageUUIDs: uuids})
	if len(uuids) > 0 {
		c.p.say(lifecycle(uuids[0], "completed"))
	}
}

func (q *fakeQuestions) isOpen(session, id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Contains(q.open[session], id)
}

func (q *fakeQuestions) openOf(session string) []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.open[session])
}

// TestLongRandomLives drives a session at random against a random CLI. Invariants:
// every accepted prompt is shown once and has exactly one terminal event, every
// opened block is closed, numbers are dense, no state changes illegally, and nothing
// is left running.
func TestLongRandomLives(t *testing.T) {
	runs := *modelRuns
	if testing.Short() {
		runs = 30
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inBubble(t, func(r *rig) { liveAtRandom(r, seed) })
		})
	}
}

func liveAtRandom(r *rig, seed uint64) {
	t := r.t
	rnd := rand.New(rand.NewPCG(seed, 1))
	shared := &book{started: make(map[string]bool)}
	r.engine.setStart(func(ctx context.Context, _ Spec, p *fakeProcess) error {
		shared.mu.Lock()
		shared.starts++
		own := rand.New(rand.NewPCG(seed, uint64(shared.starts)+10))
		shared.mu.Unlock()
		if own.IntN(3) == 0 {
			select {
			case <-time.After(time.Duration(own.IntN(500)) * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if own.IntN(10) == 0 {
			return errors.New("by chance")
		}
		c := &scripted{t: t, rnd: own, p: p, desk: r.desk, book: shared,
			inbox: make(chan wire.UserMessage, 300), stop: make(chan struct{}, 100)}
		p.onSend = func(m wire.UserMessage) error {
			shared.received(t, m.UUID)
			c.inbox <- m
			return nil
		}
		p.onControl = func(ctx context.Context, body wire.ControlBody) error {
			if body.ControlSubtype() == "interrupt" {
				c.stop <- struct{}{}
			}
			return nil
		}
		go c.live()
		return nil
	})

	accepted := make(map[string]bool)
	for range 10 + rnd.IntN(60) {
		switch n := rnd.IntN(100); {
		case n < 35:
			id := fmt.Sprintf("p%d", rnd.IntN(200))
			if _, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: id, Text: id}); err != nil {
				t.Fatalf("prompt: %v", err)
			}
			accepted[id] = true
		case n < 50:
			if err := r.reg.Interrupt(context.Background(), r.id, "window"); err != nil {
				t.Fatalf("interrupt: %v", err)
			}
		case n < 75:
			for _, q := range r.desk.openOf(r.id) {
				r.desk.resolve(r.id, q, "allow")
			}
		case n < 80:
			_ = r.reg.SetModel(context.Background(), r.id, "other") // a dead CLI may refuse
		case n < 83:
			r.engine.mu.Lock()
			if len(r.engine.all) > 0 {
				r.engine.all[len(r.engine.all)-1].die(Exit{Code: -1, Signal: "SIGKILL"})
			}
			r.engine.mu.Unlock()
		}
		time.Sleep(time.Duration(rnd.IntN(200)) * time.Millisecond)
	}
	if rnd.IntN(4) > 0 { // else it is closed midway
		for range 600 {
			time.Sleep(time.Second)
			if e := r.record().Error; e != nil && e.Code == "conversation_gone" {
				if err := r.reg.Fresh(context.Background(), r.id); err != nil && r.record().State == string(Failed) {
					t.Errorf("seed %d: begin afresh: %v", seed, err)
				}
			}
			for _, q := range r.desk.openOf(r.id) {
				r.desk.resolve(r.id, q, "allow")
			}
			for _, q := range r.record().Queued {
				if q.State != "sent" && q.State != "queued" {
					_ = r.reg.SendQueued(context.Background(), r.id, q.PromptID)
				}
			}
			if len(r.without(accepted)) == 0 && !r.state().busy() {
				break
			}
		}
		if s := r.state(); s.busy() {
			t.Errorf("seed %d: after ten minutes the session is %s", seed, s)
		}
		for id := range accepted {
			if got := r.dones()[id]; len(got) != 1 {
				t.Errorf("seed %d: terminal events of %s are %v before closing, want one; %s, waiting %q, error %v", seed, id, got, r.state(), r.queued(), r.record().Error)
			}
		}
	}
	r.close()
	checkLife(r, accepted)
}

// without lists the prompts that have no terminal event. It doesn't just compare
// counts, because turns of the CLI's own also end with such an event.
func (r *rig) without(accepted map[string]bool) (ids []string) {
	dones := r.dones()
	for id := range accepted {
		if len(dones[id]) == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// checkLife checks the invariants over all events of a session.
func checkLife(r *rig, accepted map[string]bool) {
	t := r.t
	// By turn; a prompt whose turn ended without it has another one.
	users, processing, done := make(map[string]int), make(map[string]int), make(map[string]int)
	over := make(map[string]int)
	ownBegun, ownDone := make(map[string]int), make(map[string]int)
	open, ended := make(map[string]int), make(map[string]int)
	for _, e := range r.pub.of(r.id) {
		switch e := e.(type) {
		case *event.UserMessage:
			users[e.TurnID]++
		case *event.Processing:
			if e.Origin == "cli" {
				ownBegun[e.TurnID]++
			} else {
				processing[e.TurnID]++
			}
		case *event.Done:
			if e.PromptID == "" {
				ownDone[e.TurnID]++
				break
			}
			done[e.TurnID]++
			if e.Waits {
				break
			}
			over[e.PromptID]++
			if users[e.TurnID] == 0 {
				t.Errorf("%s is done before it stands in the conversation", e.PromptID)
			}
		case *event.TextDelta:
			open[e.BlockID] = 1
		case *event.ToolStart:
			open[e.BlockID] = 1
		case *event.BlockEnd:
			ended[e.BlockID]++
			if open[e.BlockID] == 0 {
				t.Errorf("block %s ends before it opens", e.BlockID)
			}
		}
	}
	held := 0
	for id := range accepted {
		if over[id] == 0 {
			held++
			r.wantHeld(id)
		} else if over[id] > 1 {
			t.Errorf("%s has %d ends", id, over[id])
		}
	}
	if len(over)+held != len(accepted) {
		t.Errorf("%d prompts are done and %d wait, %d were accepted", len(over), held, len(accepted))
	}
	for turn, n := range done {
		if n != 1 || users[turn] > 1 || processing[turn] > 1 {
			t.Errorf("turn %s: %d user messages, %d processing, %d done", turn, users[turn], processing[turn], n)
		}
	}
	for turn, n := range ownBegun {
		if n != 1 || ownDone[turn] != 1 {
			t.Errorf("turn %s of the CLI: %d begun, %d done", turn, n, ownDone[turn])
		}
	}
	if len(ownDone) != len(ownBegun) {
		t.Errorf("%d turns of the CLI ended, %d began", len(ownDone), len(ownBegun))
	}
	for id := range open {
		if ended[id] != 1 {
			t.Errorf("block %s was closed %d times", id, ended[id])
		}
	}
	if n := r.desk.Count(r.id); n != 0 {
		t.Errorf("%d questions are left open", n)
	}
	synctest.Wait()
	r.wantState(Closed)
}
