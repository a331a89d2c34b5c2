package ports

import (
	"context"
	"slices"

	"parley/app/chat/words"
	"parley/app/feature"
	"parley/app/permissions"
	"parley/app/sessions"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
)

// desk is the permission queue for the chat. It implements [port.RequestQueue].
type desk struct {
	permissions *permissions.Service
	mode        func(ctx context.Context, p sessions.SessionModeParams) (feature.Empty, error)
}

var _ port.RequestQueue = (*desk)(nil)

// Open implements [port.RequestQueue].
func (d *desk) Open(sessionID string) []port.Request {
	open := d.permissions.Desk.List(sessionID)
	list := make([]port.Request, 0, len(open))
	for _, q := range open {
		list = append(list, port.Request{SessionID: q.SessionID, TurnID: q.TurnID, Question: q.Question})
	}
	return list
}

// Answer implements [port.RequestQueue].
func (d *desk) Answer(ctx context.Context, a port.Answer) (port.Outcome, error) {
	p := permissions.PermissionRespondParams{RequestID: a.RequestID, Behavior: permission.OutcomeDeny, Message: a.Message}
	q, open := d.permissions.Desk.Question(a.RequestID)
	if a.Allow {
		p = permissions.PermissionRespondParams{RequestID: a.RequestID, Behavior: permission.OutcomeAllow, UpdatedInput: a.Input, Answers: a.Answers, Choice: a.Choice}
		if len(a.Rules) > 0 && open {
			offer := slices.IndexFunc(q.Offers, func(o event.RuleOffer) bool { return slices.Equal(o.Rules, a.Rules) })
			if offer < 0 {
				return port.Outcome{}, fault.New(fault.Conflict, "The rules you were shown have changed. Nothing was allowed. Answer again.")
			}
			// The texts bind the answer to the rules that were shown, whatever is offered by then.
			p.Rule = &permissions.RuleChoice{Offer: offer, Texts: a.Rules, Scope: "session"}
		}
	}
	ended, err := d.permissions.Respond(words.WithPerson(ctx, a.By), p)
	if err != nil {
		return port.Outcome{}, err
	}
	out := port.Outcome{Won: ended.Won, By: ended.By, Message: ended.Message, At: ended.At, Warning: ended.Warning}
	switch ended.Outcome {
	case permission.OutcomeAllow:
		out.What = "allowed"
	case permission.OutcomeDeny:
		out.What = "denied"
	default:
		out.What = ended.Outcome
	}
	if ended.Won && a.Allow && a.Mode != "" && open {
		if _, err := d.mode(ctx, sessions.SessionModeParams{SessionID: q.SessionID, Mode: a.Mode}); err != nil {
			out.Warning = "The plan was approved, but the permission mode could not be changed: " + fault.MessageOf(err)
		}
	}
	return out, nil
}
