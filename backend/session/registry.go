// Package session owns the running conversations. Each [Session] has one owner
// goroutine that holds all of its state: commands reach it on an inbox, the CLI's
// frames on a channel, and nobody else touches anything. It starts a CLI process
// when the first prompt comes, follows every prompt to its one terminal event,
// and survives the process dying.
//
// The package declares what it needs as interfaces (Engine, Publisher,
// Questions) and knows no adapter: not how a process is started, not where events
// go, not who answers questions. It does not store anything on disk.
//
// Goroutines: one owner per session, ended by Close; beside it, while a process
// runs, one that writes prompts to it, and one for each control request under way.
// Registry.Close waits for all of them.
package session

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// maxSessions bounds how many sessions a registry keeps, closed ones included.
// When it is full, the longest closed one is forgotten to make room.
const maxSessions = 1000

// Config is what a registry needs. All fields are required.
type Config struct {
	Engine    Engine
	Publisher Publisher
	Questions Questions
	Logger    *slog.Logger
}

// Registry holds the sessions of one Parley. It is safe for concurrent use.
type Registry struct {
	cfg Config

	mu       sync.Mutex
	sessions map[string]*Session
	closed   bool
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
	Engine         string
	Rehearsal      bool
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
	if err := checkEffort(p.Effort); err != nil {
		return event.Session{}, err
	}
	if err := checkEngine(p.Engine); err != nil {
		return event.Session{}, err
	}
	p.CWD = filepath.Clean(p.CWD)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return event.Session{}, fault.New(fault.Unavailable, "Parley is shutting down.")
	}
	if !r.makeRoom() {
		return event.Session{}, fault.New(fault.Busy, "There are %d open sessions. Close some first.", maxSessions)
	}
	s := newSession(uuid.NewString(), p, r.cfg)
	r.sessions[s.id] = s
	go s.run()
	return s.Record(), nil
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

// Interrupt stops the turn that is under way. Without one it does nothing.
func (r *Registry) Interrupt(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) { return struct{}{}, s.interrupt() })
	return err
}

// CloseSession ends a session and its process, and returns when both are gone or
// ctx ends. Closing twice is no error.
func (r *Registry) CloseSession(ctx context.Context, id string) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	s.shutdown()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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

// Turn returns the id of the turn under way in a session, "" without one.
func (r *Registry) Turn(sessionID string) string {
	s, err := r.session(sessionID)
	if err != nil {
		return ""
	}
	turn, _ := s.currentTurn.Load().(string)
	return turn
}

// SetPermissionMode changes how tools are allowed, now and for later processes.
func (r *Registry) SetPermissionMode(ctx context.Context, id, mode string) error {
	if mode == "" {
		return fault.New(fault.Invalid, "The parameter mode is empty.")
	}
	if err := checkMode(mode); err != nil {
		return err
	}
	return r.set(ctx, id, wire.SetPermissionMode(mode), func(s *Session) { s.record.PermissionMode = mode })
}

// SetModel changes the model, now and for later processes. "" is the CLI's
// default.
func (r *Registry) SetModel(ctx context.Context, id, model string) error {
	return r.set(ctx, id, wire.SetModel(model), func(s *Session) { s.record.Model = model })
}

// SetEffort changes how hard the model thinks, now and for later processes.
func (r *Registry) SetEffort(ctx context.Context, id, effort string) error {
	if effort == "" {
		return fault.New(fault.Invalid, "The parameter effort is empty.")
	}
	if err := checkEffort(effort); err != nil {
		return err
	}
	record := func(s *Session) { s.record.Effort = effort }
	err := r.set(ctx, id, wire.SetEffort(effort), record)
	var refused *wire.ControlError
	if asError(err, &refused) {
		// A CLI or model without effort levels takes a budget of thinking instead.
		budget := thinkingBudgets[effort]
		return r.set(ctx, id, wire.SetMaxThinkingTokens(&budget), record)
	}
	return err
}

// thinkingBudgets are the levels of effort in tokens of thinking.
var thinkingBudgets = map[string]int{"low": 4_000, "medium": 8_000, "high": 16_000, "xhigh": 24_000, "max": 32_000}

// set asks a running CLI to change something, then records the choice. Without a
// process the choice is recorded for the next one.
func (r *Registry) set(ctx context.Context, id string, body wire.ControlBody, record func(*Session)) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	if _, err := s.control(ctx, body); err != nil && fault.CodeOf(err) != fault.Unavailable {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) {
		record(s)
		s.touch()
		return struct{}{}, nil
	})
	return err
}

// Control sends a control request to a session's CLI and returns its answer
// (fault unavailable when no process runs).
func (r *Registry) Control(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
	s, err := r.session(id)
	if err != nil {
		return nil, err
	}
	return s.control(ctx, body)
}

// Close ends every session and waits until their processes are gone, or ctx ends.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	all := make([]*Session, 0, len(r.sessions))
	for _, s := range r.sessions {
		all = append(all, s)
	}
	r.mu.Unlock()
	for _, s := range all {
		s.shutdown()
	}
	for _, s := range all {
		select {
		case <-s.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func checkFolder(path string) error {
	if path == "" {
		return fault.New(fault.Invalid, "The parameter cwd is empty. Choose a folder to work in.")
	}
	if !filepath.IsAbs(path) {
		return fault.New(fault.Invalid, "The folder %q is not an absolute path (parameter cwd).", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "The folder %q cannot be opened. Check that it exists and that you may read it (parameter cwd).", path)
	}
	if !info.IsDir() {
		return fault.New(fault.Invalid, "%q is a file, not a folder (parameter cwd).", path)
	}
	return nil
}

// permissionModes lists the CLI's permission modes, the strictest first.
var permissionModes = []string{"plan", "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"}

// efforts lists the levels of effort that the CLI knows.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// engines lists the ways to drive the CLI, the default first.
var engines = []string{"cli", "sdk"}

func checkEngine(engine string) error {
	if engine == "" || slices.Contains(engines, engine) {
		return nil
	}
	return fault.New(fault.Invalid, "There is no engine %q. The engines are %v.", engine, engines)
}

func checkMode(mode string) error {
	if mode == "" || slices.Contains(permissionModes, mode) {
		return nil
	}
	return fault.New(fault.Invalid, "There is no permission mode %q. The modes are %v.", mode, permissionModes)
}

func checkEffort(effort string) error {
	if effort == "" || slices.Contains(efforts, effort) {
		return nil
	}
	return fault.New(fault.Invalid, "There is no effort %q. The levels are %v.", effort, efforts)
}

// closeLimit bounds how long a closing session waits for its process.
const closeLimit = 4500 * time.Millisecond
