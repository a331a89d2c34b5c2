package desktop

import "sync"

// A gate says whether anybody sees the page: its own process says whether it is shown, and
// the system, where it knows, whether other windows cover it. Until they say so, somebody
// does.
type gate struct {
	mu              sync.Mutex
	hidden, covered bool
	changed         chan struct{}
}

func (g *gate) setShown(shown bool) { g.set(&g.hidden, !shown) }

func (g *gate) setCovered(covered bool) { g.set(&g.covered, covered) }

func (g *gate) set(part *bool, to bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *part == to {
		return
	}
	*part = to
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// state says whether anybody sees the page; changed is closed when that may be different.
func (g *gate) state() (seen bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return !g.hidden && !g.covered, g.changed
}
