package method

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"unicode/utf8"

	"parley/backend/fault"
)

// Config has a [Table]'s dependencies.
type Config struct {
	// Logger receives defects: panics, results that can't be encoded, errors that are not faults.
	// Required.
	Logger *slog.Logger
	// Closing may be nil. Once it returns true, calls are refused (fault unavailable), except for
	// those of methods marked Always.
	Closing func() bool
	// Disks may be nil. They are notified of each method's error.
	Disks interface{ Failed(error) }
}

// Table has the methods by name.
type Table struct {
	cfg     Config
	log     *slog.Logger
	methods []*Method
	byName  map[string]*Method
}

// New returns the table of the features' methods, after those of connections and of the table
// itself. It panics if a name is taken.
func (cfg Config) New(features ...interface{ Methods() []*Method }) *Table {
	t := &Table{cfg: cfg, log: cfg.Logger, byName: map[string]*Method{}}
	t.register(wires(t)...)
	for _, f := range features {
		t.register(f.Methods()...)
	}
	return t
}

func (t *Table) register(methods ...*Method) {
	for _, m := range methods {
		for _, name := range []string{m.Name, m.was} {
			if t.byName[name] != nil {
				panic(fmt.Sprintf("method: %s is registered twice", name))
			}
			if name != "" {
				t.byName[name] = m
			}
		}
		t.methods = append(t.methods, m)
	}
}

// List returns the methods in registration order.
func (t *Table) List() []*Method { return append([]*Method(nil), t.methods...) }

// Lookup returns the method of that current or former name, or nil.
func (t *Table) Lookup(name string) *Method { return t.byName[name] }

// Call checks the parameters, runs the method and returns its result as JSON. Of an error, only
// [fault.CodeOf] and [fault.MessageOf] may leave the API; anything else in it has been logged here.
// Call does not panic.
func (t *Table) Call(ctx context.Context, name string, params json.RawMessage) (result json.RawMessage, err error) {
	m := t.byName[name]
	if m == nil {
		return nil, fault.New(fault.NotFound, "unknown method %s; method.list lists all methods", quote(name))
	}
	defer func() {
		if p := recover(); p != nil {
			t.log.Error("Method panicked", "method", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			result, err = nil, fault.New(fault.Internal, "%s failed because of a bug in Parley. The log has the details.", name)
		}
	}()
	params = orEmpty(params)
	if err := m.Check(params); err != nil {
		return nil, err
	}
	if !m.always && t.cfg.Closing != nil && t.cfg.Closing() {
		return nil, fault.New(fault.Unavailable, "Parley is shutting down. Start it again, then try once more.")
	}
	value, err := m.call(ctx, params)
	if err != nil {
		if t.cfg.Disks != nil {
			t.cfg.Disks.Failed(err)
		}
		return nil, t.failed(ctx, name, err)
	}
	result, err = Encode(value)
	if err != nil {
		t.log.Error("Couldn't encode the result", "method", name, "err", err)
		return nil, fault.Wrap(err, fault.Internal, "%s returned a result that cannot be sent. The log has the details.", name)
	}
	return result, nil
}

// failed logs an error that means nothing to a user.
func (t *Table) failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return fault.Wrap(err, fault.Unavailable, "%s was canceled because the client disconnected", name)
	}
	if fault.CodeOf(err) == fault.Internal {
		t.log.Error("Method failed", "method", name, "err", err)
		if said := ofSystem(err); said != nil {
			return said
		}
	}
	return err
}

// Encode encodes a value as JSON that is safe in a WebSocket text message: valid UTF-8, no HTML
// escaping, no line break.
func Encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if !utf8.Valid(out) {
		// Only an external RawMessage can contain such bytes.
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	return out, nil
}
