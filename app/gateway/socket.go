package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/semaphore"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/fault"
)

// CloseResync is the close code for a client that missed events: it should reconnect and request
// the history of what it shows.
const CloseResync = 4000

// CloseRemoved is the close code for a removed device.
const CloseRemoved = 4001

const (
	// slot is the minimum weight of a request, budget the maximum total weight of a socket's
	// running requests: 64 requests, or 128 MiB.
	slot   = 2 << 20
	budget = 64 * slot
)

// socket is one client. The reader decodes requests and starts them; only the writer writes
// messages.
type socket struct {
	g    *Gateway
	ws   *websocket.Conn
	wire *conn
	sub  *bus.Subscription
	// filter selects the events of sub.
	filter *eventFilter
	// device is the client's device, nil with the token; gone is closed when it is removed.
	device Device
	gone   <-chan struct{}

	// ctx ends when the client is gone, lasting only when the gateway ends.
	ctx, lasting context.Context
	cancel       context.CancelFunc
	// free is the remaining budget. A request holds its weight until its answer is written, so that
	// a client that does not read runs out of it.
	free *semaphore.Weighted
	// out holds answers. ordered holds requests that must not overtake each other; it has room for
	// as many as may run.
	out     chan answer
	ordered chan job
	// ending receives the reason for closing, once.
	ending chan closing
	// read is closed when the reader has ended.
	read     chan struct{}
	requests sync.WaitGroup
}

type job struct {
	request
	weight int64
}

type answer struct {
	data   []byte
	weight int64
}

type closing struct {
	code   int
	reason string
}

// serveSocket upgrades the connection and returns when it has ended. device is nil for a client
// with the token.
func (g *Gateway) serveSocket(w http.ResponseWriter, r *http.Request, device Device) {
	g.mu.Lock()
	if g.closing || len(g.sockets) >= g.cfg.limits.sockets {
		g.mu.Unlock()
		writeError(w, http.StatusServiceUnavailable, fault.New(fault.Busy, "there are too many connections; close one and try again"))
		return
	}
	s := &socket{
		g:       g,
		free:    semaphore.NewWeighted(budget),
		out:     make(chan answer),
		ordered: make(chan job, budget/slot),
		ending:  make(chan closing, 1),
		read:    make(chan struct{}),
	}
	g.sockets[s] = struct{}{}
	g.running.Add(1)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.sockets, s)
		g.mu.Unlock()
		g.running.Done()
	}()

	sub, err := g.cfg.Bus.Subscribe(nil, g.cfg.limits.queue)
	if err != nil {
		writeError(w, http.StatusInternalServerError, err)
		return
	}
	defer sub.Close()
	s.sub = sub
	s.filter = &eventFilter{sub: sub, first: g.listens}
	s.lasting = g.ctx
	caller := uuid.NewString()[:8]
	if device != nil {
		s.device, s.gone = device, device.Gone()
		caller = device.Caller() + " " + caller
		s.lasting = method.WithDevice(s.lasting, method.Device{Name: device.Name(), Once: device.Once()})
	}
	s.lasting = method.WithEventFilter(method.WithConnection(s.lasting, caller), s.filter)
	s.ctx, s.cancel = context.WithCancel(s.lasting)
	defer s.cancel()
	ws, err := g.upgrader.Upgrade(w, r, nil)
	if err != nil {
		// The upgrader has responded.
		g.log.Debug("Not a WebSocket", "err", err)
		return
	}
	s.run(ws)
}

func (s *socket) run(ws *websocket.Conn) {
	s.g.mu.Lock()
	s.ws = ws
	s.g.mu.Unlock()
	s.wire = ws.NetConn().(*conn)
	s.wire.becomeSocket()
	ws.SetReadLimit(s.g.cfg.limits.message)

	s.requests.Go(s.runOrdered)
	writer := make(chan struct{})
	go func() {
		defer close(writer)
		s.write()
	}()
	s.readAll()
	close(s.read)
	close(s.ordered)
	s.cancel()
	<-writer
	s.requests.Wait()
}

// end asks the writer to close the socket. Only the first reason counts.
func (s *socket) end(code int, reason string) {
	select {
	case s.ending <- closing{code, reason}:
	default:
	}
}

// readAll reads until the client is gone or the socket is closed.
func (s *socket) readAll() {
	for {
		kind, data, err := s.ws.ReadMessage()
		if err != nil {
			s.g.log.Debug("Socket ended", "err", err)
			return
		}
		weight := max(slot, int64(len(data)))
		if s.free.Acquire(s.ctx, min(weight, budget)) != nil {
			return
		}
		s.start(kind, data, min(weight, budget))
	}
}

// start starts handling one message.
func (s *socket) start(kind int, data []byte, weight int64) {
	var req request
	err := error(fault.New(fault.Invalid, "frames must be text messages"))
	if kind == websocket.TextMessage {
		req, err = decode(data)
	}
	if err != nil {
		s.requests.Go(func() { s.answer(respond(req.id, nil, err), weight) })
		return
	}
	if req.ping {
		s.requests.Go(func() { s.answer(pong(req.id), weight) })
		return
	}
	m := s.g.cfg.Methods.Lookup(req.method)
	if m != nil {
		req.method = m.Name // devices may call it by its current name only
	}
	j := job{req, weight}
	if m != nil && m.Ordered() {
		// This never blocks: everything in the channel holds a slot.
		s.ordered <- j
		return
	}
	s.requests.Go(func() { s.perform(s.ctx, j) })
}

// runOrdered also runs what arrived right before the client left: a closing page makes its last
// calls then, and leaving does not withdraw a prompt.
func (s *socket) runOrdered() {
	for j := range s.ordered {
		s.perform(s.lasting, j)
	}
}

func (s *socket) perform(ctx context.Context, j job) {
	select {
	case <-s.gone: // it is no longer authorized, and is told so
		return
	default:
	}
	var payload json.RawMessage
	var err error
	if s.device != nil {
		err = s.device.May(j.method)
	}
	if err == nil {
		payload, err = s.g.cfg.Methods.Call(ctx, j.method, j.params)
	}
	s.answer(respond(j.id, payload, err), j.weight)
}

func (s *socket) answer(data []byte, weight int64) {
	select {
	case s.out <- answer{data, weight}:
	case <-s.ctx.Done():
	}
}

// write sends answers, events and pings until the reader has ended or there is a reason to close.
// It closes the connection, which ends the reader.
func (s *socket) write() {
	// The reader may be waiting for budget rather than for bytes.
	defer s.cancel()
	defer func() { _ = s.ws.Close() }()
	ping := time.NewTicker(s.g.cfg.limits.ping)
	defer ping.Stop()
	var records []*bus.Record
	for {
		var err error
		select {
		case a := <-s.out:
			err = s.sendAnswers(a)
		case <-s.sub.Ready():
			batch := s.sub.Take(records)
			if batch.Lagged {
				s.sayGoodbye(closing{CloseResync, "resync: this client read too slowly and missed events"})
				return
			}
			err = s.sendEvents(batch.Records)
			records = batch.Records
		case <-ping.C:
			err = s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(s.g.cfg.limits.stall))
		case c := <-s.ending:
			// The last events tell how everything ended.
			if batch := s.sub.Take(records); s.sendEvents(batch.Records) == nil {
				s.sayGoodbye(c)
			}
			return
		case <-s.gone:
			s.sayGoodbye(closing{CloseRemoved, "this device was removed"})
			return
		case <-s.read:
			return
		}
		if err != nil {
			s.g.log.Debug("Couldn't write to a socket", "err", err)
			return
		}
	}
}

// sendAnswers sends a and all other ready answers, in as few system calls as possible.
func (s *socket) sendAnswers(a answer) error {
	s.wire.cork()
	for {
		err := s.ws.WriteMessage(websocket.TextMessage, a.data)
		s.free.Release(a.weight)
		if err != nil {
			return err
		}
		select {
		case a = <-s.out:
			continue
		default:
			return s.wire.uncork()
		}
	}
}

func (s *socket) sendEvents(records []*bus.Record) error {
	s.wire.cork()
	for _, r := range records {
		if err := s.ws.WriteMessage(websocket.TextMessage, r.Message()); err != nil {
			return err
		}
	}
	return s.wire.uncork()
}

// sayGoodbye sends the reason and lets the client close first: closing immediately could lose the
// reason and other data in transit.
func (s *socket) sayGoodbye(c closing) {
	message := websocket.FormatCloseMessage(c.code, c.reason)
	if err := s.ws.WriteControl(websocket.CloseMessage, message, time.Now().Add(s.g.cfg.limits.goodbye)); err != nil &&
		!errors.Is(err, websocket.ErrCloseSent) {
		return
	}
	timeout := time.NewTimer(s.g.cfg.limits.goodbye)
	defer timeout.Stop()
	select {
	case <-s.read:
	case <-timeout.C:
	}
}
