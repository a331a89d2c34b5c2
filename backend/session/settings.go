package session

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// SetPermissionMode changes the permission mode, now and for later processes.
func (r *Registry) SetPermissionMode(ctx context.Context, id, mode string) error {
	if mode == "" {
		return fault.New(fault.Invalid, "The parameter mode is empty.")
	}
	if err := checkMode(mode); err != nil {
		return err
	}
	r.give(ctx, id, func(s *Session) { s.given.ask(mode) })
	return r.set(ctx, id, wire.SetPermissionMode(mode), func(s *Session, _ json.RawMessage) {
		s.given.set(mode)
		s.record.PermissionMode = mode
	})
}

// SetGuard changes auto-approval, effective at once.
func (r *Registry) SetGuard(ctx context.Context, id, guard string) error {
	if err := checkGuard(guard); err != nil {
		return err
	}
	s, err := r.session(id)
	if err != nil {
		return err
	}
	_, err = ask(ctx, s, func() (struct{}, error) {
		s.record.Guard = cmp.Or(guard, choice.GuardOff)
		s.touch()
		return struct{}{}, nil
	})
	return err
}

// Snapshot returns a session's record as of the last change without waiting for its
// owner; false if it isn't live.
func (r *Registry) Snapshot(id string) (event.Session, bool) {
	s, err := r.session(id)
	if err != nil {
		return event.Session{}, false
	}
	return s.Record(), true
}

// SetModel changes the model, now and for later processes. "" is the CLI's default.
// A running CLI may report which model a name stands for; the record then has that
// model.
func (r *Registry) SetModel(ctx context.Context, id, model string) error {
	if err := CheckModel(model); err != nil {
		return err
	}
	r.give(ctx, id, func(s *Session) { s.given.model = time.Now().Add(askedFor) })
	return r.set(ctx, id, wire.SetModel(model), func(s *Session, answer json.RawMessage) {
		s.record.Model = cmp.Or(wire.ModelSet(answer), model)
		s.emitAll(s.projector.Switch(s.record.Model))
	})
}

// SetEffort changes the effort level, now and for later processes.
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
		// A CLI or model without effort levels gets a thinking budget instead.
		budget := thinkingBudgets[effort]
		return r.set(ctx, id, wire.SetMaxThinkingTokens(&budget), record)
	}
	return err
}

// thinkingBudgets maps effort levels to thinking tokens.
var thinkingBudgets = map[string]int{"low": 4_000, "medium": 8_000, "high": 16_000, "xhigh": 24_000, "max": 32_000}

// set asks a running CLI to change a setting, then records it with the answer. Without
// a process the choice is recorded for the next one.
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
// (fault unavailable if no process runs).
func (r *Registry) Control(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
	s, err := r.session(id)
	if err != nil {
		return nil, err
	}
	return s.control(ctx, body)
}

func checkFolder(path string) error {
	if path == "" {
		return fault.New(fault.Invalid, "Choose a folder to work in (parameter cwd).")
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

func checkEngine(engine string) error { return check("engine", engine, choice.Engines()) }
func checkMode(mode string) error     { return check("permission mode", mode, choice.Modes()) }
func checkEffort(effort string) error { return check("effort", effort, choice.Efforts()) }
func checkGuard(guard string) error   { return check("guard", guard, choice.Guards()) }

// check validates a word against a list; "" leaves the choice open.
func check(what, word string, of choice.Words) error {
	if word == "" || of.Has(word) {
		return nil
	}
	return fault.New(fault.Invalid, "There is no %s %q. Choose one of %s.", what, word, strings.Join(of, ", "))
}

// CheckModel validates the syntax of a model name. Only the provider knows which models
// exist.
func CheckModel(model string) error {
	if problem := choice.ProblemOfModel(model); problem != "" {
		return fault.New(fault.Invalid, "The model (parameter model) %s. It is %.60q.", problem, model)
	}
	return nil
}
