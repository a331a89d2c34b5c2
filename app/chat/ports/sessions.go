package ports

import (
	"context"
	"strings"
	"sync"

	"parley/app/chat/words"
	"parley/app/feature"
	attachfiles "parley/app/files"
	"parley/app/processes"
	"parley/app/sessions"
	"parley/backend/bus"
	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
)

// relaySessions are the sessions for the chat. It implements [port.Sessions].
type relaySessions struct {
	sessions  *sessions.Service
	library   *library.Library
	registry  *session.Registry
	bus       *bus.Bus
	processes *processes.Service
	// several reports whether more than one person can write to a session through Mattermost.
	several func(ctx context.Context, sessionID string) bool
}

var _ port.Sessions = (*relaySessions)(nil)

// Create implements [port.Sessions].
func (c *relaySessions) Create(ctx context.Context, n port.NewSession) (event.Session, error) {
	mirror := n.Mirror
	if mirror == nil {
		mirror = &event.Mirror{Began: true}
	}
	return c.sessions.Make(ctx, sessions.SessionCreateParams{
		CWD: n.CWD, Title: n.Title, Model: n.Model, Effort: n.Effort, PermissionMode: n.PermissionMode,
	}, false, library.Source{Mirror: mirror})
}

// Get implements [port.Sessions].
func (c *relaySessions) Get(ctx context.Context, id string) (event.Session, error) {
	return c.library.Get(ctx, id)
}

// List implements [port.Sessions].
func (c *relaySessions) List(context.Context) ([]event.Session, error) {
	all, _ := c.library.List(library.Filter{})
	return all, nil
}

// Prompt implements [port.Sessions]. A closed session is reopened.
func (c *relaySessions) Prompt(ctx context.Context, sessionID string, p port.Prompt) (string, error) {
	said := session.Prompt{ID: p.ID, Text: words.Plain(p.Text), Delivery: p.Delivery, Author: words.Author(p.By)}
	switch rest, command := strings.CutPrefix(p.Text, "/"); {
	case command && p.Command:
		said.Text = "/" + words.Plain(rest)
	case c.several(ctx, sessionID):
		said.Lead = words.Lead(p.By)
	}
	var files []attachfiles.Attached
	for _, f := range p.Files {
		files = append(files, attachfiles.Attached{Name: f.Name, MediaType: f.MediaType, Data: f.Data})
	}
	if s, err := c.library.Get(ctx, sessionID); err == nil && s.State == string(session.Closed) {
		// A user who writes in a thread continues the session shown there.
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
func (c *relaySessions) Interrupt(ctx context.Context, sessionID string, by chat.Person) error {
	_, err := c.sessions.Interrupt(words.WithPerson(ctx, by), feature.SessionRef{SessionID: sessionID})
	return err
}

// SendQueued implements [port.Sessions].
func (c *relaySessions) SendQueued(ctx context.Context, sessionID, promptID string) error {
	_, err := c.sessions.SendQueued(ctx, sessions.QueuedSendParams{SessionID: sessionID, PromptID: promptID})
	return err
}

// DropQueued implements [port.Sessions].
func (c *relaySessions) DropQueued(ctx context.Context, sessionID, promptID string) error {
	_, err := c.sessions.DropQueued(ctx, sessions.QueuedRef{SessionID: sessionID, PromptID: promptID})
	return err
}

// EditQueued implements [port.Sessions].
func (c *relaySessions) EditQueued(ctx context.Context, sessionID, promptID, text string) error {
	_, err := c.sessions.EditQueued(ctx, sessions.QueuedEditParams{SessionID: sessionID, PromptID: promptID, Text: words.Plain(text)})
	return err
}

// Fresh implements [port.Sessions].
func (c *relaySessions) Fresh(ctx context.Context, sessionID string) error {
	_, err := c.library.Fresh(ctx, sessionID)
	return err
}

// Drop implements [command.Sessions].
func (c *relaySessions) Drop(ctx context.Context, sessionID string) error {
	s, err := c.library.Get(ctx, sessionID)
	if err != nil {
		return err
	}
	for _, q := range s.Queued {
		if q.Author == nil || q.Author.Via != words.Via {
			continue
		}
		// Prompts the CLI has received since then belong to the turn.
		err := c.DropQueued(ctx, sessionID, q.PromptID)
		if code := fault.CodeOf(err); err != nil && code != fault.Conflict && code != fault.NotFound && code != fault.Unavailable {
			return err
		}
	}
	return nil
}

// Stop implements [command.Sessions].
func (c *relaySessions) Stop(ctx context.Context, sessionID string, kill bool) error {
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
		// While the session ends in order, so that the kill counts as its end.
		killing.Go(func() { c.processes.Kill(ctx, s.PID) })
	}
	return c.library.CloseSession(ctx, sessionID)
}

// History implements [port.Sessions].
func (c *relaySessions) History(ctx context.Context, sessionID string, limit int) (event.History, error) {
	return c.library.History(ctx, sessionID, min(max(limit, 1), feature.MaxPage), "")
}

// Subscribe implements [port.Sessions].
func (c *relaySessions) Subscribe(ctx context.Context, fn func(e event.Event), lagged func()) {
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
func (c *relaySessions) SetMirror(_ context.Context, sessionID string, m *event.Mirror) error {
	return c.library.SetMirror(sessionID, m)
}
