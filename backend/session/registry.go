// Package session owns the running conversations. Each [Session] has one owner
// goroutine that holds all of its state: commands reach it through an inbox, the CLI's
// frames through a channel, and no other goroutine touches its state. It starts a CLI
// process for the first prompt, follows every prompt to its single terminal event,
// survives crashes of the process, and tells a Keeper what a later Parley needs to
// continue: its state ([Snapshot]) and the waiting prompts ([AcceptedPrompt]).
//
// A prompt is with the Keeper before it is accepted, and stays there until it is over.
// It is "queued" while it waits for the turn to end, "sent" while the CLI has it, and
// "held" while only a user may start it: after a restart, in a session that was
// closed, and after a turn that failed or was stopped.
//
// When this process becomes another program, active sessions continue there
// ([Registry.HandOver]): everything is carried over except what the Keeper has.
//
// The package declares its dependencies as interfaces (Engine, Publisher, Keeper,
// Questions) and knows no adapter: not how a process is started, where events go,
// or who answers requests. It stores nothing on disk itself.
//
// Goroutines: one owner per session, ended by Close; beside it, one while it is handed over; while a process
// runs, one that writes prompts to it, and one for each control request under way;
// and for all sessions a timer that looks for idle processes, while there are any.
// Registry.Close waits for all of them.
package session

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/usage"
)

// maxSessions bounds the sessions of a registry, closed ones included. When it
// is full, the session closed longest ago is removed.
const maxSessions = 1000

// Audit records what is unusual.
type Audit interface {
	// Intruded records that another program wrote to a session's CLI, with how that was
	// detected. It must not call the registry.
	Intruded(sessionID, turnID, what string)
}

// Config configures a registry. All fields are required unless noted. Without
// SuspendAfter, idle processes are never suspended.
type Config struct {
	Engine    Engine
	Publisher Publisher
	Questions Questions
	Keeper    Persister
	// SuspendAfter returns how long a process may be idle before it is suspended, 0
	// for no limit. It is called repeatedly, from any goroutine.
	SuspendAfter func() time.Duration
	// Spent returns the total in dollars that a CLI started with the spec continues from,
	// or false if unknown. It may be nil and may block briefly.
	Spent func(context.Context, Spec) (float64, bool)
	// Audit may be nil.
	Audit Audit
	// Windows is the shared knowledge of the models' context windows. It may be nil.
	Windows *usage.Windows
	Logger  *slog.Logger
}

// Registry holds the sessions of one Parley. It is safe for concurrent use.
type Registry struct {
	cfg Config

	mu       sync.Mutex
	sessions map[string]*Session
	closed   bool
	// handing are the sessions being handed over to another program, nil if none.
	handing []*handing
	// sweeper looks for idle processes, nil if there are none; sweeps counts it
	// while it waits or works.
	sweeper *time.Timer
	sweeps  sync.WaitGroup
}

// NewRegistry returns an empty registry.
func NewRegistry(cfg Config) *Registry {
	return &Registry{cfg: cfg, sessions: make(map[string]*Session)}
}

// CreateParams describes a new session. Empty fields leave the choice to the CLI.
type CreateParams struct {
	CWD            string
	Title          string
	Model          string
	Effort         string
	PermissionMode string
	// Guard is one of the Guard constants, "" for off.
	Guard    string
	Engine   string
	Profile  string
	Scripted bool
}

// Create creates a session without starting a process. The folder must be
// absolute, exist (fault not_found) and be a folder (fault invalid).
func (r *Registry) Create(p CreateParams) (event.Session, error) {
	if err := checkFolder(p.CWD); err != nil {
		return event.Session{}, err
	}
	if err := checkMode(p.PermissionMode); err != nil {
		return event.Session{}, err
	}
	if err := CheckModel(p.Model); err != nil {
		return event.Session{}, err
	}
	if err := checkEffort(p.Effort); err != nil {
		return event.Session{}, err
	}
	if err := checkEngine(p.Engine); err != nil {
		return event.Session{}, err
	}
	if err := checkGuard(p.Guard); err != nil {
		return event.Session{}, err
	}
	p.CWD = filepath.Clean(p.CWD)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return event.Session{}, errEnding()
	}
	if !r.makeRoom() {
		return event.Session{}, errFull()
	}
	s := newSession(uuid.NewString(), p, r.cfg)
	r.run(s)
	return s.Record(), nil
}

// run starts a session's owner. The caller holds mu.
func (r *Registry) run(s *Session) {
	s.processBegan = r.watch
	r.sessions[s.id] = s
	go s.run()
}

func errEnding() error { return fault.New(fault.Unavailable, "Parley is shutting down.") }

func errFull() error {
	return fault.New(fault.Busy, "There are %d open sessions. Close some first.", maxSessions)
}

// makeRoom removes the session closed longest ago if the registry is full.
// The caller holds mu.
func (r *Registry) makeRoom() bool {
	if len(r.sessions) < maxSessions {
		return true
	}
	var oldest *Session
	for _, s := range r.sessions {
		if s.ended() && (oldest == nil || s.Record().LastActivityAt < oldest.Record().LastActivityAt) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	delete(r.sessions, oldest.id)
	return true
}

// session finds a session by its id (fault not_found).
func (r *Registry) session(id string) (*Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[id]
	if s == nil {
		return nil, fault.New(fault.NotFound, "There is no session %q.", id)
	}
	return s, nil
}

// Get returns a session's record. It includes the effects of every event the
// caller has seen.
func (r *Registry) Get(ctx context.Context, id string) (event.Session, error) {
	s, err := r.session(id)
	if err != nil {
		return event.Session{}, err
	}
	return look(ctx, s, s.Record)
}

// Working returns the folders of the sessions with a running turn. A nil registry has none.
func (r *Registry) Working() []string {
	if r == nil {
		return nil
	}
	var folders []string
	for _, s := range r.List() {
		if s.State == string(Running) || s.State == string(Starting) {
			folders = append(folders, s.CWD)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// List returns all records, the most recently active first.
func (r *Registry) List() []event.Session {
	r.mu.Lock()
	records := make([]event.Session, 0, len(r.sessions))
	for _, s := range r.sessions {
		records = append(records, s.Record())
	}
	r.mu.Unlock()
	slices.SortFunc(records, func(a, b event.Session) int {
		return cmp.Or(cmp.Compare(b.LastActivityAt, a.LastActivityAt), cmp.Compare(a.ID, b.ID))
	})
	return records
}

// History returns a page of a session's messages, the newest page first.
func (r *Registry) History(ctx context.Context, id string, limit int, before string) (event.History, error) {
	s, err := r.session(id)
	if err != nil {
		return event.History{}, err
	}
	return look(ctx, s, func() event.History {
		s.out.flush()
		return s.log.Page(limit, before)
	})
}

// Prompt accepts a prompt and returns the id of its turn. For a prompt id that
// was seen before it returns the first turn and sends nothing.
func (r *Registry) Prompt(ctx context.Context, id string, p Prompt) (turnID string, err error) {
	s, err := r.session(id)
	if err != nil {
		return "", err
	}
	return ask(ctx, s, func() (string, error) { return s.accept(p) })
}

// Interrupt stops the running turn, if any. by is who asked, as in
// [event.Interrupted].
func (r *Registry) Interrupt(ctx context.Context, id, by string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.interrupt(by) })
	return err
}

// CloseSession ends a session and its process, and returns when both are gone or ctx
// ends. The running turn ends; prompts that no CLI took up stay with the keeper, for
// a restored session. Closing twice is no error.
func (r *Registry) CloseSession(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	return s.shutdown(ctx, false)
}

// QuestionOpened tells a session that one of its tools asks a question.
func (r *Registry) QuestionOpened(sessionID string, q event.Question) {
	if s, err := r.session(sessionID); err == nil {
		s.post(func() { s.questionOpened(q) })
	}
}

// QuestionResolved tells a session how a question ended.
func (r *Registry) QuestionResolved(sessionID string, e *event.PermissionResolved) {
	if s, err := r.session(sessionID); err == nil {
		s.post(func() { s.questionResolved(e) })
	}
}

// ToolServerLost tells a session that the CLI lost, or never got, its
// connection to Parley's tools.
func (r *Registry) ToolServerLost(sessionID, reason string) {
	if s, err := r.session(sessionID); err == nil {
		s.post(func() { s.toolServerLost(reason) })
	}
}

// Speaker returns who wrote the prompt that a session's CLI took up last, nil for the
// user of this Parley or if unknown.
func (r *Registry) Speaker(sessionID string) *event.Author {
	s, err := r.session(sessionID)
	if err != nil {
		return nil
	}
	return s.speaker.Load()
}

// Turn returns the id of a session's running turn, "" if none.
func (r *Registry) Turn(sessionID string) string {
	s, err := r.session(sessionID)
	if err != nil {
		return ""
	}
	turn, _ := s.currentTurn.Load().(string)
	return turn
}

// Close ends every session and waits until their processes are gone or ctx ends.
// Waiting prompts and running turns are left to a later Parley.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.handing != nil { // they belong to another program
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	r.disarm()
	r.mu.Unlock()
	all := r.all()
	for _, s := range all {
		s.end(true)
	}
	for _, s := range all {
		if err := s.ending(ctx); err != nil {
			return err
		}
	}
	r.sweeps.Wait()
	return nil
}

// all returns the current sessions.
func (r *Registry) all() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.sessions))
}
