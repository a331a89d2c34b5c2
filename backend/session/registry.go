// Package session owns the running conversations. Each [Session] has one owner
// goroutine that holds all of its state: commands reach it on an inbox, the CLI's
// frames on a channel, and nobody else touches anything. It starts a CLI process
// when the first prompt comes, follows every prompt to its one terminal event,
// survives the process dying, and tells a Keeper what a later Parley needs to continue:
// what it is ([Saved]) and the prompts that wait ([Pending]).
//
// A prompt is with the Keeper before it is accepted, and stays there until it is over.
// It is "queued" while it waits for the turn to end, "sent" while the CLI has it, and
// "held" while nothing may start it but a user: that is so after a restart, in a
// session that was closed, and after a turn that a user stopped or that failed.
//
// When this process becomes another program, the sessions that do something go on there
// ([Registry.HandOver]): what the Keeper has is not carried, and all else is.
//
// The package declares what it needs as interfaces (Engine, Publisher, Keeper,
// Questions) and knows no adapter: not how a process is started, not where events
// go, not who answers questions. It does not store anything on disk itself.
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

// maxSessions bounds how many sessions a registry keeps, closed ones included.
// When it is full, the longest closed one is forgotten to make room.
const maxSessions = 1000

// Config is what a registry needs. Without SuspendAfter processes are never ended
// for being idle; everything else is required.
type Config struct {
	Engine    Engine
	Publisher Publisher
	Questions Questions
	Keeper    Keeper
	// SuspendAfter is how long a process may be idle before it is ended, 0 for ever.
	// It is asked again and again and may be called from any goroutine.
	SuspendAfter func() time.Duration
	// Spent is the running total in dollars that a CLI continues from when it is started as
	// told, and false when nobody knows. It may be nil, and take a moment.
	Spent func(context.Context, Spec) (float64, bool)
	// Intruded hears that somebody else than Parley spoke to a session's CLI, and how that
	// was noticed. It may be nil, and must not call the registry.
	Intruded func(sessionID, turnID, what string)
	// Windows is what all sessions know of the models' context windows. It may be nil.
	Windows *usage.Windows
	Logger  *slog.Logger
}

// Registry holds the sessions of one Parley. It is safe for concurrent use.
type Registry struct {
	cfg Config

	mu       sync.Mutex
	sessions map[string]*Session
	closed   bool
	// handing are the sessions that are handed over to another program, nil when none are.
	handing []*handing
	// sweeper looks for idle processes, nil when there are none; sweeps counts it
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
	Guard     string
	Engine    string
	Profile   string
	Rehearsal bool
}

// Create makes a session. It starts no process. The folder must exist (fault
// not_found), be absolute and be a folder (fault invalid).
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

// run gives a session its owner. The caller holds mu.
func (r *Registry) run(s *Session) {
	s.processBegan = r.watch
	r.sessions[s.id] = s
	go s.run()
}

func errEnding() error { return fault.New(fault.Unavailable, "Parley is shutting down.") }

func errFull() error {
	return fault.New(fault.Busy, "There are %d open sessions. Close some first.", maxSessions)
}

// makeRoom forgets the longest closed session when the registry is full. The
// caller holds mu.
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

// Get returns a session's record. Whoever has seen an event finds in it what the
// event led to.
func (r *Registry) Get(ctx context.Context, id string) (event.Session, error) {
	s, err := r.session(id)
	if err != nil {
		return event.Session{}, err
	}
	return look(ctx, s, s.Record)
}

// Working returns the folders of the sessions that work. A registry that does not exist yet
// has none.
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

// Prompt accepts a prompt and returns the id of the turn it will get. A prompt id
// that was seen before returns the turn of the first time and sends nothing.
func (r *Registry) Prompt(ctx context.Context, id string, p Prompt) (turnID string, err error) {
	s, err := r.session(id)
	if err != nil {
		return "", err
	}
	return ask(ctx, s, func() (string, error) { return s.accept(p) })
}

// Interrupt stops the turn that is running. Without one it does nothing. by says who
// asked, as in [event.Interrupted].
func (r *Registry) Interrupt(ctx context.Context, id, by string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.interrupt(by) })
	return err
}

// CloseSession ends a session and its process, and returns when all is gone or ctx
// ends. The running turn has ended; prompts that no CLI took up stay with the keeper,
// for a session that is restored. Closing twice is no error.
func (r *Registry) CloseSession(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	return s.shutdown(ctx, false)
}

// QuestionOpened tells a session that one of its tools asks.
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

// ToolServerLost tells a session that the CLI lost its connection to Parley's
// tools, or never got one.
func (r *Registry) ToolServerLost(sessionID, reason string) {
	if s, err := r.session(sessionID); err == nil {
		s.post(func() { s.toolServerLost(reason) })
	}
}

// Speaker is who wrote the prompt that a session's CLI took up last, nil for whoever sits
// at this Parley, and when that is unknown.
func (r *Registry) Speaker(sessionID string) *event.Author {
	s, err := r.session(sessionID)
	if err != nil {
		return nil
	}
	return s.speaker.Load()
}

// Turn returns the id of the running turn in a session, "" without one.
func (r *Registry) Turn(sessionID string) string {
	s, err := r.session(sessionID)
	if err != nil {
		return ""
	}
	turn, _ := s.currentTurn.Load().(string)
	return turn
}

// Close ends every session and waits until their processes are gone, or ctx ends.
// What waits or is under way is left to a later Parley.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.handing != nil { // they are another program's
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

// all returns the sessions as they are now.
func (r *Registry) all() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.sessions))
}
