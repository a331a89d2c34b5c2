package app

import (
	"context"

	"parley/app/method"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/session"
)

// permissions is the service behind permission.*.
type permissions struct{ desk *permission.Desk }

func (p *permissions) List(_ context.Context, params PermissionListParams) (PermissionList, error) {
	list := PermissionList{Requests: []OpenQuestion{}}
	for _, q := range p.desk.List(params.SessionID) {
		list.Requests = append(list.Requests, OpenQuestion{SessionID: q.SessionID, TurnID: q.TurnID, Question: q.Question})
	}
	return list, nil
}

func (p *permissions) Respond(ctx context.Context, params PermissionRespondParams) (PermissionRespondResult, error) {
	won, err := p.desk.Respond(params.RequestID, permission.Answer{
		Behavior: params.Behavior, UpdatedInput: params.UpdatedInput, Message: params.Message,
		Answers: params.Answers, Remember: params.Remember, Suggestions: params.Suggestions,
	}, method.Surface(ctx))
	return PermissionRespondResult{Won: won}, err
}

// report tells a session what became of its questions.
func report(registry *session.Registry, c permission.Change) {
	q := c.Question
	if c.Resolution == nil {
		registry.QuestionOpened(q.SessionID, q.Question)
		return
	}
	registry.QuestionResolved(q.SessionID, &event.PermissionResolved{
		RequestID: q.RequestID, ToolUseID: q.ToolUseID,
		Outcome: c.Resolution.Outcome, By: c.Resolution.By, Message: c.Resolution.Message,
	})
}
