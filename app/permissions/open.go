package permissions

import (
	"context"
	"log/slog"
	"time"

	"parley/app/method"
	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulestore"
	"parley/backend/session"
)

// Config has the dependencies of permissions. All fields are required.
type Config struct {
	// Data is the data folder, whose own files no tool may touch. Home is the user's.
	Data, Home string
	// Records store the user's rules.
	Records rulestore.Records
	// Store reports whether earlier permissions apply, and which rules are in effect.
	Store interface {
		Doubted() bool
		Rules(all []rule.Rule) []rule.Rule
	}
	Audits Audits
	// ConfigDir is the configuration folder of a session's CLI, "" for a new session.
	ConfigDir func(sessionID string) string
	// WorkspaceOf is a folder's workspace, Workspace reports whether one exists.
	WorkspaceOf func(folder string) string
	Workspace   func(id string) bool
	// Session is a session's record, Title its current title.
	Session func(ctx context.Context, id string) (event.Session, error)
	Title   func(sessionID string) string
	// Registry returns the sessions, which are created with this service.
	Registry func() *session.Registry
	// Reviews ask a small model. They are made later.
	Reviews func() interface {
		Review(ctx context.Context, q permission.Request) (Opinion, error)
	}
	Publish func(event.Event)
	Log     *slog.Logger
}

// Audits record requests and changes of rules.
type Audits interface {
	Record(q permission.Request) func(permission.Decision) error
	Again(q permission.Request) func(permission.Decision) error
	Ruled(ctx context.Context, what string, r rule.Rule)
}

// New reads the rules. If it succeeds, Close must be called.
func New(cfg Config) (*Service, error) {
	here := machine(cfg.Home)
	book, err := rulestore.Open(rulestore.Config{Records: cfg.Records, Engine: here, Builtin: reserved(cfg.Data), Holds: cfg.Store.Rules, Logger: cfg.Log})
	if err != nil {
		return nil, err
	}
	cli := newTheirs(here, cfg.ConfigDir)
	j := &judge{
		book: book, theirs: cli.strict, workspace: cfg.WorkspaceOf, stats: newTally(),
		review: func(ctx context.Context, q permission.Request) (Opinion, error) { return cfg.Reviews().Review(ctx, q) },
		guarded: func(id string) (string, string) {
			s, _ := cfg.Registry().Snapshot(id)
			if cfg.Store.Doubted() {
				return choice.GuardOff, s.PermissionMode
			}
			return s.Guard, s.PermissionMode
		},
	}
	told := &reports{registry: cfg.Registry, publish: cfg.Publish}
	desk := permission.NewQueue(permission.Config{Decide: j.decide, Forbid: j.forbid, Observe: told.take, Record: cfg.Audits.Record, Again: cfg.Audits.Again})
	told.desk = desk
	return &Service{
		Desk: desk, title: cfg.Title,
		rules: &rules{
			book: book, judge: j, desk: desk, cli: cli, session: cfg.Session, workspace: cfg.Workspace, audits: cfg.Audits, publish: cfg.Publish, log: cfg.Log,
			control: func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
				return cfg.Registry().Control(ctx, id, body)
			},
		},
	}, nil
}

// Close withdraws open requests.
func (p *Service) Close() { p.Desk.Close() }

var _ session.Questions = (*Service)(nil)

// Withdraw implements [session.Questions].
func (p *Service) Withdraw(sessionID, why string) { p.Desk.Withdraw(sessionID, why) }

// Open implements [session.Questions].
func (p *Service) Open(requestID string) bool {
	_, open := p.Desk.Question(requestID)
	return open
}

// Forget implements [session.Questions]: a session's rules end with it.
func (p *Service) Forget(sessionID string, left bool) {
	p.Desk.Forget(sessionID)
	if left {
		return // a later Parley continues the session with its rules
	}
	p.rules.ended(p.rules.book.EndSession(sessionID))
}

// ForgetWorkspace ends the rules of a workspace.
func (p *Service) ForgetWorkspace(id string) { p.rules.ended(p.rules.book.EndWorkspace(id)) }

// Recheck reevaluates which rules apply, and decides open requests again.
func (p *Service) Recheck() {
	p.rules.book.Refresh()
	p.rules.changed()
}

// Again is the user's rules' own decision about a tool call, nil for none.
func (p *Service) Again(q permission.Request) *permission.Decision { return p.rules.judge.again(q) }

// Forbid is why the user's rules deny a tool call, "" if they do not.
func (p *Service) Forbid(q permission.Request) string { return p.rules.judge.forbid(q) }

// Handed are the rules passed to a session's CLI at its start, by effect.
func (p *Service) Handed(spec session.Spec, now time.Time) RuleTexts {
	return p.rules.judge.handed(spec, now)
}

// Settled reports whether the CLI's request about one of Parley's own tools needs no user's answer.
func (p *Service) Settled(q permission.Request) bool { return p.rules.judge.settled(q) }

// Hear records the CLI's rules of a session, Unhear drops them.
func (p *Service) Hear(sessionID, folder string, said []wire.PermissionRule) {
	p.rules.cli.hear(sessionID, folder, said)
}

// Unhear drops the CLI's rules of a session.
func (p *Service) Unhear(sessionID, folder string) { p.rules.cli.forget(sessionID, folder) }

// Methods are the service's API methods.
func (p *Service) Methods() []*method.Method {
	if p == nil {
		p = &Service{} // methods are only listed then, not called
	}
	return append(p.rules.methods(), p.methods()...)
}
