package mattermost

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/wire"
)

// maxFrame bounds one socket message: a post with as many properties as possible.
const maxFrame = 8 << 20

// writeTimeout is for one message to the server.
const writeTimeout = 10 * time.Second

// socket is an authenticated connection.
type socket struct {
	conn    *websocket.Conn
	silence time.Duration
	// next is the expected number of the next event.
	next int64

	writing sync.Mutex
	asked   int64
	// pinged is the number of the last ping.
	pinged atomic.Int64
}

// dial opens a socket and authenticates; it returns when the server sends hello.
func (c *Client) dial(ctx context.Context) (*socket, error) {
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.tune.callTimeout)
	defer cancel()
	address := *c.base
	address.Scheme = map[string]string{"https": "wss", "http": "ws"}[address.Scheme]
	address.Path += "/api/v4/websocket"
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if own, ok := c.http.Transport.(*http.Transport); ok && own.TLSClientConfig != nil {
		dialer.TLSClientConfig = own.TLSClientConfig.Clone()
		dialer.TLSClientConfig.NextProtos = nil // sockets need HTTP/1.1
	}
	conn, answer, err := dialer.DialContext(ctx, address.String(), http.Header{"User-Agent": {agent}})
	if answer != nil {
		defer answer.Body.Close()
	}
	if err != nil {
		if answer != nil {
			body, _ := io.ReadAll(io.LimitReader(answer.Body, maxError))
			if f := answered(answer, body, token); f != nil {
				return nil, f
			}
		}
		return nil, c.unanswered(ctx, err, token)
	}
	s := &socket{conn: conn, silence: c.tune.silence}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := s.greet(token); err != nil {
		conn.Close()
		if f, ok := asFailure(err); ok {
			return nil, f
		}
		return nil, c.unanswered(ctx, err, token)
	}
	if !stop() {
		return nil, c.unanswered(ctx, context.DeadlineExceeded, token)
	}
	return s, nil
}

// greet authenticates and waits for the hello. A server that rejects the token says
// so, or just closes.
func (s *socket) greet(token string) error {
	s.conn.SetReadLimit(maxFrame)
	if err := s.ask(wire.ActionChallenge, map[string]any{"token": token}); err != nil {
		return err
	}
	for range 100 {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		f, err := decode(data)
		switch {
		case err != nil:
		case f.event == "" && !f.ok:
			return &failure{kind: chat.ErrForbidden, status: http.StatusUnauthorized, text: "the socket does not accept the access token"}
		case f.event == wire.Hello:
			s.next = f.seq + 1
			return nil
		}
	}
	return errFrame
}

// ask sends a request without waiting for its reply.
func (s *socket) ask(action string, data map[string]any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.asked++
	if action == wire.ActionPing {
		s.pinged.Store(s.asked)
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	return s.conn.WriteJSON(map[string]any{"seq": s.asked, "action": action, "data": data})
}

func (s *socket) close() {
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	s.conn.Close()
}

// heard is a socket event. gap: others before it are missing.
type heard struct {
	frame
	gap bool
}

// read delivers events until the connection ends, or expired signals that the token was
// rejected elsewhere. In between it sends requests: a server whose token was revoked keeps
// the connection, answers protocol pings, and sends nothing more. So only a reply shows
// that it still listens.
func (s *socket) read(ctx context.Context, every time.Duration, expired <-chan struct{}, take func(heard)) error {
	alive := func() { _ = s.conn.SetReadDeadline(time.Now().Add(s.silence)) }
	var answered atomic.Int64
	answered.Store(time.Now().UnixNano())
	alive()
	s.conn.SetPongHandler(func(string) error { alive(); return nil })
	s.conn.SetPingHandler(func(data string) error {
		alive()
		err := s.conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeTimeout))
		if errors.Is(err, websocket.ErrCloseSent) {
			return nil
		}
		return err
	})
	ctx, cancel := context.WithCancel(ctx)
	pinging := make(chan struct{})
	go func() {
		defer close(pinging)
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				s.close() // which ends the reading
				return
			case <-expired:
				s.close()
			case <-t.C:
				if time.Since(time.Unix(0, answered.Load())) > s.silence {
					s.close()
				}
				// If the write fails, reading ends too.
				_ = s.ask(wire.ActionPing, nil)
			}
		}
	}()
	defer func() {
		cancel()
		<-pinging
	}()
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		alive()
		f, err := decode(data)
		if err == nil && f.event == "" {
			switch {
			case f.ok || f.unknown:
				answered.Store(time.Now().UnixNano())
			case f.reply == s.pinged.Load():
				return errRefused
			}
			continue
		}
		h, ok := s.order(f, err)
		if ok {
			take(h)
		}
	}
}

// errRefused means that the server no longer replies to requests.
var errRefused = errors.New("the socket is no longer accepted")

// order checks an event's number: a repeated one is ignored, a missing one makes a
// gap, and so does an undecodable one.
func (s *socket) order(f frame, err error) (heard, bool) {
	if err != nil && f.event == "" {
		return heard{gap: true}, true // its number is unknown too
	}
	if f.seq < s.next {
		return heard{}, false
	}
	h := heard{frame: f, gap: f.seq > s.next || err != nil}
	if err != nil {
		h.post, h.reaction = nil, nil
	}
	s.next = f.seq + 1
	return h, true
}
