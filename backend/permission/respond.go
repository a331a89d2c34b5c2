package permission

import "parley/backend/fault"

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

// answer ends a question with an answer that is on record before anybody hears of it. Its
// error says why it is not: an answer that allows something does not hold then, and the
// question stays open.
func (d *Desk) answer(e *entry, decision Decision) (won bool, err error) {
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
	// What ended by itself meanwhile is written down behind this.
	return d.finishLocked(e, decision, true), nil
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
		e := d.open[q.RequestID]
		d.mu.Unlock()
		if e != nil {
			_, _ = d.answer(e, *decision) // what is not on record stays open
		}
	}
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
