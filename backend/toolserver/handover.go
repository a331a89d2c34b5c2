package toolserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"parley/backend/fault"
)

// handed is what a server hands over. Descriptors are numbers that are also valid in the
// next program. The tokens are secrets: handed must not be written to disk.
type handed struct {
	Dir      string        `json:"dir"`
	Path     string        `json:"path"`
	Listener int           `json:"listener"`
	Grants   []handedGrant `json:"grants"`
}

type handedGrant struct {
	Session string `json:"session"`
	Token   string `json:"token"`
	PID     int    `json:"pid,omitempty"`
	Used    bool   `json:"used,omitempty"`
	// Conn is the connection, 0 for none. Partial is a partly read line, Calls are unanswered.
	Conn    int          `json:"conn,omitempty"`
	Partial []byte       `json:"partial,omitempty"`
	Calls   []handedCall `json:"calls,omitempty"`
}

type handedCall struct {
	Raw []byte `json:"raw"`
	// Answer is the unwritten answer, nil for none: then the call is repeated.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// handCheck is the interval for checking whether a tool has finished.
const handCheck = 10 * time.Millisecond

// HandOver freezes every connection, and returns what the program that this process is
// about to become needs to continue with them. The state names descriptors by their numbers:
// the caller must let the next program inherit exactly those of [Server.Inherit]. Nothing is
// ended; [Server.CancelHandOver] undoes it. An unanswered call is repeated there, unless that
// could do something twice: HandOver waits for those. The error is a fault that names the
// running tool.
func (s *Server) HandOver(ctx context.Context) (json.RawMessage, error) {
	s.mu.Lock()
	if s.closed || s.handing != nil {
		s.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "Parley is closing, or being restarted already.")
	}
	s.handing, s.thawed = []*os.File{}, make(chan struct{})
	s.mu.Unlock()
	connections, err := s.close(ctx)
	state := handed{Dir: s.dir, Path: s.path}
	byGrant := make(map[*Grant]handedGrant)
	for _, c := range connections {
		if byGrant[c.grant], err = c.handOver(ctx); err != nil {
			break
		}
	}
	if err == nil {
		state.Listener, err = s.lend(s.listener)
	}
	s.mu.Lock()
	grants := slices.Collect(maps.Keys(s.grants))
	s.mu.Unlock()
	for _, g := range grants {
		one := byGrant[g]
		g.mu.Lock()
		one.Session, one.Token, one.PID, one.Used = g.session.ID, g.token.reveal(), g.pid, g.used
		g.mu.Unlock()
		state.Grants = append(state.Grants, one)
	}
	if err != nil {
		s.CancelHandOver()
		return nil, fault.Wrap(err, fault.Busy, "Parley's tools in a session cannot be passed on for the restart: %s", fault.MessageOf(err))
	}
	return json.Marshal(state)
}

// close stops admitting connections, and returns the admitted ones.
func (s *Server) close(ctx context.Context) ([]*connection, error) {
	if err := s.listener.SetDeadline(time.Now()); err != nil {
		return nil, err
	}
	tick := time.NewTicker(handCheck)
	defer tick.Stop()
	for {
		s.mu.Lock()
		doors, connections := s.doors, slices.Collect(maps.Keys(s.connections))
		s.mu.Unlock()
		if doors == 0 {
			return connections, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fault.New(fault.Busy, "Claude Code is connecting to Parley's tools.")
		}
	}
}

// open and shut count the goroutines that may still admit a connection.
func (s *Server) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doors++
}

func (s *Server) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doors--
}

// stands waits while connections must not be admitted.
func (s *Server) stands(ctx context.Context) {
	s.mu.Lock()
	thawed := s.thawed
	s.mu.Unlock()
	if thawed == nil {
		return
	}
	s.shut()
	defer s.open()
	select {
	case <-thawed:
	case <-ctx.Done():
	}
}

// filer is a socket that can be passed to another program.
type filer interface {
	File() (*os.File, error)
}

// lend duplicates a socket's descriptor for the next program, and returns its number.
func (s *Server) lend(socket filer) (int, error) {
	file, err := socket.File()
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.handing = append(s.handing, file)
	s.mu.Unlock()
	raw, err := file.SyscallConn() // unlike Fd it doesn't change the socket's mode
	if err != nil {
		return 0, err
	}
	number := 0
	err = raw.Control(func(fd uintptr) { number = int(fd) }) //nolint:gosec // descriptors are small
	return number, err
}

// Inherit returns the files of the last HandOver, which the next program must inherit with
// the same numbers.
func (s *Server) Inherit() []*os.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.handing)
}

// CancelHandOver undoes a HandOver. It may be called again.
func (s *Server) CancelHandOver() {
	s.mu.Lock()
	files, connections := s.handing, slices.Collect(maps.Keys(s.connections))
	s.handing = nil
	if s.thawed != nil {
		_ = s.listener.SetDeadline(time.Time{})
		close(s.thawed)
		s.thawed = nil
	}
	s.mu.Unlock()
	for _, f := range files {
		_ = f.Close()
	}
	for _, c := range connections {
		c.resume()
	}
}

// handOver freezes a connection, and returns the state to continue with.
func (c *connection) handOver(ctx context.Context) (g handedGrant, err error) {
	c.writing.Lock()
	c.frozen = true
	c.writing.Unlock()
	// The reader stops when it is idle.
	_ = c.conn.SetReadDeadline(time.Now())
	tick := time.NewTicker(handCheck)
	defer tick.Stop()
	for {
		what := c.underWay()
		if what == "" {
			break
		}
		select {
		case <-tick.C:
		case <-c.grant.ctx.Done():
			return g, nil // its process is gone
		case <-ctx.Done():
			return g, fault.New(fault.Busy, "%s.", what)
		}
	}
	conn, ok := c.conn.(filer)
	if !ok {
		return g, errors.ErrUnsupported
	}
	if g.Conn, err = c.grant.server.lend(conn); err != nil {
		return g, err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	g.Partial = c.partial
	for _, call := range slices.SortedFunc(maps.Values(c.open), func(a, b *openCall) int { return cmp.Compare(a.nth, b.nth) }) {
		one := handedCall{Raw: call.raw}
		if call.answer != nil {
			if one.Answer, err = json.Marshal(call.answer); err != nil {
				return g, err
			}
		}
		g.Calls = append(g.Calls, one)
	}
	return g, nil
}

// underWay names the work that a handover must not interrupt, "" if there is none.
func (c *connection) underWay() string {
	c.writing.Lock()
	defer c.writing.Unlock()
	select {
	case <-c.ended:
		return ""
	default:
	}
	if !c.waits {
		return "the CLI sends something"
	}
	for _, call := range c.open {
		if call.answer == nil && !c.Repeats(call.raw) {
			return fmt.Sprintf("the tool %s is at work", toolOf(call.raw).Params.Name)
		}
	}
	return ""
}

// toolCall holds the fields that decide whether a call can be repeated.
type toolCall struct {
	Method string `json:"method"`
	Params struct {
		Name string         `json:"name"`
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
}

func toolOf(raw []byte) (call toolCall) {
	_ = json.Unmarshal(raw, &call) // an unreadable message calls no tool
	return call
}

// Repeats reports whether an MCP message may be handled twice.
func (p *protocol) Repeats(raw []byte) bool {
	call := toolOf(raw)
	if call.Method != "tools/call" || p.repeatable[call.Params.Name] {
		return true
	}
	id, _ := call.Params.Meta[toolUseKey].(string)
	return id != "" && p.asking != nil && p.asking(p.session, id)
}

// Repeats reports whether a message may be handled twice: it is unanswered, and handling
// it again has no second effect.
func (l *Local) Repeats(message json.RawMessage) bool { return l.protocol.Repeats(message) }

// pause waits while the connection is frozen. It reports whether the reader may continue.
func (c *connection) pause(ctx context.Context) bool {
	defer context.AfterFunc(ctx, c.resume)()
	c.writing.Lock()
	defer c.writing.Unlock()
	for c.frozen {
		c.waits = true
		c.change.Wait()
	}
	c.waits = false
	return ctx.Err() == nil && c.conn.SetReadDeadline(time.Time{}) == nil
}

// resume resumes reading and writing a connection.
func (c *connection) resume() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.frozen = false
	c.change.Broadcast()
}

// inheritedGrant is a grant of the previous program.
type inheritedGrant struct {
	handedGrant
	conn *net.UnixConn
}

// TakeOver continues with the state that another program handed over: its socket replaces
// this server's. Call it before [Server.Serve]. Its grants wait for [Server.Resume].
func (s *Server) TakeOver(state json.RawMessage) error {
	var h handed
	if err := json.Unmarshal(state, &h); err != nil {
		return fault.Wrap(err, fault.Internal, "The tool connections from before the restart cannot be read.")
	}
	made, err := fileListener(h.Listener)
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The tool socket from before the restart cannot be used.")
	}
	inherited := make(map[string]*inheritedGrant, len(h.Grants))
	for _, g := range h.Grants {
		one := &inheritedGrant{handedGrant: g}
		if g.Conn != 0 {
			if one.conn, err = fileConn(g.Conn); err != nil {
				s.log.Warn("Couldn't use a handed-over connection", "session", g.Session, "err", err)
			}
		}
		inherited[g.Session] = one
	}
	err = errors.Join(s.listener.Close(), os.RemoveAll(s.dir))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener, s.dir, s.path, s.inherited = made, h.Dir, h.Path, inherited
	return err
}

// Resume is [Server.Register] for a CLI process of the previous program: the session's grant
// and connection, with the unanswered calls. The error is a fault when there is none.
func (s *Server) Resume(session Session) (*Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.inherited[session.ID]
	if h == nil || s.closed {
		return nil, fault.New(fault.NotFound, "There is no tool connection from before the restart for this session.")
	}
	delete(s.inherited, session.ID)
	ctx, cancel := context.WithCancel(s.base)
	g := &Grant{server: s, session: session, token: newSecret(h.Token), ctx: ctx, cancel: cancel, named: make(chan struct{}), used: h.Used}
	s.grants[g] = struct{}{}
	if h.PID != 0 {
		g.pid = h.PID
		close(g.named)
	}
	if h.conn == nil {
		return g, nil
	}
	g.connection.Add(1)
	s.active.Go(func() {
		defer g.connection.Done()
		defer h.conn.Close()
		c := newConnection(g, h.conn, s.log)
		c.partial, c.again = h.Partial, h.Calls
		s.converse(c, bufio.NewReaderSize(h.conn, 64<<10), func() {})
	})
	return g, nil
}

// repeat handles the calls that the previous program left unanswered.
func (c *connection) repeat(ctx context.Context, calls *sync.WaitGroup) {
	for _, call := range c.again {
		if call.Answer != nil {
			c.write("", call.Answer)
		} else {
			c.take(ctx, calls, bytes.Clone(call.Raw))
		}
	}
	c.again = nil
}

// disinherit closes the grants that were not resumed.
func (s *Server) disinherit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.inherited {
		if h.conn != nil {
			_ = h.conn.Close()
		}
	}
	s.inherited = nil
}
