package mattermosttest

import (
	"net"
	"sync"
)

// gate is a listener whose server can be down: connections are then reset, and the port
// stays reserved. It tracks all open connections, to cut them.
type gate struct {
	net.Listener
	mu    sync.Mutex
	up    bool
	conns map[*gated]struct{}
}

func newGate(l net.Listener) *gate {
	return &gate{Listener: l, up: true, conns: map[*gated]struct{}{}}
}

// Accept waits for an admitted connection.
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

// set admits connections, or resets all current and future ones.
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

// gated is a connection that the gate tracks until it is closed.
type gated struct {
	net.Conn
	gate *gate
}

// Close implements net.Conn.
func (c *gated) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// reset closes a connection so that the other end sees it break, not end.
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
