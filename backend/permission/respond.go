package permission

import "parley/backend/fault"

// Respond answers a question on behalf of the surface by. The first valid answer
// wins; won is false if the question had already ended, and [Queue.Resolution]
// then returns how. An answer that doesn't fit the question is a fault (invalid)
// and leaves it open; an unknown id is a fault (not_found).
func (d *Queue) Respond(requestID string, a Answer, by string) (won bool, err error) {
	d.mu.Lock()
	e, ok := d.open[requestID]
	ended := d.resolved.has(requestID)
	d.mu.Unlock()
	if !ok {
		if ended {
			return false, nil
		}
		return false, fault.New(fault.NotFound, "There is no request with ID %q.", requestID)
	}

	// Inputs can be large: they are read outside the lock, so the question may
	// end in between.
	decision, err := decide(e.question, a)
	if err != nil {
		return false, err
	}
	if edited := e.question; decision.Allowed() && edited.Kind == KindTool {
		// An edit must not get around Forbid.
		edited.Input = decision.UpdatedInput
		if why := d.cfg.Forbid(edited); why != "" {
			return false, fault.New(fault.Invalid, "%s Change the input, or deny the request.", why)
		}
	}
	decision.By, decision.Connection = by, a.Connection
	var key ruleKey
	if a.Remember {
		key, decision.Remembered = keyOf(e.question.ToolName, decision.UpdatedInput)
	}

	if won, err := d.answer(e, decision); !won || err != nil {
		return false, err
	}
	if decision.Remembered {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.remember(e.question.SessionID, key)
	}
	return true, nil
}

// answer ends a question with an answer that is recorded before anyone learns of it. Its
// error says why recording failed: an answer that allows something then doesn't count,
// and the question stays open.
func (d *Queue) answer(e *entry, decision Decision) (won bool, err error) {
	e.answering.Lock()
	defer e.answering.Unlock()
	d.mu.Lock()
	open, frozen := d.open[e.question.RequestID] == e, d.thawed != nil
	d.mu.Unlock()
	switch {
	case !open:
		return false, nil
	case frozen:
		return false, errFrozen()
	}
	if err := e.ended(decision); err != nil && decision.Allowed() {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// An end by expiry or withdrawal in between is recorded after this.
	return d.finishLocked(e, decision, true), nil
}

// Review decides open tool questions again, for example after rules were created.
// A question ends if decide returns a decision for it.
func (d *Queue) Review(decide func(Request) *Decision) {
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
		e := d.open[q.RequestID]
		d.mu.Unlock()
		if e != nil {
			_, _ = d.answer(e, *decision) // without a record it stays open
		}
	}
}

// remember records that a tool may run with an input. The caller holds mu.
func (d *Queue) remember(sessionID string, key ruleKey) {
	rules, ok := d.rules.get(sessionID)
	if !ok {
		rules = newRecent[ruleKey, struct{}](maxRules)
		d.rules.put(sessionID, rules)
	}
	rules.put(key, struct{}{})
}
