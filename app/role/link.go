package role

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/gorilla/websocket"

	"parley/backend/fault"
)

const (
	// maxAnswer bounds a method's answer, in bytes.
	maxAnswer = 256 << 20
	// maxWaiting bounds how many events may arrive before an answer.
	maxWaiting = 10_000
)

// link is a client's socket to a running Parley. One goroutine uses it.
type link struct {
	ctx  context.Context
	ws   *websocket.Conn
	stop func() bool
	last int
	// waiting are events that arrived before an answer.
	waiting []message
}

// message is a message on a link.
type message struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	OK      bool            `json:"ok"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Error   struct {
		Code    fault.Code `json:"code"`
		Message string     `json:"message"`
	} `json:"error"`
}

// dial connects; the link ends with ctx.
func dial(ctx context.Context, server announcement) (*link, error) {
	address := "ws" + strings.TrimPrefix(strings.TrimSuffix(server.URL, "/"), "http") + "/ws"
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, TLSClientConfig: trusting(server.URL)}
	ws, res, err := dialer.DialContext(ctx, address, http.Header{"Authorization": {"Bearer " + server.Token}})
	switch {
	case res != nil && res.StatusCode == http.StatusUnauthorized:
		return nil, fault.Wrap(err, fault.Unauthorized, "Parley at %s does not accept this token.", server.URL)
	case res != nil && err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "Parley at %s refused the connection: %s.", server.URL, res.Status)
	case err != nil && late(ctx, err):
		return nil, lost(ctx, err)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "Parley is not running at %s.", server.URL)
	}
	ws.SetReadLimit(maxAnswer)
	// The end of ctx unblocks a read.
	return &link{ctx: ctx, ws: ws, stop: context.AfterFunc(ctx, func() { _ = ws.Close() })}, nil
}

// trusting determines how a server's certificate is checked. A local one has none for its address,
// and nobody is in between.
func trusting(server string) *tls.Config {
	at, err := url.Parse(server)
	local := err == nil && (at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback())
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: local} //nolint:gosec // on this machine only
}

func (l *link) close() {
	l.stop()
	_ = l.ws.Close()
}

// call calls a method. Events in the meantime are kept for next.
func (l *link) call(method string, params any) (json.RawMessage, error) {
	l.last++
	id := strconv.Itoa(l.last)
	request, err := json.Marshal(map[string]any{"type": "req", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if err := l.ws.WriteMessage(websocket.TextMessage, request); err != nil {
		return nil, lost(l.ctx, err)
	}
	for {
		m, err := l.read()
		switch {
		case err != nil:
			return nil, err
		case m.Type == "event" && len(l.waiting) < maxWaiting:
			l.waiting = append(l.waiting, m)
		case m.ID != id:
		case !m.OK:
			return nil, fault.New(m.Error.Code, "%s (%s)", m.Error.Message, m.Error.Code)
		default:
			return m.Payload, nil
		}
	}
}

// next is the next event.
func (l *link) next() (message, error) {
	if len(l.waiting) > 0 {
		m := l.waiting[0]
		l.waiting = l.waiting[1:]
		return m, nil
	}
	for {
		m, err := l.read()
		if err != nil || m.Type == "event" {
			return m, err
		}
	}
}

func (l *link) read() (message, error) {
	var m message
	_, data, err := l.ws.ReadMessage()
	if err != nil {
		return m, lost(l.ctx, err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read the answer: %w", err)
	}
	return m, nil
}

// into calls a method and decodes its result.
func (l *link) into(result any, method string, params any) error {
	raw, err := l.call(method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// late reports whether time was up. A connection may notice that slightly before ctx does.
func late(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

func lost(ctx context.Context, err error) error {
	if late(ctx, err) {
		return fault.Wrap(err, fault.Unavailable, "Parley did not answer in time. Allow more with --timeout.")
	}
	return fault.Wrap(err, fault.Unavailable, "Parley closed the connection.")
}
