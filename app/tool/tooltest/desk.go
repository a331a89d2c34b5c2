// Package tooltest has what tests of tools need.
package tooltest

import (
	"context"

	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/session"
)

// Desk is a desk that answers with one decision, and keeps what it was asked.
type Desk struct {
	Decision permission.Decision
	Asked    []event.Question
	Weighty  bool
}

// Asker asks that desk for a session. A rule allows what is done in the folder "/ruled".
func (p *Desk) Asker(s event.Session) *tool.Asker {
	return &tool.Asker{
		Put: func(_ context.Context, _ session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
			p.Asked, p.Weighty = append(p.Asked, q), weighty
			d := p.Decision
			if d.UpdatedInput == nil {
				d.UpdatedInput = q.Input
			}
			return d, nil
		},
		Session: func(context.Context, string) (event.Session, error) { return s, nil },
		Rules:   ruled{},
	}
}

// ruled are rules by which what is done in the folder "/ruled" is allowed.
type ruled struct{}

func (ruled) Forbid(permission.Question) string { return "" }

func (ruled) Again(q permission.Question) *permission.Decision {
	if q.CWD == "/ruled" {
		return &permission.Decision{Outcome: permission.OutcomeAllow}
	}
	return nil
}
