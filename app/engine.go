package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// engine starts CLI processes for sessions: it ties the process (package claude)
// to the tool server and to the desk where it asks for permission, and chooses the
// environment of a real session or of a rehearsal.
//
// There are two ways to do that, and a session has one of them. With "cli" the CLI
// reaches the tool server as it reaches any other: over the socket, by a relay that
// it spawns; a tool of that server answers its questions. With "sdk" it asks, and
// calls tools, by requests on the pipes that it has anyway. What people see of a
// session is the same.
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
	// unlinking counts the goroutines that end links.
	unlinking sync.WaitGroup
}

var _ session.Engine = (*engine)(nil)

// link is how one CLI process calls back.
type link struct {
	// env and args are what the CLI is started with for it.
	env, args []string
	// initialize is the first request to the CLI, nil for a plain one.
	initialize wire.ControlBody
	// tools serves the MCP messages that come over the CLI's own pipes, nil where
	// none do.
	tools *toolserver.Local
	// started hears the CLI's process id. end takes the link back, and may wait.
	started func(pid int)
	end     func()
}

// Start implements [session.Engine].
func (e *engine) Start(ctx context.Context, spec session.Spec) (session.Process, error) {
	env := e.env
	if spec.Rehearsal {
		var err error
		if env, err = e.rehearsal.env(); err != nil {
			return nil, err
		}
	}
	connect := e.overSocket
	if spec.Engine == "sdk" {
		connect = e.overPipes
	}
	link, err := connect(spec)
	if err != nil {
		return nil, err
	}
	host := &host{engine: e, spec: spec, tools: link.tools}
	process, err := claude.NewEngine(claude.Config{
		CLI: e.cli.path, Env: env, Home: e.home, Log: e.log,
		Extra:      func(session.Spec) ([]string, []string, error) { return link.env, link.args, nil },
		Initialize: link.initialize,
		Host:       func(session.Spec) claude.Host { return host.take },
	}).Start(ctx, spec)
	if err != nil {
		link.end()
		return nil, err
	}
	link.started(process.PID())
	return &linkedProcess{Process: process, unlink: func() { e.unlinking.Go(link.end) }}, nil
}

// linkedProcess takes a process's link back when the process has ended.
type linkedProcess struct {
	session.Process
	once   sync.Once
	unlink func()
}

// Exit implements [session.Process].
func (p *linkedProcess) Exit() session.Exit {
	p.once.Do(p.unlink)
	return p.Process.Exit()
}

// overSocket lets the process that is about to start call back over the tool
// server's socket, as this session.
func (e *engine) overSocket(spec session.Spec) (link, error) {
	ask, err := toolserver.PermissionTool(func(ctx context.Context, _ toolserver.Call, q toolserver.PermissionCall) (json.RawMessage, error) {
		decision, err := e.ask(ctx, spec, event.Question{ToolUseID: q.ToolUseID, ToolName: q.ToolName, Input: q.Input})
		if err != nil {
			return nil, err
		}
		return decision.Reply()
	})
	if err != nil {
		return link{}, err
	}
	grant, err := e.tools.Register(toolserver.Session{
		ID: spec.SessionID, Tools: []toolserver.Tool{ask},
		Report: func(l toolserver.Link) {
			if !l.Up {
				e.registry.ToolServerLost(spec.SessionID, l.Reason)
			}
		},
	})
	if err != nil {
		return link{}, err
	}
	args, err := grant.Args(e.exe)
	if err != nil {
		grant.Revoke()
		return link{}, err
	}
	return link{env: grant.Env(), args: args, started: grant.SetPID, end: grant.Revoke}, nil
}

// overPipes lets the process that is about to start call back by requests of its
// own. The tool that answers questions is not among those it gets: it has a request
// for that.
func (e *engine) overPipes(spec session.Spec) (link, error) {
	tools, err := e.tools.Local(toolserver.Session{ID: spec.SessionID})
	if err != nil {
		return link{}, err
	}
	return link{
		args:       []string{"--permission-prompt-tool", "stdio"},
		initialize: wire.Initialize(wire.SDKServer{Name: toolserver.ServerName, CallTimeout: toolserver.LongestCall}),
		tools:      tools,
		started:    func(int) {},
		end:        tools.Close,
	}, nil
}

// ask puts a question of a session to people and waits for the answer. Whatever q
// leaves out that every question has is filled in.
func (e *engine) ask(ctx context.Context, spec session.Spec, q event.Question) (permission.Decision, error) {
	if q.Kind == "" {
		q.Kind = permission.KindOf(q.ToolName)
	}
	q.CWD, q.ExpiresAt = spec.CWD, time.Now().Add(e.patience()).UnixMilli()
	decision, err := e.desk.Ask(ctx, permission.Question{
		SessionID: spec.SessionID, TurnID: e.registry.Turn(spec.SessionID), Question: q,
	})
	if err != nil {
		return decision, fault.Wrap(err, fault.Unavailable, "Parley could not ask anybody: %s", fault.MessageOf(err))
	}
	if decision.Outcome == permission.OutcomeWithdrawn {
		// The turn is being stopped, or the process. The CLI takes its question back by
		// itself then; told first that the tool is denied, it would ask the model what
		// to do next.
		patience := time.NewTimer(withdrawnWait)
		defer patience.Stop()
		select {
		case <-ctx.Done():
		case <-patience.C:
		}
	}
	return decision, nil
}

// withdrawnWait is how long the CLI may take to notice that what it asks about is
// being stopped.
const withdrawnWait = 5 * time.Second

// wait returns when every link that was being ended is gone.
func (e *engine) wait() { e.unlinking.Wait() }
