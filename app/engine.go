package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/profile"
	"parley/backend/rule"
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
	cli    *cli
	tools  *toolserver.Server
	desk   *permission.Desk
	trusts *trusts
	// rules hears what a CLI says its own rules are.
	rules *cliRules
	// handed are rules that a CLI is started with, nil for none.
	handed func(spec session.Spec, now time.Time) map[rule.Effect][]string
	// reviewer is the model that reviews uses of tools; reviews bounds how many run.
	reviewer func() string
	// suggests says whether the CLI is to guess what the person will ask next.
	suggests  func() bool
	reviews   chan struct{}
	rehearsal *rehearsals
	// patience is how long a question waits for an answer.
	patience func() time.Duration
	// exe is this program: the CLI spawns it as "exe mcp".
	exe  string
	env  []string
	home string
	log  *slog.Logger
	// started is for the marks of processes, see [claude.Config].
	started string
	// scripted is true when no session may talk to anything but the scripted model.
	scripted bool

	// These are set once, before the first Start.
	registry *session.Registry
	// profile makes the environment for a profile.
	profile func(ctx context.Context, id string) (profile.Environment, error)
	// answered hears what the CLI of a session offers, once it said so. It may be nil.
	answered func(spec session.Spec, answer json.RawMessage)

	// hosted are Parley's own tools that the CLI of a session is given, beside the one
	// that asks; context is what they say in its system prompt. They may be nil.
	hosted  func(spec session.Spec) ([]toolserver.Tool, error)
	context func(ctx context.Context, spec session.Spec) string
	// settled says whether a question of the CLI's about one of them is answered. It may
	// be nil.
	settled func(q permission.Question) bool
	// heartbeat is the name of the heartbeat that runs in a session, "" for none. more
	// are further arguments of a session's CLI. Both may be nil.
	heartbeat func(sessionID string) string
	more      func(spec session.Spec) []string

	// unlinking counts the goroutines that end links, and those that listen.
	unlinking sync.WaitGroup
}

var _ session.Engine = (*engine)(nil)

// link is how one CLI process calls back.
type link struct {
	// env and args are what the CLI is started with for it.
	env, args []string
	// servers are those that the CLI reaches over its own pipes.
	servers []wire.SDKServer
	// allow are rules that the CLI is given for Parley's own tools.
	allow map[rule.Effect][]string
	// tools serves the MCP messages that come over the CLI's own pipes, nil where
	// none do.
	tools *toolserver.Local
	// started hears of the process. end takes the link back, and may wait.
	started func(process *claude.Process)
	end     func()
}

// Start implements [session.Engine].
func (e *engine) Start(ctx context.Context, spec session.Spec) (session.Process, error) {
	if e.scripted && !spec.Rehearsal {
		return nil, notScripted()
	}
	bare, err := e.admit(ctx, spec)
	if err != nil {
		return nil, err
	}
	env, err := e.environment(ctx, spec)
	if err != nil {
		return nil, err
	}
	connect := e.overSocket
	if spec.Engine == "sdk" {
		connect = e.overPipes
	}
	link, err := connect(spec)
	if err != nil {
		return nil, err
	}
	rules := link.allow
	if e.handed != nil {
		rules = joinRules(e.handed(spec, time.Now()), rules)
	}
	choices := withRules(env.Settings, rules)
	host := &host{engine: e, spec: spec, tools: link.tools}
	process, err := claude.NewEngine(claude.Config{
		CLI: e.cli.path, Env: env.Base, Home: e.home, Log: e.log, Started: e.started,
		Extra: func(session.Spec) ([]string, []string, error) {
			settings, err := settingsArgs(choices)
			if bare {
				settings = append(settings, bareArgs()...)
			}
			if e.more != nil {
				settings = append(settings, e.more(spec)...)
			}
			return slices.Concat([]string{checkpoints}, env.Extra, link.env), slices.Concat(link.args, settings), err
		},
		Initialize: e.initialize(ctx, spec, link.servers),
		Host:       func(session.Spec) claude.Host { return host.take },
	}).Start(ctx, spec)
	if err != nil {
		link.end()
		return nil, err
	}
	if p, ok := process.(*claude.Process); ok {
		link.started(p)
		e.unlinking.Go(func() { e.listen(spec, p) })
	}
	return &linkedProcess{Process: process, unlink: func() {
		e.rules.forget(spec.SessionID, spec.CWD)
		e.unlinking.Go(link.end)
	}}, nil
}

// checkpoints has the CLI copy a file before its tools change it, which it does by
// itself in a terminal only. The person's own CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING
// goes before it.
const checkpoints = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1"

// environment is what the CLI of a session runs with.
func (e *engine) environment(ctx context.Context, spec session.Spec) (profile.Environment, error) {
	switch {
	case spec.Rehearsal:
		env, err := e.rehearsal.env()
		return profile.Environment{Base: env}, err
	case e.scripted:
		return profile.Environment{}, notScripted()
	case spec.Profile == "":
		return profile.Environment{Base: e.env}, nil
	}
	return e.profile(ctx, spec.Profile)
}

func notScripted() error {
	return fault.New(fault.Conflict,
		"This Parley rehearses: it talks to the scripted model only, and this session is with the real one. Start Parley without --rehearsal to go on with it.")
}

// settingsArgs hands settings to a CLI. Everybody can read them.
func settingsArgs(settings map[string]any) ([]string, error) {
	if settings == nil {
		return nil, nil
	}
	raw, err := json.Marshal(settings)
	return []string{"--settings=" + string(raw)}, err
}

// listen waits for what a CLI offers, which it says at its start or never: the wait
// is bounded by the process.
func (e *engine) listen(spec session.Spec, p *claude.Process) {
	answer, err := p.Initialized(context.Background())
	if err == nil && e.answered != nil {
		e.answered(spec, answer)
	}
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rulesWait)
	defer cancel()
	// A CLI that does not know the request leaves us with what its settings say.
	if answer, err := p.Control(ctx, wire.ListPermissionRules()); err == nil {
		if said, err := wire.PermissionRules(answer); err == nil {
			e.rules.hear(spec.SessionID, spec.CWD, said)
		}
	}
}

// rulesWait is how long a CLI may take to say its rules.
const rulesWait = 10 * time.Second

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
		decision, err := e.asked(ctx, spec, false, event.Question{ToolUseID: q.ToolUseID, ToolName: q.ToolName, Input: q.Input})
		if err != nil {
			return nil, err
		}
		return decision.Reply()
	})
	if err != nil {
		return link{}, err
	}
	tools, err := e.hostedTools(spec)
	if err != nil {
		return link{}, err
	}
	grant, err := e.tools.Register(toolserver.Session{
		ID: spec.SessionID, Tools: append(slices.Clone(tools), ask),
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
	return link{
		env: grant.Env(), args: args, allow: allowed(tools), end: grant.Revoke,
		started: func(p *claude.Process) { grant.SetPID(p.PID()) },
	}, nil
}

func (e *engine) hostedTools(spec session.Spec) ([]toolserver.Tool, error) {
	if e.hosted == nil {
		return nil, nil
	}
	return e.hosted(spec)
}

// initialize is the first request to a CLI.
func (e *engine) initialize(ctx context.Context, spec session.Spec, servers []wire.SDKServer) wire.ControlBody {
	first := wire.Initialization{Servers: servers, Suggest: e.suggests != nil && e.suggests()}
	if e.context != nil {
		first.Append = e.context(ctx, spec)
	}
	return first.Body()
}

// overPipes lets the process that is about to start call back by requests of its
// own. The tool that answers questions is not among those it gets: it has a request
// for that.
func (e *engine) overPipes(spec session.Spec) (link, error) {
	own, err := e.hostedTools(spec)
	if err != nil {
		return link{}, err
	}
	notices := &notifier{}
	tools, err := e.tools.Local(toolserver.Session{ID: spec.SessionID, Tools: own, Notify: notices.send})
	if err != nil {
		return link{}, err
	}
	return link{
		args:    []string{"--permission-prompt-tool", "stdio"},
		servers: []wire.SDKServer{{Name: toolserver.ServerName, CallTimeout: toolserver.LongestCall}},
		allow:   allowed(own), tools: tools, started: notices.start,
		end: func() {
			tools.Close()
			notices.close()
		},
	}, nil
}

// asked is a question of the CLI's about the use of a tool.
func (e *engine) asked(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	if e.settled != nil && e.settled(permission.Question{SessionID: spec.SessionID, Weighty: weighty, Question: event.Question{
		ToolName: q.ToolName, Input: q.Input, CWD: spec.CWD,
	}}) {
		return permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: q.Input}, nil
	}
	return e.ask(ctx, spec, weighty, q)
}

// ask puts a question of a session to people and waits for the answer. Whatever q
// leaves out that every question has is filled in. A weighty one is for nobody but a
// person, or a rule of theirs.
func (e *engine) ask(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	if q.Kind == "" {
		q.Kind = permission.KindOf(q.ToolName)
	}
	q.CWD, q.ExpiresAt, q.Heartbeat = spec.CWD, time.Now().Add(e.patience()).UnixMilli(), e.asking(spec)
	asked := permission.Question{SessionID: spec.SessionID, TurnID: e.registry.Turn(spec.SessionID), Weighty: weighty, Question: q}
	decision, err := e.desk.Ask(ctx, asked)
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

// asking is the name of the heartbeat whose run a session is in, "" for none.
func (e *engine) asking(spec session.Spec) string {
	if e.heartbeat == nil {
		return ""
	}
	return e.heartbeat(spec.SessionID)
}

// withdrawnWait is how long the CLI may take to notice that what it asks about is
// being stopped.
const withdrawnWait = 5 * time.Second

// wait returns when every link that was being ended is gone, and nobody listens.
func (e *engine) wait() { e.unlinking.Wait() }
