package gateway

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/fault"
)

// listener wraps accepted connections.
type listener struct {
	net.Listener
	limits limits
	// encrypt is nil for unencrypted connections.
	encrypt *tls.Config
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if l.encrypt != nil {
		c = tls.Server(c, l.encrypt)
	}
	return &conn{Conn: c, limits: l.limits}, nil
}

// encryption is the TLS configuration, nil for none.
func (c Config) encryption() (*tls.Config, error) {
	if c.Cert == "" && c.Key == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	load := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		return &pair, err
	}
	if _, err := load(nil); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The certificate in %q and its key in %q cannot be used: %v.", c.Cert, c.Key, err)
	}
	// WebSockets need HTTP/1.1.
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: load}, nil
}

// chunk is how much is written at a time: progress is measured in these units.
const chunk = 64 << 10

// conn is a network connection that, once it carries a WebSocket, handles its own deadlines, by
// bytes rather than by messages: a long message on a slow line is neither silence nor a stall.
// While corked it also buffers writes, so that many small messages leave in one system call.
type conn struct {
	net.Conn
	limits limits
	socket atomic.Bool

	mu     sync.Mutex
	corked bool
	buf    []byte
}

// becomeSocket enables its own deadlines.
func (c *conn) becomeSocket() { c.socket.Store(true) }

func (c *conn) Read(p []byte) (int, error) {
	if c.socket.Load() {
		if err := c.Conn.SetReadDeadline(time.Now().Add(c.limits.silence)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(p)
}

func (c *conn) Write(p []byte) (int, error) {
	if !c.socket.Load() {
		return c.Conn.Write(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.corked {
		return len(p), c.send(p)
	}
	if len(c.buf)+len(p) > chunk {
		if err := c.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) > chunk {
		return len(p), c.send(p)
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// SetWriteDeadline is ignored for a socket: send sets its deadlines.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if c.socket.Load() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// cork starts buffering, uncork sends the buffer.
func (c *conn) cork() {
	c.mu.Lock()
	c.corked = true
	c.mu.Unlock()
}

func (c *conn) uncork() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.corked = false
	return c.flush()
}

func (c *conn) flush() error {
	p := c.buf
	c.buf = c.buf[:0]
	if len(p) == 0 {
		return nil
	}
	return c.send(p)
}

// send writes everything; every chunk must be sent in time.
func (c *conn) send(p []byte) error {
	for len(p) > 0 {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(c.limits.stall)); err != nil {
			return err
		}
		n, err := c.Conn.Write(p[:min(len(p), chunk)])
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}
