// Package tooltest has helpers for tests of tools.
package tooltest

import (
	"context"

	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/session"
)

// Requests is a permission queue that answers with one decision, and records requests.
type Requests struct {
	Decision permission.Decision
	Asked    []event.Question
	Weighty  bool
}

// Asker asks that queue for a session. A rule allows everything in the folder "/ruled".
func (p *Requests) Asker(s event.Session) *tool.Asker {
	return &tool.Asker{
		Engine:  p,
		Session: func(context.Context, string) (event.Session, error) { return s, nil },
		Rules:   ruled{},
	}
}

// Ask records a request, and answers it.
func (p *Requests) Ask(_ context.Context, _ session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	p.Asked, p.Weighty = append(p.Asked, q), weighty
	d := p.Decision
	if d.UpdatedInput == nil {
		d.UpdatedInput = q.Input
	}
	return d, nil
}

// ruled are rules that allow everything in the folder "/ruled".
type ruled struct{}

func (ruled) Forbid(permission.Request) string { return "" }

func (ruled) Again(q permission.Request) *permission.Decision {
	if q.CWD == "/ruled" {
		return &permission.Decision{Outcome: permission.OutcomeAllow}
	}
	return nil
}
