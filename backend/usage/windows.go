package usage

import (
	"slices"
	"sync"
)

// Bounds of what is remembered of windows.
const (
	maxWindows = 200
	maxModel   = 200 // bytes of a model's name
)

// Window is how large the context window of a model is, as the CLI says.
type Window struct {
	// Environment is what the CLI ran in, see [Environment]: another provider may give
	// a model of the same name another window.
	Environment string
	// Model is the name as the CLI reports it, with a suffix such as [1m]: with and
	// without it, a model has different windows.
	Model  string
	Tokens int64
}

// Environment names what a session's CLI runs in.
func Environment(profile string, rehearsal bool) string {
	if rehearsal {
		return "rehearsal"
	}
	return "profile:" + profile
}

// Windows remembers the models' windows for all sessions: the CLI says them only at
// the end of a turn. Beyond a bound the one that was learned first is forgotten. Its
// methods may be called from any goroutine; nil knows nothing.
type Windows struct {
	// keep stores what was learned, and forgets what had to give way. It may be nil.
	keep func(learned Window, forgotten []Window)

	// learning lets keep hear of one after the other; who only looks does not wait for it.
	learning sync.Mutex
	mu       sync.Mutex
	known    []Window // oldest first
}

// NewWindows begins with those that an earlier Parley kept, oldest first.
func NewWindows(kept []Window, keep func(learned Window, forgotten []Window)) *Windows {
	w := &Windows{}
	for _, one := range kept {
		w.put(one)
	}
	w.keep = keep
	return w
}

// Of is a model's window in tokens, 0 for one that is unknown.
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

// Learn takes the CLI's newest word on a model's window.
func (w *Windows) Learn(environment, model string, tokens int64) {
	w.learning.Lock()
	defer w.learning.Unlock()
	one := Window{environment, model, tokens}
	if forgotten, news := w.put(one); news && w.keep != nil {
		w.keep(one, forgotten)
	}
}

// put takes in what is news, and gives up what there is no room for. What cannot be a
// window is none.
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
