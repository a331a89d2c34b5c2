package usage

import (
	"slices"
	"sync"
)

// Bounds of the remembered windows.
const (
	maxWindows = 200
	maxModel   = 200 // bytes of a model's name
)

// Window is the size of a model's context window, as the CLI reports it.
type Window struct {
	// Environment is where the CLI ran, see [Environment]: another provider may give
	// a model of the same name another window.
	Environment string
	// Model is the name as the CLI reports it, with a suffix such as [1m]: with and
	// without it, a model has different windows.
	Model  string
	Tokens int64
}

// Environment names the environment of a session's CLI.
func Environment(profile string, scripted bool) string {
	if scripted {
		return "rehearsal"
	}
	return "profile:" + profile
}

// Windows remembers the models' windows for all sessions: the CLI reports them only at
// the end of a turn. Beyond a bound the oldest is forgotten. Its
// methods may be called from any goroutine; a nil Windows knows none.
type Windows struct {
	// keep stores a learned window, and deletes forgotten ones. It may be nil.
	keep func(learned Window, forgotten []Window)

	// learning serializes calls of keep; readers do not wait for it.
	learning sync.Mutex
	mu       sync.Mutex
	known    []Window // oldest first
}

// NewWindows starts with the windows that an earlier Parley kept, oldest first.
func NewWindows(kept []Window, keep func(learned Window, forgotten []Window)) *Windows {
	w := &Windows{}
	for _, one := range kept {
		w.put(one)
	}
	w.keep = keep
	return w
}

// Of returns a model's window in tokens, 0 if unknown.
func (w *Windows) Of(environment, model string) int64 {
	if w == nil || model == "" {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.index(environment, model); i >= 0 {
		return w.known[i].Tokens
	}
	return 0
}

// Learn records the CLI's newest report of a model's window.
func (w *Windows) Learn(environment, model string, tokens int64) {
	w.learning.Lock()
	defer w.learning.Unlock()
	one := Window{environment, model, tokens}
	if forgotten, news := w.put(one); news && w.keep != nil {
		w.keep(one, forgotten)
	}
}

// put adds a window if it is new, and drops the oldest if there is no room. Impossible
// sizes are ignored.
func (w *Windows) put(one Window) (forgotten []Window, news bool) {
	if one.Tokens <= 0 || one.Model == "" || len(one.Model) > maxModel {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch i := w.index(one.Environment, one.Model); {
	case i >= 0 && w.known[i] == one:
		return nil, false
	case i >= 0:
		w.known[i] = one
	default:
		if over := len(w.known) + 1 - maxWindows; over > 0 {
			forgotten = slices.Clone(w.known[:over])
			w.known = slices.Delete(w.known, 0, over)
		}
		w.known = append(w.known, one)
	}
	return forgotten, true
}

func (w *Windows) index(environment, model string) int {
	return slices.IndexFunc(w.known, func(k Window) bool { return k.Environment == environment && k.Model == model })
}
