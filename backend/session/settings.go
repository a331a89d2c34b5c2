package session

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// SetPermissionMode changes how tools are allowed, now and for later processes.
func (r *Registry) SetPermissionMode(ctx context.Context, id, mode string) error {
	if mode == "" {
		return fault.New(fault.Invalid, "The parameter mode is empty.")
	}
	if err := checkMode(mode); err != nil {
		return err
	}
	return r.set(ctx, id, wire.SetPermissionMode(mode), func(s *Session, _ json.RawMessage) { s.record.PermissionMode = mode })
}

// What the guard of a session may be: whoever answers for it lets harmless uses of
// tools pass without a question, by fixed tables or also after a review.
const (
	GuardOff      = "off"
	GuardStatic   = "static"
	GuardReviewed = "reviewed"
)

func checkGuard(guard string) error {
	switch guard {
	case "", GuardOff, GuardStatic, GuardReviewed:
		return nil
	}
	return fault.New(fault.Invalid, "There is no guard %q. There are off, static and reviewed.", guard)
}

// SetGuard changes what may pass without a question, at once.
func (r *Registry) SetGuard(ctx context.Context, id, guard string) error {
	if err := checkGuard(guard); err != nil {
		return err
	}
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) {
		s.record.Guard = cmp.Or(guard, GuardOff)
		s.touch()
		return struct{}{}, nil
	})
	return err
}

// Snapshot returns a session's record as of the last change, without waiting for its
// owner; false for one that is not live.
func (r *Registry) Snapshot(id string) (event.Session, bool) {
	s, err := r.session(id)
	if err != nil {
		return event.Session{}, false
	}
	return s.Record(), true
}

// SetModel changes the model, now and for later processes. "" is the CLI's
// default. A CLI that runs may say which model a name stands for; then that is what
// the record has.
func (r *Registry) SetModel(ctx context.Context, id, model string) error {
	return r.set(ctx, id, wire.SetModel(model), func(s *Session, answer json.RawMessage) {
		s.record.Model = cmp.Or(wire.ModelSet(answer), model)
		s.emitAll(s.projector.Switch(s.record.Model))
	})
}

// SetEffort changes how hard the model thinks, now and for later processes.
func (r *Registry) SetEffort(ctx context.Context, id, effort string) error {
	if effort == "" {
		return fault.New(fault.Invalid, "The parameter effort is empty.")
	}
	if err := checkEffort(effort); err != nil {
		return err
	}
	record := func(s *Session, _ json.RawMessage) { s.record.Effort = effort }
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

// set asks a running CLI to change something, then records the choice with its answer.
// Without a process the choice is recorded for the next one.
func (r *Registry) set(ctx context.Context, id string, body wire.ControlBody, record func(s *Session, answer json.RawMessage)) error {
	s, err := r.session(id)
	if err != nil {
		return err
	}
	answer, err := s.control(ctx, body)
	if err != nil && fault.CodeOf(err) != fault.Unavailable {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) {
		record(s, answer)
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
