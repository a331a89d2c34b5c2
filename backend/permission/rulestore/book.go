// Package rulestore keeps the user's rules: it owns their records, knows which of
// them apply, and prepares them for decisions. A session's rule ends with the
// session, a workspace's with the workspace, and one with an expiry at that time.
//
// The records are stored by an injected store. A rule that couldn't be stored still
// applies until Parley ends, and [Book.Add] says so. There are at most [MaxRules].
//
// The package starts no goroutine. It doesn't know who asks or answers.
package rulestore

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"parley/backend/fault"
	"parley/backend/permission/rule"
	"parley/backend/store/model"
)

// MaxRules is how many rules a user may have.
const MaxRules = 5000

// maxNote is the length of a note in bytes.
const maxNote = 1000

// Records stores rules by id.
type Records interface {
	All() ([]model.Rule, error)
	Put(id string, r model.Rule) error
	Delete(id string) error
}

// Config configures a book. Records and Logger are required.
type Config struct {
	Records Records
	Engine  rule.Engine
	// Builtin are rules that always apply and can't be changed.
	Builtin []rule.Rule
	// Holds filters the user's rules down to those that currently apply. If nil,
	// all do.
	Holds  func([]rule.Rule) []rule.Rule
	Logger *slog.Logger
}

// Book holds the rules. Its methods may be called from any goroutine.
type Book struct {
	cfg Config
	set atomic.Pointer[rule.Set]

	// mu is held while rules are stored. Decisions only lock counting.
	mu    sync.Mutex
	rules map[string]rule.Rule

	counting sync.Mutex
	uses     map[string]int
}

// Open reads the stored rules.
func Open(cfg Config) (*Book, error) {
	b := &Book{cfg: cfg, rules: map[string]rule.Rule{}, uses: map[string]int{}}
	kept, err := cfg.Records.All()
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	for _, r := range kept {
		b.rules[r.ID] = ruleOf(r)
	}
	b.ready()
	return b, nil
}

// Refresh reapplies Config.Holds.
func (b *Book) Refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready()
}

// Set returns the rules prepared for decisions. It is immutable; later rules are in
// a later set.
func (b *Book) Set() *rule.Set { return b.set.Load() }

// Engine returns what the rules know of the computer.
func (b *Book) Engine() rule.Engine { return b.cfg.Engine }

// ready replaces the set. The caller holds mu or has exclusive access.
func (b *Book) ready() {
	all := slices.Collect(maps.Values(b.rules))
	if b.cfg.Holds != nil {
		all = b.cfg.Holds(all)
	}
	all = append(all, b.cfg.Builtin...)
	slices.SortFunc(all, older)
	b.set.Store(b.cfg.Engine.New(all))
}

func older(a, b rule.Rule) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// List returns the rules that apply anywhere at a time, newest first, then the
// built-in ones.
func (b *Book) List(now time.Time) []rule.Rule {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []rule.Rule
	for _, r := range b.rules {
		if !expired(r, now) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(x, y rule.Rule) int { return older(y, x) })
	return append(list, b.cfg.Builtin...)
}

func expired(r rule.Rule, now time.Time) bool {
	return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt)
}

// Get returns a rule (fault not_found).
func (b *Book) Get(id string) (rule.Rule, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rules[id]
	if !ok {
		return r, unknown(id)
	}
	return r, nil
}

func unknown(id string) error { return fault.New(fault.NotFound, "There is no rule %.100q.", id) }

// ErrNotKept means that rules apply, but only until Parley ends.
var ErrNotKept = errors.New("the rules could not be written down")

// Add creates rules and returns them with their ids. If an identical rule exists,
// it takes over the new expiry and note and keeps its id. Invalid rules are a fault
// (invalid) and nothing is changed; [ErrNotKept] is returned along with the rules.
func (b *Book) Add(list []rule.Rule, now time.Time) ([]rule.Rule, error) {
	for _, r := range list {
		if err := check(r); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prune(now)
	if len(b.rules)+len(list) > MaxRules {
		return nil, fault.New(fault.TooLarge, "There are %d rules; the limit is %d. Delete some first.", len(b.rules), MaxRules)
	}
	made := make([]rule.Rule, 0, len(list))
	for _, r := range list {
		r.ID, r.Source, r.CreatedAt = b.same(r), rule.Person, now
		if r.ID == "" {
			r.ID = uuid.NewString()
		}
		b.rules[r.ID] = r
		made = append(made, r)
	}
	b.ready()
	return made, b.keep(made)
}

// same returns the id of an identical rule.
func (b *Book) same(r rule.Rule) string {
	for id, have := range b.rules {
		if have.Effect == r.Effect && have.Tool == r.Tool && have.Pattern == r.Pattern && have.Scope == r.Scope && have.ScopeID == r.ScopeID && have.Base == r.Base {
			return id
		}
	}
	return ""
}

// keep stores rules.
func (b *Book) keep(list []rule.Rule) error {
	for _, r := range list {
		if err := b.cfg.Records.Put(r.ID, recordOf(r)); err != nil {
			b.cfg.Logger.Warn("Couldn't save a rule", "rule", r.ID, "err", err)
			return fmt.Errorf("%w: %w", ErrNotKept, err)
		}
	}
	return nil
}

// Change edits a rule (fault not_found, or invalid if the result is).
func (b *Book) Change(id string, change func(*rule.Rule) error) (rule.Rule, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rules[id]
	if !ok {
		return r, unknown(id)
	}
	if err := change(&r); err != nil {
		return r, err
	}
	r.ID, r.Source = id, rule.Person
	if err := check(r); err != nil {
		return r, err
	}
	b.rules[id] = r
	b.ready()
	return r, b.keep([]rule.Rule{r})
}

// Remove deletes a rule (fault not_found). It no longer applies even if that
// couldn't be stored, which is an error.
func (b *Book) Remove(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.rules[id]; !ok {
		return unknown(id)
	}
	return b.drop(func(r rule.Rule) bool { return r.ID == id })
}

// EndSession removes the rules of a session, EndWorkspace those of a workspace. They
// report whether there were any.
func (b *Book) EndSession(id string) (bool, error) { return b.end(rule.Session, id) }

// EndWorkspace is like [Book.EndSession].
func (b *Book) EndWorkspace(id string) (bool, error) { return b.end(rule.Workspace, id) }

func (b *Book) end(scope rule.Scope, id string) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.rules)
	err := b.drop(func(r rule.Rule) bool { return r.Scope == scope && r.ScopeID == id })
	return len(b.rules) < before, err
}

// drop removes rules. The caller holds mu.
func (b *Book) drop(which func(rule.Rule) bool) error {
	var failed error
	dropped := false
	for id, r := range b.rules {
		if !which(r) {
			continue
		}
		delete(b.rules, id)
		b.forget(id)
		dropped = true
		if err := b.cfg.Records.Delete(id); err != nil {
			failed = fault.Wrap(err, fault.Unavailable, "The rule no longer applies, but that could not be saved. It may return when Parley restarts.")
		}
	}
	if dropped {
		b.ready()
	}
	return failed
}

// prune removes expired rules. The caller holds mu.
func (b *Book) prune(now time.Time) {
	if err := b.drop(func(r rule.Rule) bool { return expired(r, now) }); err != nil {
		b.cfg.Logger.Warn("Couldn't remove an expired rule", "err", err)
	}
}

// Used counts decisions by rules.
func (b *Book) Used(rules []rule.Rule) {
	b.counting.Lock()
	defer b.counting.Unlock()
	for _, r := range rules {
		if _, known := b.uses[r.ID]; known || len(b.uses) < MaxRules {
			b.uses[r.ID]++
		}
	}
}

func (b *Book) forget(id string) {
	b.counting.Lock()
	defer b.counting.Unlock()
	delete(b.uses, id)
}

// Uses returns how often a rule decided since the book was opened.
func (b *Book) Uses(id string) int {
	b.counting.Lock()
	defer b.counting.Unlock()
	return b.uses[id]
}

// check validates a user's rule.
func check(r rule.Rule) error {
	if err := r.Check(); err != nil {
		return fault.Wrap(err, fault.Invalid, "This rule is not valid: %v.", err)
	}
	switch {
	case r.Scope == rule.Global && r.ScopeID != "":
		return fault.New(fault.Invalid, "A global rule cannot name a session or workspace (parameter scopeId).")
	case r.Scope == rule.Session && r.ScopeID == "":
		return fault.New(fault.Invalid, "Enter the rule's session (parameter scopeId).")
	case r.Scope == rule.Workspace && r.ScopeID == "":
		return fault.New(fault.Invalid, "Enter the rule's workspace (parameter scopeId).")
	case r.Scope != rule.Global && r.Scope != rule.Session && r.Scope != rule.Workspace:
		return fault.New(fault.Invalid, "%q is not a scope; it must be session, workspace or global.", r.Scope)
	case len(r.Note) > maxNote:
		return fault.New(fault.TooLarge, "A note can have at most %d bytes.", maxNote)
	}
	return nil
}

// Until returns the expiry of a rule created now: after an "hour", at the end of
// "today", or "never" (same as ""). Anything else is a fault (invalid).
func Until(expiry string, now time.Time) (time.Time, error) {
	switch expiry {
	case "", "never":
		return time.Time{}, nil
	case "hour":
		return now.Add(time.Hour), nil
	case "today":
		y, m, d := now.Date()
		return time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()), nil
	}
	return time.Time{}, fault.New(fault.Invalid, "%q is not an expiry; it must be hour, today or never.", expiry)
}

func recordOf(r rule.Rule) model.Rule {
	kept := model.Rule{
		ID: r.ID, Effect: string(r.Effect), Tool: r.Tool, Pattern: r.Pattern, Scope: string(r.Scope), ScopeID: r.ScopeID,
		Base: r.Base, Note: r.Note, CreatedAt: r.CreatedAt.UnixMilli(),
	}
	if !r.ExpiresAt.IsZero() {
		kept.ExpiresAt = r.ExpiresAt.UnixMilli()
	}
	return kept
}

// ruleOf reads a record. An invalid one is kept: it allows nothing, and forbids to
// be safe.
func ruleOf(k model.Rule) rule.Rule {
	r := rule.Rule{
		ID: k.ID, Effect: rule.Effect(k.Effect), Tool: k.Tool, Pattern: k.Pattern, Scope: rule.Scope(k.Scope), ScopeID: k.ScopeID,
		Base: k.Base, Note: k.Note, Source: rule.Person, CreatedAt: time.UnixMilli(k.CreatedAt),
	}
	if k.ExpiresAt != 0 {
		r.ExpiresAt = time.UnixMilli(k.ExpiresAt)
	}
	return r
}
