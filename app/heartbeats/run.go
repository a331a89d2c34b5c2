package heartbeats

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	"parley/app/feature"
	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/session/workspace"
)

// runs implements [heartbeat.Sessions] with ordinary sessions.
type runs struct {
	registry *session.Registry
	library  *library.Library
	// workspaceOf is a folder's workspace, "" for none.
	workspaceOf func(folder string) string
	// sessions creates sessions and runs prompts in them.
	sessions *sessions.Service

	scripted bool

	mu sync.Mutex
	// budgets are the sessions' cost limits in dollars, which their CLI enforces itself.
	budgets map[string]float64
}

var _ heartbeat.Sessions = (*runs)(nil)

// args are additional arguments of a session's CLI for its run.
func (b *runs) args(spec session.Spec) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if usd := b.budgets[spec.SessionID]; usd > 0 {
		return []string{"--max-budget-usd=" + strconv.FormatFloat(usd, 'f', -1, 64)}
	}
	return nil
}

func (b *runs) Open(ctx context.Context, p heartbeat.Place) (id string, rested bool, err error) {
	if p.Home != heartbeat.HomeFresh && p.SessionID != "" {
		found, err := b.library.Get(ctx, p.SessionID)
		switch {
		case p.Home == heartbeat.HomeSession:
			return b.join(ctx, found, err)
		case err == nil && found.DeletedAt == 0 && b.reusable(found, p):
			return b.resume(ctx, p, found)
		case err != nil && fault.CodeOf(err) != fault.NotFound:
			return "", false, err
		} // it no longer exists or is unsuitable, so start over
	}
	made, err := b.sessions.Make(ctx, sessions.SessionCreateParams{
		CWD: p.Folder, Title: p.Title, Model: p.Model, Effort: p.Effort, PermissionMode: p.PermissionMode, Guard: p.Guard,
	}, false, library.Source{Heartbeat: p.Name})
	if err != nil {
		return "", false, err
	}
	if p.USD > 0 {
		b.mu.Lock()
		b.budgets[made.ID] = p.USD
		b.mu.Unlock()
	}
	return made.ID, true, nil
}

// join resumes a session that a user chose.
func (b *runs) join(ctx context.Context, found event.Session, err error) (string, bool, error) {
	if err != nil {
		return "", false, fault.Wrap(err, fault.CodeOf(err), "The heartbeat's session cannot be used: %s", fault.MessageOf(err))
	}
	if slices.ContainsFunc(found.Queued, func(q event.QueuedPrompt) bool { return q.State == "held" }) {
		// They would be sent along with this one.
		return "", false, fault.New(fault.Conflict, "The heartbeat's session has prompts on hold. Send or discard them first.")
	}
	if err := b.library.Wake(ctx, found.ID); err != nil {
		return "", false, fault.Wrap(err, fault.CodeOf(err), "The heartbeat's session cannot be used: %s", fault.MessageOf(err))
	}
	return found.ID, found.PID == 0, nil
}

// reusable reports whether a run may use the session of earlier runs: not for another folder, and not
// if a scripted model was used.
func (b *runs) reusable(found event.Session, p heartbeat.Place) bool {
	was, err1 := workspace.Resolve(found.CWD)
	is, err2 := workspace.Resolve(p.Folder)
	return err1 == nil && err2 == nil && was == is && (b.scripted || !found.Scripted)
}

// resume continues a heartbeat's own session with the current choices: what the heartbeat leaves
// open gets the defaults of a new session, not its earlier values.
func (b *runs) resume(ctx context.Context, p heartbeat.Place, found event.Session) (string, bool, error) {
	mode, guard := b.sessions.Begins(found.CWD)
	p.PermissionMode, p.Guard = cmp.Or(p.PermissionMode, mode), cmp.Or(p.Guard, guard)
	if found.State == string(session.Closed) {
		if _, err := b.library.Reopen(ctx, found.ID); err != nil {
			return "", false, err
		}
	}
	err := b.library.WithAwake(ctx, found.ID, func() error {
		if p.PermissionMode != found.PermissionMode {
			if err := b.registry.SetPermissionMode(ctx, found.ID, p.PermissionMode); err != nil {
				return sessions.ExplainMode(err)
			}
		}
		if p.Guard != found.Guard {
			if err := b.registry.SetGuard(ctx, found.ID, p.Guard); err != nil {
				return err
			}
		}
		if p.Effort != "" && p.Effort != found.Effort {
			if err := b.registry.SetEffort(ctx, found.ID, p.Effort); err != nil {
				return err
			}
		}
		if p.Model != "" && p.Model != found.Model {
			return b.registry.SetModel(ctx, found.ID, p.Model)
		}
		return nil
	})
	return found.ID, found.PID == 0, err
}

func (b *runs) Send(ctx context.Context, sessionID, promptID, text string) (turnID string, err error) {
	err = b.library.WithAwake(ctx, sessionID, func() error {
		if err := b.library.CheckQueue(sessionID, ""); err != nil {
			return err
		}
		turnID, err = b.registry.Prompt(ctx, sessionID, session.Prompt{ID: promptID, Text: text, Delivery: session.DeliverQueue})
		return err
	})
	return turnID, err
}

func (b *runs) Stop(ctx context.Context, sessionID, promptID, turnID string) error {
	if !b.registry.Live(sessionID) {
		return nil
	}
	err := b.registry.DropQueued(ctx, sessionID, promptID)
	if code := fault.CodeOf(err); code != fault.Conflict && code != fault.NotFound {
		return err
	}
	if b.registry.Turn(sessionID) != turnID {
		return nil // it is over, and another turn may be running
	}
	return b.registry.Interrupt(ctx, sessionID, "heartbeat")
}

func (b *runs) EndRunSession(ctx context.Context, s heartbeat.RunSession, force bool) error {
	b.mu.Lock()
	delete(b.budgets, s.SessionID)
	b.mu.Unlock()
	found, err := b.library.Get(ctx, s.SessionID)
	if err != nil || found.DeletedAt != 0 {
		if fault.CodeOf(err) == fault.NotFound {
			return nil // it no longer exists
		}
		return err
	}
	if slices.ContainsFunc(found.Queued, func(q event.QueuedPrompt) bool { return q.PromptID == s.PromptID }) {
		err := b.library.WithAwake(ctx, s.SessionID, func() error { return b.registry.DropQueued(ctx, s.SessionID, s.PromptID) })
		if code := fault.CodeOf(err); err != nil && code != fault.Conflict && code != fault.NotFound {
			return err
		}
		if found, err = b.library.Get(ctx, s.SessionID); err != nil {
			return err
		}
	}
	// A user may have continued it.
	if !force && (feature.Working(found.State) || len(found.Queued)+found.OpenQuestions > 0) {
		return nil
	}
	switch s.Home {
	case heartbeat.HomeSession:
		if s.Rested && !force {
			if _, err := b.library.Suspend(ctx, s.SessionID); fault.CodeOf(err) != fault.Conflict {
				return err
			}
		}
		return nil // if a turn does not stop, the session ends its process
	case heartbeat.HomePersistent:
		if _, err := b.library.Suspend(ctx, s.SessionID); err == nil && !force {
			return nil
		}
		if err := b.library.CloseSession(ctx, s.SessionID); err != nil {
			return err
		}
		_, err := b.library.Reopen(ctx, s.SessionID)
		return err
	}
	if found.State == string(session.Closed) {
		return nil
	}
	return b.library.CloseSession(ctx, s.SessionID)
}

func (b *runs) Fold(sessionID string, quiet bool) error {
	return b.library.Fold(sessionID, quiet)
}

func (b *runs) Used(ctx context.Context, sessionID, folder string) int64 {
	if sessionID != "" {
		s, err := b.library.Get(ctx, sessionID)
		if err != nil {
			return 0
		}
		return s.LastActivityAt
	}
	workspace := b.workspaceOf(folder)
	if workspace == "" {
		return 0
	}
	var at int64
	list, _ := b.library.List(library.Filter{WorkspaceID: workspace})
	for i := range list {
		if list[i].Heartbeat == "" {
			at = max(at, list[i].LastActivityAt)
		}
	}
	return at
}
