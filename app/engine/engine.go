package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/app/permissions"
	"parley/app/tool"
	"parley/backend/choice"
	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	holder "parley/backend/host"
	"parley/backend/host/child"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/session/profile"
	"parley/backend/toolserver"
)

// Service starts CLI processes for sessions.
type Service struct {
	cfg Config
	// host holds the CLIs, nil if they are children of this process.
	host *holder.Host
	// left is set once the CLIs belong to another program.
	left bool
	// reviews bounds how many reviews run.
	reviews chan struct{}
	// unlinking counts the goroutines that end links, and those that listen.
	unlinking sync.WaitGroup
}

// New returns an engine. It starts nothing.
func New(cfg Config) *Service {
	e := &Service{cfg: cfg, reviews: make(chan struct{}, maxReviews)}
	if cfg.Program != nil {
		e.host = holder.New(holder.Config{Program: cfg.Program.Path, Log: cfg.Log})
	}
	return e
}

var _ session.Engine = (*Service)(nil)

// link is how one CLI process calls back.
type link struct {
	// env and args are added to the CLI's environment and arguments.
	env, args []string
	// servers are those the CLI reaches over its pipes.
	servers []wire.SDKServer
	// allow are rules for Parley's own tools.
	allow permissions.RuleTexts
	// tools serves the MCP messages on the CLI's pipes, nil if there are none.
	tools *toolserver.Local
	// started is called with the process. end revokes the link, and may block.
	started func(process *claude.Process)
	end     func()
}

// Start implements [session.Engine].
func (e *Service) Start(ctx context.Context, spec session.Spec) (session.Process, error) {
	if e.cfg.Scripted && !spec.Scripted {
		return nil, notScripted()
	}
	if e.cfg.Store != nil && e.cfg.Store.Doubted() && !spec.Scripted {
		switch {
		case spec.PermissionMode != "" && choice.Modes().Beyond(spec.PermissionMode, "default"):
			return nil, errDoubted("The permission mode of this session")
		case spec.Profile != "":
			return nil, errDoubted("The profile of this session")
		}
	}
	bare, err := e.cfg.Admission.Admit(ctx, spec)
	if err != nil {
		return nil, err
	}
	env, err := e.environment(ctx, spec)
	if err != nil {
		return nil, err
	}
	connect := e.overSocket
	if spec.Engine == choice.EngineSDK {
		connect = e.overPipes
	}
	link, err := connect(spec, e.cfg.Tools.Register)
	if err != nil {
		return nil, err
	}
	rules := link.allow
	rules = permissions.JoinRules(e.cfg.Rules.Handed(spec, time.Now()), rules)
	choices := permissions.WithRules(env.Settings, rules)
	host := &host{engine: e, spec: spec, tools: link.tools}
	process, err := claude.NewEngine(claude.Config{
		CLI: e.cfg.CLI.Path, Env: env.Base, Home: e.cfg.Home, Log: e.cfg.Log, Started: e.cfg.Processes.Started(), Launch: e.launch,
		Group: func(spec session.Spec) claude.Group { return e.cfg.Processes.Group(spec.SessionID) },
		Extra: func(session.Spec) ([]string, []string, error) {
			settings, err := settingsArgs(choices)
			if bare {
				settings = append(settings, bareArgs()...)
			}
			if e.cfg.Heartbeats != nil {
				settings = append(settings, e.cfg.Heartbeats().Args(spec)...)
			}
			return slices.Concat([]string{checkpoints}, env.Extra, link.env), slices.Concat(link.args, settings), err
		},
		Initialize: e.initialize(ctx, spec, link.servers),
		Host:       func(session.Spec) claude.Host { return host.take },
		Repeats:    func(_ session.Spec, req *wire.ControlRequest) bool { return host.repeats(req) },
	}).Start(ctx, spec)
	if err != nil {
		link.end()
		return nil, err
	}
	return e.linked(spec, process.(*claude.Process), link), nil
}

// launch starts a CLI through the host. Without one, the CLI is a child of this process and ends
// with it anyway.
func (e *Service) launch(c child.Command) (claude.Program, error) {
	if e.host != nil {
		held, err := e.host.Start(c)
		switch {
		case err == nil:
			return held, nil
		case !errors.Is(err, holder.ErrNone):
			return nil, err
		}
		e.cfg.Log.Warn("Starting the CLI without the holder process", "err", err)
	}
	own, err := child.Start(c, e.cfg.Log)
	if err != nil {
		return nil, err
	}
	return own, nil
}

// checkpoints makes the CLI back up files before its tools change them, which it does by default
// only in a terminal. The user's own CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING takes precedence.
const checkpoints = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1"

// environment is the environment of a session's CLI.
func (e *Service) environment(ctx context.Context, spec session.Spec) (profile.Environment, error) {
	switch {
	case spec.Scripted:
		env, err := e.cfg.Tour.Env()
		return profile.Environment{Base: env}, err
	case e.cfg.Scripted:
		return profile.Environment{}, notScripted()
	case spec.Profile == "":
		return profile.Environment{Base: e.cfg.Env}, nil
	}
	return e.cfg.Profiles.Environ(ctx, spec.Profile)
}

// errDoubted is why something allowed earlier does not apply.
func errDoubted(what string) error {
	return fault.New(fault.Conflict, "%s does not apply until you have reviewed Parley's database. See the notice at the top of the window.", what)
}

// bareArgs start a CLI without a folder's configuration: only the user's settings, and only
// Parley's servers.
func bareArgs() []string { return []string{"--setting-sources=user", "--strict-mcp-config"} }

func notScripted() error {
	return fault.New(fault.Conflict,
		"This Parley only uses the scripted model, and this session needs the real one. Start Parley without --demo to continue it.")
}

// settingsArgs passes settings to a CLI. All users can read them.
func settingsArgs(settings map[string]any) ([]string, error) {
	if settings == nil {
		return nil, nil
	}
	raw, err := json.Marshal(settings)
	return []string{"--settings=" + string(raw)}, err
}

// listen waits for what a CLI offers, which it reports at its start or never: the wait is bounded
// by the process.
func (e *Service) listen(spec session.Spec, p *claude.Process) {
	answer, err := p.Initialized(context.Background())
	if err != nil {
		return
	}
	if e.cfg.Models != nil {
		e.cfg.Models().Heard(spec, answer)
	}
	ctx, cancel := context.WithTimeout(context.Background(), rulesWait)
	defer cancel()
	// For a CLI that does not know the request, only its settings count.
	if answer, err := p.Control(ctx, wire.ListPermissionRules()); err == nil {
		if said, err := wire.PermissionRules(answer); err == nil {
			e.cfg.Rules.Hear(spec.SessionID, spec.CWD, said)
		}
	}
}

// rulesWait is how long a CLI may take to report its rules.
const rulesWait = 10 * time.Second

// registration is how a session gets its grant.
type registration func(toolserver.Session) (*toolserver.Grant, error)

// overSocket lets a starting process call back over the tool server's socket, as this session.
func (e *Service) overSocket(spec session.Spec, register registration) (link, error) {
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
	grant, err := register(toolserver.Session{
		ID: spec.SessionID, Tools: append(slices.Clone(tools), ask),
		Report: func(l toolserver.Link) {
			if !l.Up {
				e.cfg.Registry().ToolServerLost(spec.SessionID, l.Reason)
			}
		},
	})
	if err != nil {
		return link{}, err
	}
	args, err := grant.Args(e.cfg.Program.Path())
	if err != nil {
		grant.Revoke()
		return link{}, err
	}
	return link{
		env: grant.Env(), args: args, allow: tool.Allowed(tools), end: grant.Revoke,
		started: func(p *claude.Process) { grant.SetPID(p.PID()) },
	}, nil
}

func (e *Service) hostedTools(spec session.Spec) ([]toolserver.Tool, error) {
	if e.cfg.Toolhost == nil {
		return nil, nil
	}
	return e.cfg.Toolhost().Tools(spec)
}

// initialize is the first request to a CLI.
func (e *Service) initialize(ctx context.Context, spec session.Spec, servers []wire.SDKServer) wire.ControlBody {
	first := wire.Initialization{Servers: servers, Suggest: e.cfg.Suggests != nil && e.cfg.Suggests()}
	if e.cfg.Toolhost != nil {
		first.Append = e.cfg.Toolhost().Context(ctx, spec)
	}
	return first.Body()
}

// overPipes lets a starting process call back by requests on its pipes. The permission tool is not
// needed: there is a request for that.
func (e *Service) overPipes(spec session.Spec, _ registration) (link, error) {
	own, err := e.hostedTools(spec)
	if err != nil {
		return link{}, err
	}
	notices := &notifier{}
	tools, err := e.cfg.Tools.Local(toolserver.Session{ID: spec.SessionID, Tools: own, Notify: notices.send})
	if err != nil {
		return link{}, err
	}
	return link{
		args:    []string{"--permission-prompt-tool", "stdio"},
		servers: []wire.SDKServer{{Name: toolserver.ServerName, CallTimeout: toolserver.LongestCall}},
		allow:   tool.Allowed(own), tools: tools, started: notices.start,
		end: func() {
			tools.Close()
			notices.close()
		},
	}, nil
}

// asked handles a CLI's permission request for a tool call.
func (e *Service) asked(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	if e.cfg.Rules.Settled(permission.Request{SessionID: spec.SessionID, Weighty: weighty, Question: event.Question{
		ToolName: q.ToolName, Input: q.Input, CWD: spec.CWD,
	}}) {
		return permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: q.Input}, nil
	}
	decision, err := e.Ask(ctx, spec, weighty, q)
	if err == nil && decision.Allowed() {
		e.granted(ctx, spec, q.ToolName, decision)
	}
	return decision, err
}

// granted sets a session's permission mode if an answer changes it, before the CLI receives the
// answer.
func (e *Service) granted(ctx context.Context, spec session.Spec, tool string, d permission.Decision) {
	if permission.KindOf(tool) == permission.KindPlan {
		e.cfg.Registry().PlanApproved(ctx, spec.SessionID)
	}
	for _, raw := range d.Permissions {
		var update struct{ Type, Mode string }
		if json.Unmarshal(raw, &update) == nil && update.Type == "setMode" {
			e.cfg.Registry().ModeGranted(ctx, spec.SessionID, update.Mode)
		}
	}
}

// Ask puts a session's request to users and waits for the answer. Missing common fields of q are
// filled in. A weighty one is decided only by a user, or a rule of theirs.
func (e *Service) Ask(ctx context.Context, spec session.Spec, weighty bool, q event.Question) (permission.Decision, error) {
	if q.Kind == "" {
		q.Kind = permission.KindOf(q.ToolName)
	}
	q.CWD, q.ExpiresAt, q.Heartbeat = spec.CWD, time.Now().Add(e.cfg.Patience()).UnixMilli(), e.asking(spec)
	turn := e.cfg.Registry().Asking(ctx, spec.SessionID, q.ToolUseID, spec.Engine == "sdk")
	asked := permission.Request{SessionID: spec.SessionID, TurnID: turn, Weighty: weighty, Question: q}
	decision, err := e.cfg.Desk.Ask(ctx, asked)
	if err != nil {
		return decision, fault.Wrap(err, fault.Unavailable, "Parley could not ask for permission: %s", fault.MessageOf(err))
	}
	if decision.Outcome == permission.OutcomeWithdrawn {
		// The turn or the process is being stopped. The CLI then withdraws its request; a denial
		// sent first would make it ask the model for the next step.
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
func (e *Service) asking(spec session.Spec) string {
	if e.cfg.Heartbeat == nil {
		return ""
	}
	return e.cfg.Heartbeat(spec.SessionID)
}

// withdrawnWait is how long the CLI may take to withdraw a request after being stopped.
const withdrawnWait = 5 * time.Second

// Close returns when every ending link is gone, nobody listens, and the host of the CLIs has ended.
// Nothing may be started afterwards.
func (e *Service) Close() {
	if e.left {
		return
	}
	e.unlinking.Wait()
	if e.host != nil {
		e.host.Close()
	}
}
