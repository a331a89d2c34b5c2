package sessiontools

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/app/sessions"
	"parley/app/tool"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
)

// States of a receipt, in order.
const (
	receiptAccepted  = "accepted"  // it is queued in Parley, or waits for a process
	receiptDelivered = "delivered" // the other model reads it: its turn has started
	receiptAnswered  = "answered"
	receiptFailed    = "failed"
)

const (
	// maxReceipts is how many receipts are kept; finished ones are dropped first.
	maxReceipts = 500
	// maxAnswer bounds the kept part of an answer, in bytes.
	maxAnswer = 16 << 10
	// maxHops is how many consecutive messages between sessions are allowed without a user.
	maxHops = 6
	// maxSentPerHour is how many prompts one session may send to others.
	maxSentPerHour = 60
)

// messenger sends models' prompts to other sessions, and tracks their outcome. Its methods may be
// called from any goroutine.
//
// Goroutines: one that reads the sessions' events; close waits for it.
type messenger struct {
	prompt  func(ctx context.Context, p sessions.SessionPromptParams) (sessions.SessionPromptResult, error)
	history func(ctx context.Context, id string, limit int, before string) (event.History, error)
	session func(ctx context.Context, id string) (event.Session, error)
	// turn is a session's running turn, "" for none.
	turn func(sessionID string) string
	// heard is the number of hops from a user to what a session read in rooms, -1 for nothing.
	heard func(sessionID string) int
	bus   *bus.Bus
	now   func() time.Time
	log   *slog.Logger

	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu       sync.Mutex
	receipts map[string]*receipt
	order    []string // oldest first
	sent     map[string][]time.Time
}

// receipt is the state of a prompt. Its id is the prompt's.
type receipt struct {
	id, from, to, turn string
	state              string
	// reason says why it failed; answer is the other model's last message.
	reason, answer string
	hops           int
	at             time.Time
	// changed is closed and replaced when the state changes.
	changed chan struct{}
}

func (r *receipt) over() bool { return r.state == receiptAnswered || r.state == receiptFailed }

// start starts listening.
func (c *messenger) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := c.bus.Subscribe([]string{"session.processing", "session.done"}, bus.Limits{})
	if err != nil {
		cancel()
		return err
	}
	c.cancel = cancel
	c.tasks.Go(func() {
		defer events.Close()
		for {
			batch, err := events.Next(ctx)
			if err != nil {
				return
			}
			for _, r := range batch.Records {
				c.hear(ctx, r.Event)
			}
			if batch.Lagged {
				c.look(ctx)
			}
		}
	})
	return nil
}

func (c *messenger) close() {
	if c.cancel != nil {
		c.cancel()
	}
	c.tasks.Wait()
}

// send sends a text to a session, where it waits for its turn, and returns its current receipt.
func (c *messenger) send(ctx context.Context, from, to, text string) (receipt, error) {
	r := &receipt{id: uuid.NewString(), from: from, to: to, state: receiptAccepted, changed: make(chan struct{})}
	if err := c.enter(r); err != nil {
		return receipt{}, err
	}
	sent, err := c.prompt(ctx, sessions.SessionPromptParams{SessionID: to, Text: text, PromptID: r.id, Delivery: "queue"})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.receipts, r.id)
		c.order = slices.DeleteFunc(c.order, func(id string) bool { return id == r.id })
		return receipt{}, err
	}
	r.turn = sent.TurnID
	return *r, nil
}

// enter records a prompt before it is sent, so that no event is missed.
func (c *messenger) enter(r *receipt) error {
	turn, heard := c.turn(r.from), c.heard(r.from)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.receipts == nil {
		c.receipts, c.sent = map[string]*receipt{}, map[string][]time.Time{}
	}
	now := c.now()
	r.at = now
	// A message caused by a room is two hops further: the room's message was at least the first.
	r.hops = max(1, heard+2)
	for _, other := range c.receipts {
		if turn != "" && other.turn == turn {
			r.hops = max(r.hops, other.hops+1)
		}
	}
	if r.hops > maxHops {
		return fault.New(fault.Conflict, "Sessions have written to each other %d times in a row without the user. The user has to continue.", maxHops)
	}
	lately := slices.DeleteFunc(c.sent[r.from], func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if len(lately) >= maxSentPerHour {
		return fault.New(fault.Busy, "This session has written to others %d times within an hour, which is the limit.", maxSentPerHour)
	}
	if len(c.order) >= maxReceipts && !c.forget() {
		return fault.New(fault.Busy, "Too many messages between sessions are pending. Wait until some are answered.")
	}
	for id, times := range c.sent { // those silent for an hour
		if id != r.from && now.Sub(times[len(times)-1]) >= time.Hour {
			delete(c.sent, id)
		}
	}
	c.sent[r.from] = append(lately, now)
	c.receipts[r.id] = r
	c.order = append(c.order, r.id)
	return nil
}

// forget drops the oldest finished receipt. Called with mu held.
func (c *messenger) forget() bool {
	at := slices.IndexFunc(c.order, func(id string) bool { return c.receipts[id].over() })
	if at < 0 {
		return false
	}
	delete(c.receipts, c.order[at])
	c.order = slices.Delete(c.order, at, at+1)
	return true
}

// hear handles a session's event.
func (c *messenger) hear(ctx context.Context, e event.Event) {
	switch e := e.(type) {
	case *event.Processing:
		c.move(e.PromptID, func(r *receipt) {
			if r.state == receiptAccepted {
				r.state, r.turn = receiptDelivered, e.TurnID
			}
		})
	case *event.Done:
		if !c.knows(e.PromptID) {
			return
		}
		c.conclude(ctx, e.PromptID, e.SessionID, e.TurnID, e.Reason)
	}
}

// hops is the number of consecutive messages between sessions up to a prompt, 0 if no session wrote
// it.
func (c *messenger) hops(promptID string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.receipts[promptID]; r != nil {
		return r.hops
	}
	return 0
}

func (c *messenger) knows(promptID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return promptID != "" && c.receipts[promptID] != nil
}

// conclude ends a receipt.
func (c *messenger) conclude(ctx context.Context, promptID, to, turn, reason string) {
	answer := ""
	if reason == "completed" {
		answer = c.answer(ctx, to, turn)
	}
	c.move(promptID, func(r *receipt) {
		if r.over() {
			return
		}
		r.turn = turn
		if reason == "completed" {
			r.state, r.answer = receiptAnswered, answer
			return
		}
		r.state, r.reason = receiptFailed, ending(reason)
	})
}

// ending describes the end of a turn for a session waiting for its answer.
func ending(reason string) string {
	switch reason {
	case "interrupted":
		return "Someone stopped the other session's turn."
	case "crashed":
		return "The other session's process ended before its answer."
	case "failed":
		return "The other session's process could not be started."
	case "dropped":
		return "Someone removed the message before the other session read it."
	case "closed":
		return "The other session was closed before its answer."
	case "error":
		return "The other session's turn ended with an error."
	}
	return "Its turn ended without an answer."
}

// answer is a turn's last message.
func (c *messenger) answer(ctx context.Context, id, turn string) string {
	page, err := c.history(ctx, id, 100, "")
	if err != nil {
		c.log.Warn("Couldn't read a session's answer", "session", id, "err", err)
		return ""
	}
	for _, m := range slices.Backward(page.Messages) {
		if m.Role != "assistant" || m.TurnID != turn || m.ParentToolUseID != "" {
			continue
		}
		if text := saidIn(m); text != "" {
			return tool.Cut(text, maxAnswer)
		}
	}
	return ""
}

// saidIn is the text of a message.
func saidIn(m event.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
			parts = append(parts, strings.TrimSpace(b.Text))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (c *messenger) move(promptID string, change func(*receipt)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.receipts[promptID]
	if r == nil || promptID == "" {
		return
	}
	before := r.state
	if change(r); r.state != before {
		close(r.changed)
		r.changed = make(chan struct{})
	}
}

// look handles missed events: a prompt that is neither queued nor running is over.
func (c *messenger) look(ctx context.Context) {
	c.mu.Lock()
	var open []receipt
	for _, r := range c.receipts {
		if !r.over() && r.turn != "" {
			open = append(open, *r)
		}
	}
	c.mu.Unlock()
	for _, r := range open {
		s, err := c.session(ctx, r.to)
		waits := slices.ContainsFunc(s.Queued, func(q event.QueuedPrompt) bool { return q.PromptID == r.id })
		if err != nil || waits || c.turn(r.to) == r.turn {
			continue
		}
		reason := "completed"
		if c.answer(ctx, r.to, r.turn) == "" {
			reason = ""
		}
		c.conclude(ctx, r.id, r.to, r.turn, reason)
	}
}

// get returns a receipt of a session's own prompt.
func (c *messenger) get(from, id string) (receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.receipts[id]
	if r == nil || r.from != from {
		return receipt{}, fault.New(fault.NotFound, "This session has no receipt %.50q. Receipts end with Parley; read_session shows what the other session did.", id)
	}
	return *r, nil
}

// wait waits until a receipt has ended, for at most patience; tell is called with each step. The
// receipt is as of then. The error is ctx's.
func (c *messenger) wait(ctx context.Context, from, id string, patience time.Duration, tell func(receipt)) (receipt, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		r, err := c.get(from, id)
		if err != nil || r.over() {
			return r, err
		}
		tell(r)
		select {
		case <-r.changed:
		case <-timer.C:
			return c.get(from, id)
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}
