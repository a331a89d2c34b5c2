package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// engine starts CLI processes for sessions: it ties the process (package claude)
// to the tool server that the CLI asks for permission, and chooses the
// environment of a real session or of a rehearsal.
type engine struct {
	cli       *cli
	tools     *toolserver.Server
	desk      *permission.Desk
	rehearsal *rehearsals
	// patience is how long a question waits for an answer.
	patience func() time.Duration
	// exe is this program: the CLI spawns it as "exe mcp".
	exe  string
	env  []string
	home string
	log  *slog.Logger

	// registry is set once, before the first Start.
	registry *session.Registry
	// revoking counts the goroutines that end grants.
	revoking sync.WaitGroup
}

var _ session.Engine = (*engine)(nil)

// Start implements [session.Engine].
func (e *engine) Start(ctx context.Context, spec session.Spec) (session.Process, error) {
	env := e.env
	if spec.Rehearsal {
		var err error
		if env, err = e.rehearsal.env(); err != nil {
			return nil, err
		}
	}
	grant, err := e.grant(spec)
	if err != nil {
		return nil, err
	}
	args, err := grant.Args(e.exe)
	if err != nil {
		grant.Revoke()
		return nil, err
	}
	process, err := claude.NewEngine(claude.Config{
		CLI: e.cli.path, Env: env, Home: e.home, Log: e.log,
		Extra: func(session.Spec) ([]string, []string, error) { return grant.Env(), args, nil },
	}).Start(ctx, spec)
	if err != nil {
		grant.Revoke()
		return nil, err
	}
	grant.SetPID(process.PID())
	return &ownedProcess{Process: process, revoke: func() { e.revoking.Go(grant.Revoke) }}, nil
}

// ownedProcess takes a process's grant back when the process has ended.
type ownedProcess struct {
	session.Process
	once   sync.Once
	revoke func()
}

// Exit implements [session.Process].
func (p *ownedProcess) Exit() session.Exit {
	p.once.Do(p.revoke)
	return p.Process.Exit()
}

// grant lets the process that is about to start call back, as this session.
func (e *engine) grant(spec session.Spec) (*toolserver.Grant, error) {
	ask, err := toolserver.PermissionTool(func(ctx context.Context, call toolserver.Call, q toolserver.PermissionCall) (json.RawMessage, error) {
		return e.ask(ctx, spec, call.SessionID, q)
	})
	if err != nil {
		return nil, err
	}
	return e.tools.Register(toolserver.Session{
		ID: spec.SessionID, Tools: []toolserver.Tool{ask},
		Report: func(l toolserver.Link) {
			if !l.Up {
				e.registry.ToolServerLost(spec.SessionID, l.Reason)
			}
		},
	})
}

// ask puts a question to people and waits for the answer.
func (e *engine) ask(ctx context.Context, spec session.Spec, sessionID string, q toolserver.PermissionCall) (json.RawMessage, error) {
	decision, err := e.desk.Ask(ctx, permission.Question{
		SessionID: sessionID, TurnID: e.registry.Turn(sessionID),
		Question: event.Question{
			ToolUseID: q.ToolUseID, ToolName: q.ToolName, Input: q.Input,
			Kind: permission.KindOf(q.ToolName), CWD: spec.CWD,
			ExpiresAt: time.Now().Add(e.patience()).UnixMilli(),
		},
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "Parley could not ask anybody: %s", fault.MessageOf(err))
	}
	return decision.Reply()
}

// wait returns when every grant that was being ended is gone.
func (e *engine) wait() { e.revoking.Wait() }
