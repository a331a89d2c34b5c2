package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission/rule"
	"parley/backend/session"
	"parley/backend/session/workspace"
	"parley/backend/settings"
	"parley/backend/toolserver"
)

// Set is a group of Parley's own tools, which a user turns on or off for a workspace as a whole.
// Its functions may be called from any goroutine.
type Set struct {
	// ID is its id in the API.
	ID string
	// Tools returns those that the CLI of one session may call. The caller is determined by the
	// connection, never by arguments: spec, and Call.SessionID. It is also called with an empty
	// spec, to list them.
	//
	// The CLI is told that all of them are allowed. A handler that changes something, spends money,
	// or shows one session's text to another asks with [Asker.Ask]. An error becomes a failed
	// result for the model: a fault's message, or the whole text of any other error.
	Tools func(spec session.Spec) ([]toolserver.Tool, error)
	// Context is text for the system prompt of a session whose CLI is about to start, "" for none.
	// It must return quickly. It may be nil.
	Context func(ctx context.Context, spec session.Spec) string
}

// maxContext bounds the text of all sets in a system prompt, in bytes.
const maxContext = 64 << 10

// maxInjected is the number of sessions whose text is kept.
const maxInjected = 200

// Config has a host's dependencies. All fields are required.
type Config struct {
	// Own knows the rules that deny a call.
	Own *Asker
	// Prefs and Workspaces determine which sets the sessions of a folder have.
	Prefs      *settings.Store
	Workspaces *workspace.Registry
	// Disks are notified of the reason a tool failed.
	Disks   interface{ Failed(error) }
	Publish func(event.Event)
	Log     *slog.Logger
}

// Host provides sessions with their tools, and implements toolset.*. Its methods may be called from
// any goroutine.
type Host struct {
	cfg  Config
	sets []Set
	// on reports whether the sessions of a folder have a set, forbidden is why the user's rules
	// deny a call, "" for nothing.
	on        func(folder, set string) bool
	forbidden func(spec session.Spec, call toolserver.Call) string

	mu sync.Mutex
	// injected is the text of the last start of a session's CLI, by set; order has the sessions,
	// oldest first.
	injected map[string]map[string]string
	order    []string
}

// New returns a host without tools.
func New(cfg Config) *Host {
	h := &Host{cfg: cfg, forbidden: cfg.Own.forbidden}
	h.on = h.isOn
	return h
}

// Start sets what sessions can have. It must be called before the first one starts.
func (h *Host) Start(sets ...Set) { h.sets = sets }

// Tools are the tools that a session's CLI may call.
func (h *Host) Tools(spec session.Spec) ([]toolserver.Tool, error) {
	var all []toolserver.Tool
	for _, set := range h.sets {
		if !h.on(spec.CWD, set.ID) {
			continue
		}
		tools, err := set.Tools(spec)
		if err != nil {
			return nil, fmt.Errorf("tools of %s: %w", set.ID, err)
		}
		for _, tool := range tools {
			all = append(all, h.guarded(spec, tool))
		}
	}
	return all, nil
}

// guarded makes a tool obey the user's rules, and converts its errors for a model.
func (h *Host) guarded(spec session.Spec, tool toolserver.Tool) toolserver.Tool {
	handle := tool.Handle
	tool.Handle = func(ctx context.Context, call toolserver.Call) (toolserver.Result, error) {
		if why := h.forbidden(spec, call); why != "" {
			return toolserver.Result{}, errors.New(why)
		}
		out, err := handle(ctx, call)
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			if f.Err != nil {
				h.cfg.Disks.Failed(f.Err)
				h.cfg.Log.Warn("A Parley tool failed", "tool", tool.Name, "session", spec.SessionID, "err", err)
			}
			err = errors.New(f.Message)
		}
		return out, err
	}
	return tool
}

// Allowed are the rules that keep the CLI from asking about tools that ask themselves. A user's ask
// and deny rules take precedence.
func Allowed(tools []toolserver.Tool) map[rule.Effect][]string {
	if len(tools) == 0 {
		return nil
	}
	names := make([]string, 0, len(tools))
	for _, tool := range tools {
		names = append(names, Name(tool))
	}
	return map[rule.Effect][]string{rule.Allow: names}
}

// Name is a tool's name in the CLI and in rules.
func Name(tool toolserver.Tool) string { return toolserver.Prefix + tool.Name }

// Context is the text of all sets for the system prompt of a session that is about to start.
func (h *Host) Context(ctx context.Context, spec session.Spec) string {
	var texts []string
	given, room := map[string]string{}, maxContext
	for _, set := range h.sets {
		if set.Context == nil || !h.on(spec.CWD, set.ID) {
			continue
		}
		text := strings.ToValidUTF8(strings.TrimSpace(set.Context(ctx, spec)), "\uFFFD")
		if text == "" {
			continue
		}
		const between = 2
		if len(text)+between > room {
			h.cfg.Log.Warn("System prompt text of a tool set is too long", "set", set.ID, "bytes", len(text), "limit", maxContext)
			text = Cut(text, room-between)
		}
		room -= len(text) + between
		texts = append(texts, text)
		given[set.ID] = text
	}
	h.keep(spec.SessionID, given)
	return strings.Join(texts, "\n\n")
}

func (h *Host) keep(sessionID string, given map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.injected == nil {
		h.injected = map[string]map[string]string{}
	}
	h.order = append(slices.DeleteFunc(h.order, func(id string) bool { return id == sessionID }), sessionID)
	h.injected[sessionID] = given
	if len(h.order) > maxInjected {
		delete(h.injected, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
}

// Given is a set's text in the system prompt at the last start of a session's CLI. known is false
// for a session that this Parley has not started, or long ago.
func (h *Host) Given(sessionID, set string) (text string, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	texts, known := h.injected[sessionID]
	return texts[set], known
}
