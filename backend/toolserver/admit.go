package toolserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"parley/backend/toolserver/relay"
)

// peer identifies the process at the other end of a connection, as far as the system reports it.
type peer struct {
	uid, parent           int
	uidKnown, parentKnown bool
}

// handle admits or rejects a connection, and serves it.
func (s *Server) handle(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	shut := sync.OnceFunc(s.shut)
	defer shut()
	r := bufio.NewReaderSize(conn, maxHello)
	g, err := s.admit(ctx, conn, r)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("Tool server rejected a connection", "reason", err.Error())
			_ = conn.SetDeadline(time.Now().Add(time.Second))
			_ = writeLine(conn, relay.Welcome{Reason: "this connection is not allowed"})
		}
		return
	}
	defer g.connection.Done()
	if err := writeLine(conn, relay.Welcome{OK: true}); err != nil {
		g.report(Link{Reason: "The connection of the CLI to Parley was lost."})
		return
	}
	_ = conn.SetDeadline(time.Time{})

	s.log.Debug("Tool server connected", "session", g.session.ID)
	g.report(Link{Up: true})
	s.converse(newConnection(g, conn, s.log), bufio.NewReaderSize(r, 64<<10), shut)
}

// converse serves an admitted connection, and calls known once it can be handed over.
func (s *Server) converse(c *connection, r *bufio.Reader, known func()) {
	g := c.grant
	s.mu.Lock()
	s.connections[c] = struct{}{}
	s.mu.Unlock()
	known()
	stop := context.AfterFunc(g.ctx, func() { _ = c.conn.Close() })
	err := c.serve(g.ctx, r)
	stop()
	s.mu.Lock()
	delete(s.connections, c)
	s.mu.Unlock()
	s.log.Debug("Tool server disconnected", "session", g.session.ID, "err", err)
	reason := "The CLI ended its connection to Parley."
	if errors.Is(err, errTooLong) {
		reason = fmt.Sprintf("The CLI sent Parley a message over %d MiB.", s.limits.line>>20)
	}
	g.report(Link{Reason: reason})
}

// admit authenticates a connection. It returns the grant that now belongs to it, or an
// error with the reason, which never contains the token.
func (s *Server) admit(ctx context.Context, conn *net.UnixConn, r *bufio.Reader) (*Grant, error) {
	if err := conn.SetDeadline(time.Now().Add(s.limits.hello)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.hello)
	defer cancel()
	// Read the line first: closing a connection with unread data may lose the refusal.
	token, err := readHello(r)
	if err != nil {
		return nil, err
	}
	who, err := s.identify(conn)
	if err != nil {
		return nil, fmt.Errorf("the peer is not known: %w", err)
	}
	if who.uidKnown && who.uid != os.Getuid() {
		return nil, fmt.Errorf("the peer is user %d", who.uid)
	}
	g := s.find(token)
	if g == nil {
		return nil, errors.New("the token is not known")
	}
	if who.parentKnown {
		pid := g.waitPID(ctx)
		if pid == 0 {
			return nil, errors.New("the CLI process of the session is not known")
		}
		// The token stays valid: the CLI itself may still connect.
		if who.parent != pid {
			if g.unused() { // it may be the CLI behind a wrapper; the user should know
				g.report(Link{Reason: "A process that the session's CLI did not start itself tried to connect to Parley."})
			}
			return nil, fmt.Errorf("the peer's parent is process %d, and the CLI is %d", who.parent, pid)
		}
	}
	if !g.claim() {
		return nil, errors.New("the token was used before")
	}
	return g, nil
}

// readHello reads the first line and returns its token.
func readHello(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("the first line is over %d bytes", maxHello)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", errors.New("the first line did not come in time")
	case errors.Is(err, io.EOF):
		return "", errors.New("the connection ended before its first line")
	case err != nil:
		return "", fmt.Errorf("read the first line: %w", err)
	}
	var h relay.Hello
	if json.Unmarshal(line, &h) != nil || h.Token == "" {
		return "", errors.New("the first line holds no token")
	}
	return h.Token, nil
}

// writeLine writes one line of JSON.
func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
