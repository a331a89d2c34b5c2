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
// When this process becomes another program, the questions go on there with their ids
// ([Desk.HandOver]), and whoever asks again gets the answer that one of them was given.
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

	"parley/backend/event"
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
	// reported and seen count the changes that were queued, and that the observer has seen;
	// looked is told when it has seen one.
	reported, seen uint64
	looked         *sync.Cond
	closed         bool
	// thawed is closed when the desk continues, nil while it is not frozen.
	thawed chan struct{}
	// orphans are questions of an earlier desk that nobody waits for yet, the oldest first;
	// given are the answers that ended some lately, for a later desk.
	orphans  []*entry
	adopting *time.Timer
	given    []given
	observer sync.WaitGroup
	asking   sync.WaitGroup // questions that have a goroutine which waits
}

// entry is an open question. decision and written are set before done is closed.
type entry struct {
	seq      uint64
	question Question
	done     chan struct{}
	decision Decision
	// ended records how it ended; written says that this was done before. answering is held
	// while an answer is recorded.
	ended     func(Decision) error
	written   bool
	answering sync.Mutex
	// seen is closed when the observer has seen the question; nil for one that people answer.
	seen chan struct{}
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
		cfg.Record = func(Question) func(Decision) error { return func(Decision) error { return nil } }
	}
	if cfg.Again == nil {
		cfg.Again = cfg.Record
	}
	d := &Desk{
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
	// Before anybody hears of it: what was asked is on record whatever comes next.
	ended := d.cfg.Record(q)
	if ruling != nil {
		if err := ended(*ruling); err != nil && ruling.Allowed() {
			// People are asked instead, and see why.
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

// await waits for the end of a question, and records it. The caller is one of asking.
func (d *Desk) await(ctx context.Context, e *entry) (Decision, error) {
	defer d.asking.Done()
	decision, err := e.wait(ctx, d)
	if !e.written {
		_ = e.ended(e.decision) // it allows nothing
	}
	return decision, err
}

// wait returns when the question has ended, which it does at the latest with ctx
// or when its time is up.
func (e *entry) wait(ctx context.Context, d *Desk) (Decision, error) {
	q := e.question
	if e.seen != nil {
		// Nobody can have looked at it. What the answer lets happen would come before it.
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
		_ = d.flows(context.Background()) // in a desk that is handed over nothing ends
		d.finish(e, withdrawn("the question was cancelled"))
		if e.decision.Outcome == OutcomeWithdrawn {
			return Decision{}, ctx.Err()
		}
	case <-expiry.C:
		_ = d.flows(context.Background())
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
// no room; when a rule answers the question, which is on record by now, the entry has
// ended already.
func (d *Desk) admit(ctx context.Context, q Question, ruling *Decision, ended func(Decision) error) (*entry, *Decision, error) {
	if err := d.lockThawed(ctx); err != nil {
		return nil, nil, err
	}
	defer d.mu.Unlock()
	if _, used := d.open[q.RequestID]; used || d.resolved.has(q.RequestID) {
		return nil, nil, fault.New(fault.Conflict, "The request id %s was used before.", q.RequestID)
	}
	var refusal string
	switch {
	case d.closed:
		refusal = "Parley is shutting down, so nobody can be asked."
	case d.held >= MaxOpen:
		refusal = fmt.Sprintf("Too many questions are waiting for an answer (%d), so this one was not asked.", MaxOpen)
	case d.sessions[q.SessionID] >= MaxOpenPerSession:
		refusal = fmt.Sprintf("Too many questions of this session are waiting for an answer (%d), so this one was not asked.", MaxOpenPerSession)
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

// Withdraw ends every open question of a session: the CLI no longer asks. why
// completes the sentence "The question was withdrawn: …". It returns when the observer has
// seen all that has happened, so that it comes before the end of who calls: the observer
// must not call it.
func (d *Desk) Withdraw(sessionID, why string) {
	_ = d.lockThawed(context.Background())
	defer d.mu.Unlock()
	for _, e := range d.sorted(sessionID) {
		d.finishLocked(e, withdrawn(why), false)
	}
	for all := d.reported; d.seen < all; {
		d.looked.Wait()
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
	if d.thawed != nil { // they are another program's
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

func (d *Desk) finish(e *entry, decision Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.finishLocked(e, decision, false)
}

// finishLocked ends a question and says whether this call did it: the one place
// where a question leaves the desk. written says that its end is on record already.
func (d *Desk) finishLocked(e *entry, decision Decision, written bool) bool {
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
