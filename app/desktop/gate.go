package desktop

import "sync"

// A gate reports whether the page is visible: the page itself reports whether it is shown, and the
// system, if it knows, whether other windows cover it. Until they report, it counts as visible.
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

// state reports whether the page is visible; changed is closed when that may have changed.
func (g *gate) state() (seen bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return !g.hidden && !g.covered, g.changed
}
