package mattermosttest

import (
	"net"
	"sync"
)

// gate is a listener whose server can be away: connections are then reset, and the port
// stays its own. It knows all open connections, to cut them.
type gate struct {
	net.Listener
	mu    sync.Mutex
	up    bool
	conns map[*gated]struct{}
}

func newGate(l net.Listener) *gate {
	return &gate{Listener: l, up: true, conns: map[*gated]struct{}{}}
}

// Accept waits for a connection that is let in.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		if !g.up {
			g.mu.Unlock()
			reset(c)
			continue
		}
		in := &gated{Conn: c, gate: g}
		g.conns[in] = struct{}{}
		g.mu.Unlock()
		return in, nil
	}
}

// set lets connections in, or resets all there are and those to come.
func (g *gate) set(up bool) {
	g.mu.Lock()
	g.up = up
	var cut []*gated
	if !up {
		for c := range g.conns {
			cut = append(cut, c)
		}
	}
	g.mu.Unlock()
	for _, c := range cut {
		reset(c)
	}
}

func (g *gate) end() {
	g.set(false)
	_ = g.Listener.Close()
}

// gated is a connection that the gate knows until it is closed.
type gated struct {
	net.Conn
	gate *gate
}

// Close is that of net.Conn.
func (c *gated) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// reset closes a connection such that the other end sees it break, not end.
func reset(c net.Conn) {
	raw := c
	if g, ok := c.(*gated); ok {
		raw = g.Conn
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
