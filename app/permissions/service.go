package permissions

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulestore"
	"parley/backend/session"
)

// Service implements permission.*, rule.* and guard.*. It decides about tool calls, and asks users.
type Service struct {
	// Desk has the open requests.
	Desk  *permission.Queue
	rules *rules
	// title is a session's current title.
	title func(sessionID string) string
}

func (p *Service) List(_ context.Context, params PermissionListParams) (PermissionList, error) {
	list := PermissionList{Requests: []OpenQuestion{}}
	titles := map[string]string{}
	for _, q := range p.Desk.List(params.SessionID) {
		title, known := titles[q.SessionID]
		if !known {
			title = p.title(q.SessionID)
			titles[q.SessionID] = title
		}
		list.Requests = append(list.Requests, OpenQuestion{SessionID: q.SessionID, TurnID: q.TurnID, SessionTitle: title, Question: q.Question})
	}
	return list, nil
}

func (p *Service) Respond(ctx context.Context, params PermissionRespondParams) (PermissionRespondResult, error) {
	answer := permission.Answer{
		Behavior: params.Behavior, UpdatedInput: params.UpdatedInput, Message: params.Message,
		Answers: params.Answers, Remember: params.Remember, Suggestions: params.Suggestions, Choice: params.Choice,
		Connection: method.Connection(ctx),
	}
	if d, ok := method.DeviceOf(ctx); ok && d.Once {
		if err := p.once(params); err != nil {
			return PermissionRespondResult{}, err
		}
	}
	now := time.Now()
	var made []rule.Rule
	if params.Rule != nil {
		q, open := p.Desk.Question(params.RequestID)
		if open {
			var err error
			if made, err = p.rules.judge.choose(q, *params.Rule, now); err != nil {
				return PermissionRespondResult{}, err
			}
		}
		answer.Made = textsOf(made)
	}
	won, err := p.Desk.Respond(params.RequestID, answer, method.Surface(ctx))
	if err != nil {
		return PermissionRespondResult{}, err
	}
	result := PermissionRespondResult{Won: won, Rules: []Rule{}}
	if r, ok := p.Desk.Resolution(params.RequestID); ok {
		result.Outcome, result.By, result.At, result.Message = r.Outcome, r.By, r.At.UnixMilli(), r.Message
	}
	if won && len(made) > 0 {
		result.Rules, result.Warning = p.rules.make(ctx, made, now)
	}
	return result, nil
}

// once returns a fault (forbidden) for an answer that would apply beyond the current request: a
// rule, anything for the rest of the session, a folder's trust, or a command other than the one
// Claude wants to run.
func (p *Service) once(params PermissionRespondParams) error {
	q, open := p.Desk.Question(params.RequestID)
	switch {
	case params.Remember || len(params.Suggestions) > 0 || params.Rule != nil:
		return fault.New(fault.Forbidden, "This device can only allow once. Allow it once, or create the rule in Parley's window.")
	case len(params.UpdatedInput) > 0:
		return fault.New(fault.Forbidden, "This device cannot edit requests. Allow the request unchanged, or deny it.")
	case open && q.Kind == permission.KindTrust && params.Behavior == "allow":
		return fault.New(fault.Forbidden, "This device cannot trust folders. Trust the folder in Parley's window.")
	}
	return nil
}

// make creates the rules of an answer that was given.
func (r *rules) make(ctx context.Context, made []rule.Rule, now time.Time) (rules []Rule, warning string) {
	kept, err := r.book.Add(made, now)
	rules = []Rule{}
	switch {
	case errors.Is(err, rulestore.ErrNotKept):
		warning = "The rule applies now, but could not be saved and ends when Parley quits. Check the disk."
	case err != nil:
		return rules, "Your answer was sent, but the rule could not be created: " + err.Error()
	}
	for _, one := range kept {
		r.audits.Ruled(ctx, "made", one)
		rules = append(rules, r.of(one))
	}
	r.changed()
	return rules, warning
}

// reports notifies sessions of their requests' outcomes, and everyone of the number of pending
// ones.
type reports struct {
	registry func() *session.Registry
	desk     *permission.Queue
	publish  func(event.Event)

	mu   sync.Mutex
	last event.PermissionsChanged
}

// take is for [permission.Config].
func (r *reports) take(c permission.Change) {
	q, registry := c.Question, r.registry()
	if c.Resolution == nil {
		registry.QuestionOpened(q.SessionID, q.Question)
	} else {
		end := c.Resolution
		registry.QuestionResolved(q.SessionID, &event.PermissionResolved{
			RequestID: q.RequestID, ToolUseID: q.ToolUseID, Outcome: end.Outcome, By: end.By, Message: end.Message, Said: end.Said,
			AnsweredAt: end.At.UnixMilli(), Why: end.Why, Rules: end.Rules, Made: end.Made,
		})
	}
	r.count()
}

// count publishes the number of pending requests if it has changed.
func (r *reports) count() {
	open := r.desk.List("")
	now := event.PermissionsChanged{Open: len(open)}
	sessions := map[string]bool{}
	for _, q := range open {
		sessions[q.SessionID] = true
		now.OldestAt = cmp.Or(now.OldestAt, q.AskedAt)
	}
	now.Sessions = len(sessions)
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Open == r.last.Open && now.Sessions == r.last.Sessions && now.OldestAt == r.last.OldestAt {
		return
	}
	r.last = now
	r.publish(&now)
}

func (p *Service) methods() []*method.Method {
	return []*method.Method{
		method.New("permission.list", "The open requests, oldest first.",
			p.List),
		method.New("permission.respond", "Answers a request. The first answer wins.",
			p.Respond).Enum("behavior", "allow", "deny").Enum("choice", "trusted", "bare"),
	}
}
