package mattermosttest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"
)

// As on the real server.
const (
	sendQueue     = 256 // events that may wait for a socket before it is dropped
	deadQueue     = 128 // written events that a resumed socket can get again
	socketLimit   = 8 * 1024
	authWithin    = 5 * time.Second
	writeWithin   = 30 * time.Second
	maxSockets    = 1000
	helloKind     = model.WebsocketEventHello
	challengeKind = string(model.WebsocketAuthenticationChallenge)
)

// frame is something to write to a socket: an event, or the answer to a request.
type frame struct {
	event  *event
	answer *model.WebSocketResponse
	lost   bool // it takes a number, but is never written
}

// written is an event with its number.
type written struct {
	seq  int64
	text []byte
}

// socket delivers events to a user's client. It outlives its connection as long as the
// server runs, so that the client can resume it. Everything except id is guarded by the
// server's mu.
type socket struct {
	s     *Server
	id    string // of the connection, changes if a resume fails
	user  *user  // nil until authenticated
	conn  *websocket.Conn
	seq   int64
	queue []frame
	dead  []written
	held  *frame // an event that waits for the next one, see Fault.Swap
	more  chan struct{}
	gone  chan struct{} // closed with the connection
	// frozen: nothing is written or answered, but the connection stays open.
	frozen bool
	// expired: its token was revoked. It receives nothing more, and all its requests are
	// refused.
	expired bool
}

// take queues an event; mu is held.
func (so *socket) take(e event) {
	if so.expired {
		return
	}
	f := frame{event: &e}
	times := 1
	switch so.s.eventFault(so, e) {
	case EventLost:
		f.lost = true
	case EventTwice:
		times = 2
	case EventSwapped:
		if so.held == nil {
			so.held = &f
			return
		}
	}
	for range times {
		so.push(f)
	}
	if so.held != nil {
		f := *so.held
		so.held = nil
		so.push(f)
	}
}

// push queues a frame; a socket with too many is dropped, also for resuming. mu is held.
func (so *socket) push(f frame) {
	if len(so.queue) >= sendQueue {
		so.s.forget(so)
		return
	}
	so.queue = append(so.queue, f)
	select {
	case so.more <- struct{}{}:
	default:
	}
}

// forget drops a socket; mu is held.
func (s *Server) forget(so *socket) {
	s.sockets = slices.DeleteFunc(s.sockets, func(o *socket) bool { return o == so })
	so.drop()
}

// drop breaks the connection; mu is held.
func (so *socket) drop() {
	if so.conn == nil {
		return
	}
	reset(so.conn.NetConn())
	so.conn = nil
	close(so.gone)
	so.s.change()
}

func (so *socket) hello() event {
	return event{kind: helloKind, user: so.user.Id, data: map[string]any{"server_version": so.s.versionID(), "connection_id": so.id}}
}

// connect is GET /websocket: it upgrades, finds or creates the socket, and reads until
// the connection ends.
func connect(c *call) (reply, *model.AppError) {
	s := c.s
	up := websocket.Upgrader{ReadBufferSize: socketLimit, WriteBufferSize: socketLimit}
	conn, err := up.Upgrade(c.w, c.r, nil)
	if err == nil { // otherwise it has answered
		if so := s.open(c, conn); so != nil {
			so.read(conn)
		} else {
			reset(conn.NetConn())
		}
	}
	return reply{}, nil
}

// open assigns a socket to a connection and starts writing; nil if impossible.
func (s *Server) open(c *call, conn *websocket.Conn) *socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	so, again := s.resumable(c)
	if s.closed || !again && !s.roomForOne() {
		return nil
	}
	if !again {
		so = &socket{s: s, id: model.NewId(), user: c.user}
		s.sockets = append(s.sockets, so)
	}
	so.conn, so.frozen = conn, false
	so.more, so.gone = make(chan struct{}, 1), make(chan struct{})
	var repeat []written
	switch {
	case again:
		seq, err := strconv.ParseInt(c.query.Get("sequence_number"), 10, 64)
		if err != nil || seq < 0 {
			so.conn = nil
			return nil
		}
		repeat = so.resume(seq)
	case so.user != nil:
		so.push(frame{event: new(so.hello())})
	}
	if so.user != nil {
		s.setStatus(so.user, model.StatusOnline, false)
	}
	gone, more := so.gone, so.more
	s.wg.Go(func() { so.write(conn, repeat, more, gone) })
	s.change()
	return so
}

// roomForOne limits the number of sockets: the oldest resumable one is dropped. mu
// is held.
func (s *Server) roomForOne() bool {
	if len(s.sockets) < maxSockets {
		return true
	}
	i := slices.IndexFunc(s.sockets, func(so *socket) bool { return so.conn == nil })
	if i < 0 {
		return false
	}
	s.forget(s.sockets[i])
	return true
}

// resumable returns a client's earlier socket, if the server still knows it and its
// connection has ended; mu is held.
func (s *Server) resumable(c *call) (*socket, bool) {
	id := c.query.Get("connection_id")
	for _, so := range s.sockets {
		if id != "" && c.user != nil && so.id == id && so.user == c.user && so.conn == nil {
			return so, true
		}
	}
	return nil, false
}

// resume finds what the client hasn't seen. If that is no longer known, the socket starts
// over with a hello. mu is held.
func (so *socket) resume(seq int64) []written {
	for i, w := range so.dead {
		if w.seq == seq {
			return slices.Clone(so.dead[i:])
		}
	}
	if n := len(so.dead); n == 0 || so.dead[n-1].seq == seq-1 {
		return nil
	}
	so.id, so.seq, so.dead = model.NewId(), 0, nil
	so.queue = append([]frame{{event: new(so.hello())}}, so.queue...)
	return nil
}

// write is the goroutine that writes to one connection.
func (so *socket) write(conn *websocket.Conn, repeat []written, more, gone chan struct{}) {
	ping := time.NewTicker(so.s.opts.PingEvery)
	defer ping.Stop()
	auth := time.NewTimer(authWithin)
	defer auth.Stop()
	defer so.s.closeSocket(so, conn)
	for _, w := range repeat {
		if !so.out(conn, websocket.TextMessage, w.text) {
			return
		}
	}
	for {
		text, some, last := so.next(conn)
		switch {
		case last:
			return
		case text != nil:
			if !so.out(conn, websocket.TextMessage, text) {
				return
			}
			continue
		case some:
			continue
		}
		select {
		case <-more:
		case <-gone:
			return
		case <-ping.C:
			if !so.still(conn) && !so.out(conn, websocket.PingMessage, nil) {
				return
			}
		case <-auth.C:
			so.s.mu.Lock()
			late := so.user == nil
			so.s.mu.Unlock()
			if late {
				return
			}
		}
	}
}

func (so *socket) out(conn *websocket.Conn, kind int, text []byte) bool {
	_ = conn.SetWriteDeadline(time.Now().Add(writeWithin))
	return conn.WriteMessage(kind, text) == nil
}

// still reports whether the socket is frozen.
func (so *socket) still(conn *websocket.Conn) bool {
	so.s.mu.Lock()
	defer so.s.mu.Unlock()
	return so.frozen && so.conn == conn
}

// next returns what to write now: nil if there is nothing, or if it was a lost one (some).
// last: the connection is no longer the socket's.
func (so *socket) next(conn *websocket.Conn) (text []byte, some, last bool) {
	so.s.mu.Lock()
	defer so.s.mu.Unlock()
	if so.conn != conn {
		return nil, false, true
	}
	if so.frozen || len(so.queue) == 0 {
		return nil, false, false
	}
	f := so.queue[0]
	so.queue = so.queue[1:]
	if f.answer != nil {
		text, err := json.Marshal(f.answer)
		return text, true, err != nil
	}
	text, err := f.event.forUser(so.user.Id, so.seq)
	if err != nil {
		return nil, true, false
	}
	so.dead = append(so.dead, written{seq: so.seq, text: text})
	if len(so.dead) > deadQueue {
		so.dead = slices.Clone(so.dead[1:])
	}
	so.seq++
	so.s.change()
	if f.lost {
		return nil, true, false
	}
	return text, true, false
}

// closeSocket ends a connection; an authenticated user's socket can be resumed.
func (s *Server) closeSocket(so *socket, conn *websocket.Conn) {
	_ = conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if so.conn == conn {
		so.conn = nil
		close(so.gone)
	}
	if so.user == nil {
		s.sockets = slices.DeleteFunc(s.sockets, func(o *socket) bool { return o == so })
	} else if !s.connected(so.user) {
		s.setStatus(so.user, model.StatusOffline, false)
	}
	s.change()
}

func (s *Server) connected(u *user) bool {
	return slices.ContainsFunc(s.sockets, func(o *socket) bool { return o.user == u && o.conn != nil })
}

// read handles a client's requests until its connection ends.
func (so *socket) read(conn *websocket.Conn) {
	defer so.s.closeSocket(so, conn)
	conn.SetReadLimit(socketLimit)
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		if so.still(conn) {
			return nil
		}
		return pong(data)
	})
	for {
		var req model.WebSocketRequest
		if err := conn.ReadJSON(&req); err != nil {
			return
		}
		if !so.serve(conn, &req) {
			return
		}
	}
}

// serve executes a client's request, and returns false to end the connection.
func (so *socket) serve(conn *websocket.Conn, req *model.WebSocketRequest) bool {
	s := so.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if so.conn != conn || so.frozen {
		return so.conn == conn
	}
	switch {
	case req.Action == "":
		return so.answer(req, fail(http.StatusBadRequest, "api.web_socket_router.no_action.app_error", "No websocket action."))
	case req.Seq <= 0:
		return so.answer(req, fail(http.StatusBadRequest, "api.web_socket_router.bad_seq.app_error", "Invalid sequence for WebSocket message."))
	case req.Action == challengeKind:
		if so.user != nil {
			return true
		}
		token, _ := req.Data["token"].(string)
		if so.user = s.bearer(token); so.user == nil {
			return false
		}
		so.push(frame{event: new(so.hello())})
		s.setStatus(so.user, model.StatusOnline, false)
		s.change()
		return so.answer(req, nil)
	case so.user == nil || so.expired:
		return so.answer(req, fail(http.StatusUnauthorized, "api.web_socket_router.not_authenticated.app_error", "WebSocket connection is not authenticated. Please log in and try again."))
	}
	return so.request(req)
}

// request executes an authenticated request; mu is held.
func (so *socket) request(req *model.WebSocketRequest) bool {
	data := map[string]any{}
	switch req.Action {
	case "ping":
		data = map[string]any{"text": "pong", "version": so.s.opts.Version}
	case "user_typing":
		channelID, _ := req.Data["channel_id"].(string)
		parentID, _ := req.Data["parent_id"].(string)
		if e := so.s.typing(so.user, channelID, parentID); e != nil {
			return so.answer(req, e)
		}
	case "get_statuses", "get_statuses_by_ids":
		for id, u := range so.s.users {
			data[id] = u.status.Status
		}
	case string(model.WebsocketPresenceIndicator):
	default:
		return so.answer(req, fail(http.StatusInternalServerError, "api.web_socket_router.bad_action.app_error", "Unknown WebSocket action."))
	}
	so.push(frame{answer: model.NewWebSocketResponse(model.StatusOk, req.Seq, data)})
	return true
}

func (so *socket) answer(req *model.WebSocketRequest, e *model.AppError) bool {
	f := frame{answer: model.NewWebSocketResponse(model.StatusOk, req.Seq, nil)}
	if e != nil {
		f.answer = model.NewWebSocketError(req.Seq, e)
	}
	so.push(f)
	return true
}
