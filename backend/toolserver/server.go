// Package toolserver is the MCP server inside Parley: the tools that the Claude
// Code CLI calls back. Each CLI process gets its own server,
// called "parley", with the tools of its session.
//
// Access: the CLI spawns "parley mcp", whose package relay connects to the unix
// socket of the running Parley and copies bytes. Nothing is written to disk except
// the socket, which is in a new folder that only this user may enter. A
// connection is admitted if its peer runs as this user, its first line contains the
// token of a [Grant], and its parent process is the CLI that the grant was made
// for (where the system reports it). A token opens one connection. The caller
// is identified by the connection alone, never by what a call claims.
//
// A CLI that is driven by its control protocol can send MCP messages over its
// existing pipes. [Local] handles those: the same server without a socket.
//
// When this process becomes another program, the socket and the connections are inherited
// ([Server.HandOver]): the CLI and its relay notice nothing, and an unanswered call
// is repeated there, unless that could do something twice.
//
// The package knows MCP and sockets and no feature: tools are passed to it as
// [Tool] values. It knows neither sessions nor how the CLI is started.
//
// Goroutines: [Server.Serve] accepts; each connection has one goroutine that
// reads, and one for each call that is being served. A call ends when its handler
// returns; its context ends when the CLI cancels it, when the connection is lost
// and when the grant is revoked. [Grant.Revoke] waits for the grant's goroutines
// and [Server.Close] for all of them. A Local starts none: its caller
// brings them, and [Local.Close] waits for the calls.
//
// mcp-go's own stdio server is not used: it keeps one session for the whole
// program (a package variable), serves five calls at a time by default, and
// loses a cancellation that overtakes its call. Its MCPServer does the protocol.
package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/backend/toolserver/relay"
)

// limits are the bounds of a server. Tests lower them.
type limits struct {
	// connections bounds the connections of one server, admitted or not.
	connections int
	// hello bounds the time until a connection is admitted.
	hello time.Duration
	// line bounds one MCP message, in bytes. A longer one ends the connection.
	line int
	// calls bounds the running calls of one connection.
	calls int
}

// maxHello bounds the first line of a connection.
const maxHello = 4 << 10

// Config configures a [Server].
type Config struct {
	Logger *slog.Logger
	// Version is Parley's version, reported to the CLI.
	Version string
	// Dir is the parent of the socket's folder; "" means the user's runtime folder,
	// or the temporary folder if there is none.
	Dir string
	// Asking reports whether a call of a session, known by its tool use, waits for a user's
	// answer: until then a tool of Parley's has done nothing, and the call can be repeated.
	// It may be nil.
	Asking func(sessionID, toolUseID string) bool
}

// Server listens for the relays of CLI processes.
type Server struct {
	log      *slog.Logger
	version  string
	dir      string
	path     string
	listener *net.UnixListener
	// identify identifies the peer. Tests replace it.
	identify func(*net.UnixConn) (peer, error)
	limits   limits
	asking   func(sessionID, toolUseID string) bool

	stop    context.CancelFunc
	base    context.Context // ends with Close
	active  sync.WaitGroup  // Serve
	serving sync.WaitGroup  // Start

	mu     sync.Mutex
	closed bool
	grants map[*Grant]struct{} // all grants that are not revoked
	locals map[*Local]struct{} // all that are not closed
	// connections are the admitted ones; handing are the files of a HandOver, inherited
	// are grants of the previous program that were not resumed yet, by session.
	connections map[*connection]struct{}
	handing     []*os.File
	// thawed is closed when a HandOver is undone, nil without one. doors counts the goroutines
	// that may still admit a connection: Serve while it accepts, and connections not yet admitted.
	thawed    chan struct{}
	doors     int
	inherited map[string]*inheritedGrant
}

// New creates the socket and listens on it, after removing what dead Parley processes
// left behind. The server must be closed.
func New(cfg Config) (*Server, error) {
	if cfg.Logger == nil {
		return nil, errors.New("toolserver: no logger")
	}
	base, err := socketBase(cfg.Dir)
	if err != nil {
		return nil, err
	}
	removeStale(base, cfg.Logger)
	dir, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-*", dirPrefix, os.Getpid())) // mode 0700
	if err != nil {
		return nil, fmt.Errorf("make the tool server's folder: %w", err)
	}
	path := filepath.Join(dir, socketName)
	listener, err := listen(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the CLI: %w", err), os.RemoveAll(dir))
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Server{
		log: cfg.Logger, version: cfg.Version, dir: dir, path: path, listener: listener,
		identify: identify,
		limits:   limits{connections: 256, hello: relay.HelloTimeout, line: 64 << 20, calls: 512},
		asking:   cfg.Asking,
		base:     ctx, stop: stop, grants: make(map[*Grant]struct{}), locals: make(map[*Local]struct{}),
		connections: make(map[*connection]struct{}),
	}, nil
}

func listen(path string) (*net.UnixListener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// Serve accepts connections until ctx ends or the server is closed, and then returns
// nil. It returns when every connection has ended.
func (s *Server) Serve(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.active.Add(1)
	s.doors++
	s.mu.Unlock()
	defer s.active.Done()
	defer s.shut()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.base, cancel)()
	defer context.AfterFunc(ctx, func() { _ = s.listener.Close() })()

	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel()
	slots := make(chan struct{}, s.limits.connections)
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) { // by ctx or by Close
				return nil
			}
			if errors.Is(err, os.ErrDeadlineExceeded) { // by HandOver
				s.stands(ctx)
				continue
			}
			if isTemporary(err) {
				s.log.Warn("Tool server couldn't accept a connection", "err", err)
				if !pause(ctx, 100*time.Millisecond) {
					return nil
				}
				continue
			}
			return fmt.Errorf("accept a connection of the CLI: %w", err)
		}
		select {
		case slots <- struct{}{}:
		default:
			s.log.Warn("Tool server rejected a connection", "reason", "too many connections")
			_ = conn.Close()
			continue
		}
		s.open()
		connections.Go(func() {
			defer func() { <-slots }()
			s.handle(ctx, conn)
		})
	}
}

// Start serves in the background, until Close.
func (s *Server) Start() {
	s.serving.Go(func() {
		if err := s.Serve(context.Background()); err != nil {
			s.log.Error("Tool server stopped", "err", err)
		}
	})
}

// Close ends every connection, waits for what they started, and removes the
// socket with its folder. It may be called again.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.handing != nil { // they belong to the next program
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	locals := slices.Collect(maps.Keys(s.locals))
	s.mu.Unlock()
	s.stop()
	s.disinherit()
	for _, l := range locals {
		l.Close()
	}
	closeErr := s.listener.Close()
	if errors.Is(closeErr, net.ErrClosed) {
		closeErr = nil
	}
	s.active.Wait()
	s.serving.Wait()
	return errors.Join(closeErr, os.RemoveAll(s.dir))
}

// pause waits for d, and reports whether ctx outlasted it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
