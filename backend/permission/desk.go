// Package permission holds the open questions: whether a tool may run, which
// answer to give, whether a plan is good. An engine asks and waits; users answer
// from any surface; the first answer wins, exactly once. A question stays until
// it is answered, withdrawn or expired, whatever happens to windows and sockets.
//
// The package is pure: no files, no sockets, no processes. It doesn't know who
// asks (an MCP tool, the control protocol), who answers (window, gateway, chat
// relay), or how events are published: one observer receives the changes.
//
// When this process becomes another program, the questions continue there with their
// ids ([Queue.HandOver]), and an asker that repeats a question gets its answer.
//
// Goroutines: [Queue.Ask] waits in its caller's goroutine. While there are
// changes to report, one goroutine of the desk hands them to the observer;
// [Queue.Close] waits for it.
package permission

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/event"
	"parley/backend/fault"
)

// Queue holds the open questions of all sessions. Its methods may be called from
// any goroutine.
type Queue struct {
	cfg Config

	mu       sync.Mutex
	seq      uint64
	open     map[string]*entry // by request id, at most MaxOpen
	held     int               // questions whose end isn't reported yet
	sessions map[string]int    // held, by session
	resolved *recent[string, Resolution]
	rules    *recent[string, *recent[ruleKey, struct{}]] // by session
	queue    []Change                                    // at most two per held question
	draining bool
	// reported counts the queued changes, seen those the observer has handled; looked is
	// signaled after each of those.
	reported, seen uint64
	looked         *sync.Cond
	closed         bool
	// thawed is closed when the desk continues, nil unless it is frozen.
	thawed chan struct{}
	// orphans are questions of an earlier desk that no caller waits for yet, oldest first;
	// given are recent answers, for a later desk.
	orphans  []*entry
	adopting *time.Timer
	given    []given
	observer sync.WaitGroup
	asking   sync.WaitGroup // goroutines that wait for an answer
}

// entry is an open question. decision and written are set before done is closed.
type entry struct {
	seq      uint64
	question Request
	done     chan struct{}
	decision Decision
	// ended records how it ended; written is set if that already happened. answering is
	// held while an answer is being recorded.
	ended     func(Decision) error
	written   bool
	answering sync.Mutex
	// seen is closed when the observer has seen the question; nil for one that users answer.
	seen chan struct{}
}

// NewQueue returns an empty queue. It must be closed.
func NewQueue(cfg Config) *Queue {
	if cfg.Expiry <= 0 {
		cfg.Expiry = DefaultExpiry
	}
	if cfg.Forbid == nil {
		cfg.Forbid = func(Request) string { return "" }
	}
	if cfg.Decide == nil {
		cfg.Decide = func(_ context.Context, q *Request) *Decision {
			if why := cfg.Forbid(*q); why != "" {
				return &Decision{Outcome: OutcomeDeny, Message: why, By: ByRule}
			}
			return nil
		}
	}
	if cfg.Record == nil {
		cfg.Record = func(Request) func(Decision) error { return func(Decision) error { return nil } }
	}
	if cfg.Again == nil {
		cfg.Again = cfg.Record
	}
	d := &Queue{
		cfg:      cfg,
		open:     make(map[string]*entry),
		sessions: make(map[string]int),
		resolved: newRecent[string, Resolution](maxResolved),
		rules:    newRecent[string, *recent[ruleKey, struct{}]](maxRuleSessions),
	}
	d.looked = sync.NewCond(&d.mu)
	return d
}

// Ask opens a question and waits until it ends. An empty RequestID, Kind,
// AskedAt or ExpiresAt is filled in.
//
// The error is ctx's if ctx ended first (the question is then withdrawn), or a
// fault for an invalid question (no session, no tool, an input that isn't a JSON
// object, a reused request id). Every other end is a Decision that can be passed
// on to the CLI, including expiry, withdrawal, and a full desk.
func (d *Queue) Ask(ctx context.Context, q Request) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if err := d.complete(&q); err != nil {
		return Decision{}, err
	}
	if err := d.flows(ctx); err != nil {
		return Decision{}, err
	}
	if e := d.adopt(q); e != nil {
		return d.await(ctx, e)
	}
	ruling, err := d.ruling(ctx, &q)
	if err != nil {
		return Decision{}, err
	}
	// Record it before anyone else knows of it, so that the record exists whatever
	// happens next.
	ended := d.cfg.Record(q)
	if ruling != nil {
		if err := ended(*ruling); err != nil && ruling.Allowed() {
			// Users are asked instead and see why.
			q.Decided, ruling = "", nil
			q.Verdict = &event.Verdict{Effect: "ask", Why: fault.MessageOf(err), Rules: []string{}, Parts: []event.VerdictPart{}}
		}
	}
	e, refused, err := d.admit(ctx, q, ruling, ended)
	if err != nil {
		_ = ended(withdrawn("it could not be asked")) // nothing is allowed
		return Decision{}, err
	}
	if refused != nil {
		_ = ended(*refused)
		return *refused, nil
	}
	return d.await(ctx, e)
}

// await waits for the end of a question and records it. The caller is counted in
// asking.
func (d *Queue) await(ctx context.Context, e *entry) (Decision, error) {
	defer d.asking.Done()
	decision, err := e.wait(ctx, d)
	if !e.written {
		_ = e.ended(e.decision) // it allows nothing
	}
	return decision, err
}

// wait returns when the question has ended, at the latest with ctx or at its
// expiry.
func (e *entry) wait(ctx context.Context, d *Queue) (Decision, error) {
	q := e.question
	if e.seen != nil {
		// The observer hasn't seen it. The effects of the answer would precede it.
		select {
		case <-e.seen:
		case <-ctx.Done():
		}
	}
	expiry := time.NewTimer(time.Until(time.UnixMilli(q.ExpiresAt)))
	defer expiry.Stop()
	select {
	case <-e.done:
	case <-ctx.Done():
		_ = d.flows(context.Background()) // nothing ends on a frozen desk
		d.finish(e, withdrawn("it was canceled"))
		if e.decision.Outcome == OutcomeWithdrawn {
			return Decision{}, ctx.Err()
		}
	case <-expiry.C:
		_ = d.flows(context.Background())
		d.finish(e, expired(time.UnixMilli(q.ExpiresAt).Sub(time.UnixMilli(q.AskedAt))))
	}
	return e.decision, nil
}

// complete validates a question and fills in what the asker left empty.
func (d *Queue) complete(q *Request) error {
	switch {
	case q.SessionID == "":
		return fault.New(fault.Invalid, "A request needs a session.")
	case q.ToolName == "":
		return fault.New(fault.Invalid, "A request needs a tool name.")
	case !isObject(q.Input):
		return fault.New(fault.Invalid, "The input of %s is not a JSON object.", q.ToolName)
	}
	if q.RequestID == "" {
		q.RequestID = uuid.NewString()
	}
	if q.Kind == "" {
		q.Kind = KindOf(q.ToolName)
	}
	if q.Kind != KindTool {
		q.NoRemember = true
	}
	if q.AskedAt == 0 {
		q.AskedAt = time.Now().UnixMilli()
	}
	if q.ExpiresAt == 0 {
		q.ExpiresAt = time.UnixMilli(q.AskedAt).Add(d.cfg.Expiry).UnixMilli()
	}
	return nil
}

// ruling returns the decision if no user needs to be asked, otherwise nil. The error
// is ctx's.
func (d *Queue) ruling(ctx context.Context, q *Request) (*Decision, error) {
	var ruling *Decision
	if q.Kind == KindTool {
		ruling = d.cfg.Decide(ctx, q)
	}
	if ruling == nil && d.ruled(*q) {
		ruling = &Decision{Outcome: OutcomeAllow, By: ByRule, Why: "You already allowed this call for the session."}
	}
	if ruling != nil {
		q.Decided = ruling.By
		if ruling.Allowed() && ruling.UpdatedInput == nil {
			ruling.UpdatedInput = q.Input
		}
	}
	return ruling, ctx.Err()
}

// ruled reports whether a remembered answer fits a question. A rule that requires
// asking takes precedence.
func (d *Queue) ruled(q Request) bool {
	if q.NoRemember || q.Verdict != nil && q.Verdict.Effect == "ask" && len(q.Verdict.Rules) > 0 {
		return false
	}
	d.mu.Lock()
	_, known := d.rules.get(q.SessionID)
	d.mu.Unlock()
	if !known {
		return false
	}
	key, ok := keyOf(q.ToolName, q.Input) // outside the lock: inputs can be large
	if !ok {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rules, known := d.rules.get(q.SessionID)
	return known && rules.has(key)
}

// admit adds a question to the desk, or returns a decision if there is no room. If a
// rule answers the question, which is recorded by now, the entry has already ended.
func (d *Queue) admit(ctx context.Context, q Request, ruling *Decision, ended func(Decision) error) (*entry, *Decision, error) {
	if err := d.lockThawed(ctx); err != nil {
		return nil, nil, err
	}
	defer d.mu.Unlock()
	if _, used := d.open[q.RequestID]; used || d.resolved.has(q.RequestID) {
		return nil, nil, fault.New(fault.Conflict, "The request ID %s was already used.", q.RequestID)
	}
	var refusal string
	switch {
	case d.closed:
		refusal = "Parley is shutting down, so no one can be asked."
	case d.held >= MaxOpen:
		refusal = fmt.Sprintf("Too many requests are waiting for an answer (%d), so this one was denied.", MaxOpen)
	case d.sessions[q.SessionID] >= MaxOpenPerSession:
		refusal = fmt.Sprintf("Too many requests from this session are waiting for an answer (%d), so this one was denied.", MaxOpenPerSession)
	}
	if refusal != "" {
		return nil, &Decision{Outcome: OutcomeDeny, Message: refusal}, nil
	}

	d.seq++
	e := &entry{seq: d.seq, question: q, done: make(chan struct{}), ended: ended}
	d.open[q.RequestID] = e
	d.held++
	d.asking.Add(1)
	d.sessions[q.SessionID]++
	if ruling != nil {
		e.seen = make(chan struct{})
	}
	d.report(Change{Question: q, seen: e.seen})
	if ruling != nil {
		d.finishLocked(e, *ruling, true)
	}
	return e, nil, nil
}

// Withdraw ends every open question of a session: the CLI no longer asks. why completes
// the sentence "The request was withdrawn: …". It returns when the observer has seen all
// changes, so that they precede the caller's end; the observer must not call it.
func (d *Queue) Withdraw(sessionID, why string) {
	_ = d.lockThawed(context.Background())
	defer d.mu.Unlock()
	for _, e := range d.sorted(sessionID) {
		d.finishLocked(e, withdrawn(why), false)
	}
	for all := d.reported; d.seen < all; {
		d.looked.Wait()
	}
}

// Forget drops the remembered answers of a session that has ended.
func (d *Queue) Forget(sessionID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules.delete(sessionID)
}

// Close withdraws every question, refuses new ones, and returns when the
// observer has seen every change and all ends are recorded. It may be repeated.
func (d *Queue) Close() {
	d.mu.Lock()
	if d.thawed != nil { // they belong to another program
		d.mu.Unlock()
		return
	}
	d.closed = true
	for _, e := range d.sorted("") {
		d.finishLocked(e, withdrawn("Parley is closing"), false)
	}
	d.mu.Unlock()
	d.bury()
	d.asking.Wait()
	d.observer.Wait()
}

func (d *Queue) finish(e *entry, decision Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.finishLocked(e, decision, false)
}

// finishLocked ends a question and reports whether this call did so: it is the only
// place where a question leaves the desk. written is set if its end is already
// recorded.
func (d *Queue) finishLocked(e *entry, decision Decision, written bool) bool {
	id := e.question.RequestID
	if d.open[id] != e {
		return false
	}
	delete(d.open, id)
	r := Resolution{
		Outcome: decision.Outcome, By: decision.By, Message: decision.Message, Said: decision.Said, At: time.Now(),
		Why: decision.Why, Rules: decision.Rules, Made: decision.Made,
	}
	d.resolved.put(id, r)
	e.decision, e.written = decision, written
	close(e.done)
	d.remind(e)
	d.report(Change{Question: e.question, Resolution: &r})
	return true
}

// isObject reports whether raw is one JSON object.
func isObject(raw json.RawMessage) bool {
	for _, b := range raw {
		switch b {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return b == '{' && json.Valid(raw)
	}
	return false
}
