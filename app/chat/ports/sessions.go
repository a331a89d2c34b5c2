package chat

import (
	"context"
	"slices"
	"strings"
	"sync"

	"parley/app/feature"
	attachfiles "parley/app/files"
	"parley/app/permissions"
	"parley/app/processes"
	"parley/app/sessions"
	"parley/backend/bus"
	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/session/library"
)

// chatSessions are the sessions, for the chat. It is [port.Sessions].
type chatSessions struct {
	sessions  *sessions.Service
	library   *library.Library
	registry  *session.Registry
	queues    *sessions.Queues
	bus       *bus.Bus
	processes *processes.Service
	// several says whether more people than one can write to a session by way of the
	// chat.
	several func(ctx context.Context, sessionID string) bool
}

var _ port.Sessions = (*chatSessions)(nil)

// Create implements [port.Sessions].
func (c *chatSessions) Create(ctx context.Context, n port.NewSession) (event.Session, error) {
	mirror := n.Mirror
	if mirror == nil {
		mirror = &event.Mirror{Began: true}
	}
	return c.sessions.Make(ctx, sessions.SessionCreateParams{
		CWD: n.CWD, Title: n.Title, Model: n.Model, Effort: n.Effort, PermissionMode: n.PermissionMode,
	}, c.sessions.Rehearsal, library.Origin{Mirror: mirror})
}

// Get implements [port.Sessions].
func (c *chatSessions) Get(ctx context.Context, id string) (event.Session, error) {
	return c.library.Get(ctx, id)
}

// List implements [port.Sessions].
func (c *chatSessions) List(context.Context) ([]event.Session, error) {
	all, _ := c.library.List(library.Filter{})
	return all, nil
}

// Prompt implements [port.Sessions]. A session that was closed is opened again.
func (c *chatSessions) Prompt(ctx context.Context, sessionID string, p port.Prompt) (string, error) {
	said := session.Prompt{ID: p.ID, Text: unled(p.Text), Delivery: p.Delivery, Author: authorIn(p.By)}
	switch rest, command := strings.CutPrefix(p.Text, "/"); {
	case command && p.Command:
		said.Text = "/" + unled(rest)
	case c.several(ctx, sessionID):
		said.Lead = leadOf(p.By)
	}
	var files []attachfiles.Attached
	for _, f := range p.Files {
		files = append(files, attachfiles.Attached{Name: f.Name, MediaType: f.MediaType, Data: f.Data})
	}
	if s, err := c.library.Get(ctx, sessionID); err == nil && s.State == string(session.Closed) {
		// Who writes in a thread goes on with what is shown there.
		if _, err := c.library.Reopen(ctx, sessionID); err != nil {
			return "", err
		}
	}
	sent, err := c.sessions.Say(ctx, sessionID, said, files)
	if err != nil {
		return "", err
	}
	return sent.TurnID, nil
}

// Interrupt implements [command.Sessions].
func (c *chatSessions) Interrupt(ctx context.Context, sessionID string, by chat.Person) error {
	_, err := c.sessions.Interrupt(withPerson(ctx, by), feature.SessionRef{SessionID: sessionID})
	return err
}

// SendQueued implements [port.Sessions].
func (c *chatSessions) SendQueued(ctx context.Context, sessionID, promptID string) error {
	_, err := c.queues.Send(ctx, sessions.QueuedSendParams{SessionID: sessionID, PromptID: promptID})
	return err
}

// DropQueued implements [port.Sessions].
func (c *chatSessions) DropQueued(ctx context.Context, sessionID, promptID string) error {
	_, err := c.queues.Drop(ctx, sessions.QueuedRef{SessionID: sessionID, PromptID: promptID})
	return err
}

// EditQueued implements [port.Sessions].
func (c *chatSessions) EditQueued(ctx context.Context, sessionID, promptID, text string) error {
	_, err := c.queues.Edit(ctx, sessions.QueuedEditParams{SessionID: sessionID, PromptID: promptID, Text: unled(text)})
	return err
}

// Fresh implements [port.Sessions].
func (c *chatSessions) Fresh(ctx context.Context, sessionID string) error {
	_, err := c.library.Fresh(ctx, sessionID)
	return err
}

// Drop implements [command.Sessions].
func (c *chatSessions) Drop(ctx context.Context, sessionID string) error {
	s, err := c.library.Get(ctx, sessionID)
	if err != nil {
		return err
	}
	for _, q := range s.Queued {
		if q.Author == nil || q.Author.Via != via {
			continue
		}
		// What the CLI took up meanwhile is the turn's.
		err := c.DropQueued(ctx, sessionID, q.PromptID)
		if code := fault.CodeOf(err); err != nil && code != fault.Conflict && code != fault.NotFound && code != fault.Unavailable {
			return err
		}
	}
	return nil
}

// Stop implements [command.Sessions].
func (c *chatSessions) Stop(ctx context.Context, sessionID string, kill bool) error {
	if err := c.Drop(ctx, sessionID); err != nil {
		return err
	}
	s, err := c.library.Get(ctx, sessionID)
	if err != nil {
		return err
	}
	var killing sync.WaitGroup
	defer killing.Wait()
	if kill && s.PID != 0 {
		// Beside the end in order, so that it counts as one.
		killing.Go(func() { c.processes.Kill(ctx, s.PID) })
	}
	return c.library.CloseSession(ctx, sessionID)
}

// History implements [port.Sessions].
func (c *chatSessions) History(ctx context.Context, sessionID string, limit int) (event.History, error) {
	return c.library.History(ctx, sessionID, min(max(limit, 1), feature.MaxPage), "")
}

// Subscribe implements [port.Sessions].
func (c *chatSessions) Subscribe(ctx context.Context, fn func(e event.Event), lagged func()) {
	events, err := c.bus.Subscribe([]string{"session.*", "sessions.changed"}, bus.Limits{})
	if err != nil {
		return
	}
	defer events.Close()
	for {
		batch, err := events.Next(ctx)
		if err != nil {
			return
		}
		if batch.Lagged {
			lagged()
		}
		for _, r := range batch.Records {
			fn(r.Event)
		}
	}
}

// SetMirror implements [port.Sessions].
func (c *chatSessions) SetMirror(_ context.Context, sessionID string, m *event.Mirror) error {
	return c.library.SetMirror(sessionID, m)
}

// chatDesk is the permission desk, for the chat. It is [port.Desk].
type chatDesk struct {
	permissions *permissions.Service
	mode        func(ctx context.Context, p sessions.SessionModeParams) (feature.Empty, error)
}

var _ port.Desk = (*chatDesk)(nil)

// Open implements [port.Desk].
func (d *chatDesk) Open(sessionID string) []port.Asked {
	open := d.permissions.Desk.List(sessionID)
	list := make([]port.Asked, 0, len(open))
	for _, q := range open {
		list = append(list, port.Asked{SessionID: q.SessionID, TurnID: q.TurnID, Question: q.Question})
	}
	return list
}

// Answer implements [port.Desk].
func (d *chatDesk) Answer(ctx context.Context, a port.Answer) (port.Outcome, error) {
	p := permissions.PermissionRespondParams{RequestID: a.RequestID, Behavior: permission.OutcomeDeny, Message: a.Message}
	q, open := d.permissions.Desk.Question(a.RequestID)
	if a.Allow {
		p = permissions.PermissionRespondParams{RequestID: a.RequestID, Behavior: permission.OutcomeAllow, UpdatedInput: a.Input, Answers: a.Answers, Choice: a.Choice}
		if len(a.Rules) > 0 && open {
			offer := slices.IndexFunc(q.Offers, func(o event.RuleOffer) bool { return slices.Equal(o.Rules, a.Rules) })
			if offer < 0 {
				return port.Outcome{}, fault.New(fault.Conflict, "The rules you were shown have changed. Nothing was allowed. Answer again.")
			}
			// The texts bind the answer to what was shown, whatever is offered by then.
			p.Rule = &permissions.RuleChoice{Offer: offer, Texts: a.Rules, Scope: "session"}
		}
	}
	ended, err := d.permissions.Respond(withPerson(ctx, a.By), p)
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
