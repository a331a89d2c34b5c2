// Package permission is where open questions live: may this tool run, which
// answer, is this plan good. An engine asks and waits; people answer from
// whichever surface they sit at; the first answer wins, exactly once. A question
// stays until it is answered, withdrawn or expired, whatever happens to windows
// and sockets meanwhile.
//
// The package is pure: no files, no sockets, no processes. It knows neither who
// asks (an MCP tool, the control protocol) nor who answers (window, gateway,
// chat relay), nor how events are published: changes go to one observer.
//
// Goroutines: [Desk.Ask] waits in its caller's goroutine. While there are
// changes to report, one goroutine of the desk hands them to the observer;
// [Desk.Close] waits for it.
package permission

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/fault"
)

// Desk holds the open questions of all sessions. Its methods may be called from
// any goroutine.
type Desk struct {
	cfg Config

	mu       sync.Mutex
	seq      uint64
	open     map[string]*entry // by request id, at most MaxOpen
	held     int               // questions whose end is not reported yet
	sessions map[string]int    // held, by session
	resolved *recent[string, Resolution]
	rules    *recent[string, *recent[ruleKey, struct{}]] // by session
	queue    []Change                                    // at most two for each held question
	draining bool
	closed   bool
	observer sync.WaitGroup
	asking   sync.WaitGroup // questions that have a goroutine which waits
}

// entry is an open question. decision is set before done is closed.
type entry struct {
	seq      uint64
	question Question
	done     chan struct{}
	decision Decision
}

// NewDesk returns an empty desk. It must be closed.
func NewDesk(cfg Config) *Desk {
	if cfg.Expiry <= 0 {
		cfg.Expiry = DefaultExpiry
	}
	if cfg.Forbid == nil {
		cfg.Forbid = func(Question) string { return "" }
	}
	if cfg.Decide == nil {
		cfg.Decide = func(_ context.Context, q *Question) *Decision {
			if why := cfg.Forbid(*q); why != "" {
				return &Decision{Outcome: OutcomeDeny, Message: why, By: ByRule}
			}
			return nil
		}
	}
	if cfg.Record == nil {
		cfg.Record = func(Question) func(Decision) { return func(Decision) {} }
	}
	return &Desk{
		cfg:      cfg,
		open:     make(map[string]*entry),
		sessions: make(map[string]int),
		resolved: newRecent[string, Resolution](maxResolved),
		rules:    newRecent[string, *recent[ruleKey, struct{}]](maxRuleSessions),
	}
}

// Ask opens a question and waits until it ends. An empty RequestID, Kind,
// AskedAt or ExpiresAt is filled in.
//
// The error is ctx's when ctx ended first (the question is then withdrawn), or a
// fault for a question that cannot be asked (no session, no tool, an input that
// is no JSON object, a request id used before). Every other end is a Decision
// that can be passed on to the CLI, also when the question expired, was
// withdrawn, or did not fit on the desk.
func (d *Desk) Ask(ctx context.Context, q Question) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	if err := d.complete(&q); err != nil {
		return Decision{}, err
	}
	ruling, err := d.ruling(ctx, &q)
	if err != nil {
		return Decision{}, err
	}
	// Before anybody hears of it: what was asked is on record whatever comes next.
	ended := d.cfg.Record(q)
	e, refused, err := d.admit(q, ruling)
	if err != nil {
		ended(withdrawn("it could not be asked"))
		return Decision{}, err
	}
	if refused != nil {
		ended(*refused)
		return *refused, nil
	}
	defer d.asking.Done()
	decision, err := e.wait(ctx, d)
	ended(e.decision)
	return decision, err
}

// wait returns when the question has ended, which it does at the latest with ctx
// or when its time is up.
func (e *entry) wait(ctx context.Context, d *Desk) (Decision, error) {
	q := e.question
	expiry := time.NewTimer(time.Until(time.UnixMilli(q.ExpiresAt)))
	defer expiry.Stop()
	select {
	case <-e.done:
	case <-ctx.Done():
		d.finish(e, withdrawn("the question was cancelled"))
		if e.decision.Outcome == OutcomeWithdrawn {
			return Decision{}, ctx.Err()
		}
	case <-expiry.C:
		d.finish(e, expired(time.UnixMilli(q.ExpiresAt).Sub(time.UnixMilli(q.AskedAt))))
	}
	return e.decision, nil
}

// complete checks a question and fills in what the asker left empty.
func (d *Desk) complete(q *Question) error {
	switch {
	case q.SessionID == "":
		return fault.New(fault.Invalid, "A question needs a session.")
	case q.ToolName == "":
		return fault.New(fault.Invalid, "A question needs a tool name.")
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

// ruling is how a question ends without anybody being asked, nil when people are. The
// error is that of ctx.
func (d *Desk) ruling(ctx context.Context, q *Question) (*Decision, error) {
	var ruling *Decision
	if q.Kind == KindTool {
		ruling = d.cfg.Decide(ctx, q)
	}
	if ruling == nil && d.ruled(*q) {
		ruling = &Decision{Outcome: OutcomeAllow, By: ByRule, Why: "The same was allowed before, for the session."}
	}
	if ruling != nil {
		q.Decided = ruling.By
		if ruling.Allowed() && ruling.UpdatedInput == nil {
			ruling.UpdatedInput = q.Input
		}
	}
	return ruling, ctx.Err()
}

// ruled says whether a remembered answer fits a question. A rule that wants to be
// asked goes before it.
func (d *Desk) ruled(q Question) bool {
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

// admit puts a question on the desk. It returns a decision instead when there is
// no room; when a rule answers the question, the entry has ended already.
func (d *Desk) admit(q Question, ruling *Decision) (*entry, *Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, used := d.open[q.RequestID]; used || d.resolved.has(q.RequestID) {
		return nil, nil, fault.New(fault.Conflict, "The request id %s was used before.", q.RequestID)
	}
	var refusal string
	switch {
	case d.closed:
		refusal = "Parley is closing, so nobody can be asked."
	case d.held >= MaxOpen:
		refusal = fmt.Sprintf("Too many questions are waiting for an answer (%d), so this one was not asked.", MaxOpen)
	case d.sessions[q.SessionID] >= MaxOpenPerSession:
		refusal = fmt.Sprintf("Too many questions of this session are waiting for an answer (%d), so this one was not asked.", MaxOpenPerSession)
	}
	if refusal != "" {
		return nil, &Decision{Outcome: OutcomeDeny, Message: refusal}, nil
	}

	d.seq++
	e := &entry{seq: d.seq, question: q, done: make(chan struct{})}
	d.open[q.RequestID] = e
	d.held++
	d.asking.Add(1)
	d.sessions[q.SessionID]++
	d.report(Change{Question: q})
	if ruling != nil {
		d.finishLocked(e, *ruling)
	}
	return e, nil, nil
}

// Respond answers a question on behalf of the surface named by. The first answer
// that is valid wins; won is false when the question had ended before, and
// [Desk.Resolution] then says how. An answer that does not fit the question is a
// fault (invalid) and leaves it open; an unknown id is a fault (not_found).
func (d *Desk) Respond(requestID string, a Answer, by string) (won bool, err error) {
	d.mu.Lock()
	e, ok := d.open[requestID]
	ended := d.resolved.has(requestID)
	d.mu.Unlock()
	if !ok {
		if ended {
			return false, nil
		}
		return false, fault.New(fault.NotFound, "There is no question with the id %q.", requestID)
	}

	// Inputs can be large: they are read outside the lock, and the question may
	// end meanwhile.
	decision, err := decide(e.question, a)
	if err != nil {
		return false, err
	}
	if edited := e.question; decision.Allowed() && edited.Kind == KindTool {
		// An edit must not get around what is forbidden.
		edited.Input = decision.UpdatedInput
		if why := d.cfg.Forbid(edited); why != "" {
			return false, fault.New(fault.Invalid, "%s Answer with another input, or deny.", why)
		}
	}
	decision.By, decision.Connection = by, a.Connection
	var key ruleKey
	if a.Remember {
		key, decision.Remembered = keyOf(e.question.ToolName, decision.UpdatedInput)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.finishLocked(e, decision) {
		return false, nil
	}
	if decision.Remembered {
		d.remember(e.question.SessionID, key)
	}
	return true, nil
}

// Review decides open questions about tools anew: those that decide has a decision
// for end with it. It is for rules that were made meanwhile.
func (d *Desk) Review(decide func(Question) *Decision) {
	for _, q := range d.List("") {
		if q.Kind != KindTool {
			continue
		}
		decision := decide(q)
		if decision == nil {
			continue
		}
		if decision.Allowed() && decision.UpdatedInput == nil {
			decision.UpdatedInput = q.Input
		}
		d.mu.Lock()
		if e := d.open[q.RequestID]; e != nil {
			d.finishLocked(e, *decision)
		}
		d.mu.Unlock()
	}
}

// Withdraw ends every open question of a session: the CLI no longer asks. why
// completes the sentence "The question was withdrawn: …".
func (d *Desk) Withdraw(sessionID, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.sorted(sessionID) {
		d.finishLocked(e, withdrawn(why))
	}
}

// Forget drops what was remembered for a session that has ended.
func (d *Desk) Forget(sessionID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules.delete(sessionID)
}

// Close withdraws every question, refuses new ones, and returns when the
// observer has seen every change and all ends are recorded. It may be repeated.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	for _, e := range d.sorted("") {
		d.finishLocked(e, withdrawn("Parley is closing"))
	}
	d.mu.Unlock()
	d.asking.Wait()
	d.observer.Wait()
}

func (d *Desk) finish(e *entry, decision Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.finishLocked(e, decision)
}

// finishLocked ends a question and says whether this call did it: the one place
// where a question leaves the desk.
func (d *Desk) finishLocked(e *entry, decision Decision) bool {
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
	e.decision = decision
	close(e.done)
	d.report(Change{Question: e.question, Resolution: &r})
	return true
}

// remember notes that a tool may run with an input. Called with mu held.
func (d *Desk) remember(sessionID string, key ruleKey) {
	rules, ok := d.rules.get(sessionID)
	if !ok {
		rules = newRecent[ruleKey, struct{}](maxRules)
		d.rules.put(sessionID, rules)
	}
	rules.put(key, struct{}{})
}

// isObject says whether raw is one JSON object.
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
