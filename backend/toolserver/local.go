package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"parley/backend/fault"
)

// Local serves a CLI process that sends its MCP messages over its own
// pipes: no socket, no relay and no token, because the caller knows which session the
// messages belong to. Everything else is as on the socket.
type Local struct {
	server   *Server
	protocol *protocol
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc

	mu     sync.Mutex
	closed bool
	// answers counts the functions returned by Take that have not finished.
	answers sync.WaitGroup
}

// Local makes the server for a CLI process that is about to start. It must be
// closed when the process has ended. The session's Report is never called: there
// is no connection that could be lost.
func (s *Server) Local(session Session) (*Local, error) {
	if session.ID == "" {
		return nil, errors.New("serve a CLI process: no session id")
	}
	ctx, cancel := context.WithCancel(s.base)
	protocol := newProtocol(s, session, s.log)
	if session.Notify != nil {
		protocol.notify = func(m mcp.JSONRPCMessage) {
			if raw, err := json.Marshal(m); err == nil {
				session.Notify(raw)
			}
		}
	}
	l := &Local{server: s, protocol: protocol, ctx: ctx, cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
		return nil, fault.New(fault.Unavailable, "Parley is closing.")
	}
	s.locals[l] = struct{}{}
	return l, nil
}

// Take accepts the next MCP message without waiting; messages must be passed in
// the order in which they were sent. The returned function must be called once, in any
// goroutine, and returns the answer: a JSON-RPC message, or nil for a message that
// gets none. It takes as long as the called tool, and fails when the call
// was cancelled: by the CLI, by ctx or by Close.
func (l *Local) Take(message json.RawMessage) func(ctx context.Context) (json.RawMessage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch limit := l.protocol.limits.line; {
	case l.closed || l.ctx.Err() != nil:
		return refuse(fault.New(fault.Unavailable, "Parley no longer serves this session."))
	case len(message) > limit:
		return refuse(fault.New(fault.TooLarge, "The message has %d bytes; the limit is %d.", len(message), limit))
	}
	ctx, cancel := context.WithCancel(l.ctx)
	request := l.protocol.take(ctx, message)
	l.answers.Add(1)
	return func(outer context.Context) (json.RawMessage, error) {
		defer l.answers.Done()
		defer cancel()
		defer context.AfterFunc(outer, cancel)()
		reply := request.answer()
		if reply == nil {
			if request.waits {
				return nil, fault.New(fault.Unavailable, "The call was canceled.")
			}
			return nil, nil
		}
		raw, err := json.Marshal(reply)
		if err != nil {
			return nil, fmt.Errorf("encode the MCP answer: %w", err)
		}
		return raw, nil
	}
}

func refuse(err error) func(context.Context) (json.RawMessage, error) {
	return func(context.Context) (json.RawMessage, error) { return nil, err }
}

// Close ends the running calls and returns when they have ended. It may be
// called again, but not by a handler.
func (l *Local) Close() {
	l.server.mu.Lock()
	delete(l.server.locals, l)
	l.server.mu.Unlock()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.answers.Wait()
}
