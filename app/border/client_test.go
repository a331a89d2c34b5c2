//go:build linux

package border

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/event"
)

// m is short for JSON objects.
type m = map[string]any

// seen is a received event.
type seen struct {
	event.Event
	name string
	raw  json.RawMessage
	at   time.Time
}

// refusal is the error response of a method.
type refusal struct {
	Code    string
	Message string
}

func (r *refusal) Error() string { return r.Code + ": " + r.Message }

// client is one WebSocket of the gateway. It keeps all received events.
type client struct {
	t  testing.TB
	ws *websocket.Conn
	// gone is closed when the reader has ended.
	gone chan struct{}

	writing sync.Mutex

	mu      sync.Mutex
	nextID  int
	answers map[string]chan answer
	events  []seen
	changed chan struct{} // closed and replaced when events grow
	err     error         // why the reader ended
}

type answer struct {
	OK      bool
	Payload json.RawMessage
	Error   *refusal
}

// dial connects a client, which is closed with the test.
func (p *parley) dial() *client {
	p.t.Helper()
	c := p.connect()
	p.t.Cleanup(c.drop)
	return c
}

// connect connects a client.
func (p *parley) connect() *client {
	p.t.Helper()
	c, err := p.tryConnect()
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *parley) tryConnect() (*client, error) {
	dialer := websocket.Dialer{HandshakeTimeout: limit}
	header := http.Header{"Authorization": {"Bearer " + p.token}}
	ws, _, err := dialer.DialContext(p.t.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"ws", header)
	if err != nil {
		return nil, err
	}
	c := &client{t: p.t, ws: ws, gone: make(chan struct{}), answers: map[string]chan answer{}, changed: make(chan struct{})}
	go c.read(eventTypes())
	return c, nil
}

// drop breaks the connection without a close frame. It may be called again.
func (c *client) drop() {
	_ = c.ws.NetConn().Close()
	<-c.gone
}

func (c *client) read(types map[string]reflect.Type) {
	defer close(c.gone)
	var err error
	for err == nil {
		var data []byte
		if _, data, err = c.ws.ReadMessage(); err == nil {
			err = c.take(types, data)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	close(c.changed)
	c.changed = make(chan struct{})
}

// take handles one frame.
func (c *client) take(types map[string]reflect.Type, data []byte) error {
	var f struct {
		answer
		Type  string
		ID    json.Number
		Event string
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("a frame that is not JSON: %.200s", data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch f.Type {
	case "res":
		waiting := c.answers[f.ID.String()]
		if waiting == nil {
			return fmt.Errorf("an answer that nobody waits for: %.200s", data)
		}
		delete(c.answers, f.ID.String())
		waiting <- f.answer
		return nil
	case "event":
		e, err := decode(types, f.Event, f.Payload)
		if err != nil {
			return err
		}
		c.events = append(c.events, seen{e, f.Event, f.Payload, time.Now()})
		close(c.changed)
		c.changed = make(chan struct{})
		return nil
	}
	return fmt.Errorf("a frame of an unknown type: %.200s", data)
}

func eventTypes() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, e := range event.All() {
		types[event.NameOf(e)] = reflect.TypeOf(e).Elem()
	}
	return types
}

// decode reads an event strictly: an unknown field is an error.
func decode(types map[string]reflect.Type, name string, payload []byte) (event.Event, error) {
	typ := types[name]
	if typ == nil {
		return nil, fmt.Errorf("an unknown event %q", name)
	}
	e := reflect.New(typ).Interface()
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%s: %w: %.200s", name, err, payload)
	}
	return e.(event.Event), nil
}

// try calls a method. An error response of Parley is a *refusal.
func (c *client) try(method string, params any) (json.RawMessage, error) {
	waiting := make(chan answer, 1)
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.answers[strconv.Itoa(id)] = waiting
	c.mu.Unlock()
	c.writing.Lock()
	err := c.ws.WriteJSON(m{"type": "req", "id": id, "method": method, "params": params})
	c.writing.Unlock()
	if err != nil {
		return nil, err
	}
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case a := <-waiting:
		if !a.OK {
			return nil, a.Error
		}
		return a.Payload, nil
	case <-c.gone:
		return nil, fmt.Errorf("%s: the socket ended: %w", method, c.reason())
	case <-timeout.C:
		return nil, fmt.Errorf("%s: no answer within %v", method, limit)
	}
}

func (c *client) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// call calls a method that must succeed.
func call[R any](c *client, method string, params any) R {
	c.t.Helper()
	var result R
	payload, err := c.try(method, params)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(payload))
		d.DisallowUnknownFields()
		err = d.Decode(&result)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// refused calls a method that must return an error with this code, whose
// message has all the words.
func (c *client) refused(method string, params any, code string, words ...string) {
	c.t.Helper()
	_, err := c.try(method, params)
	var r *refusal
	if !errors.As(err, &r) || r.Code != code {
		c.t.Errorf("%s: %v; want an error with the code %q", method, err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(r.Message, w) {
			c.t.Errorf("%s: the message %q does not name %q", method, r.Message, w)
		}
	}
}

func (c *client) subscribe(patterns ...string) {
	c.t.Helper()
	call[m](c, "subscribe", m{"events": patterns})
}

// all returns the received events.
func (c *client) all() []seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events[:len(c.events):len(c.events)]
}

// knows reports whether there was an event of a session.
func (c *client) knows(session string) bool {
	return slices.ContainsFunc(c.all(), func(s seen) bool { return s.Header().SessionID == session })
}

// find waits for an event that matches, including past ones.
func (c *client) find(match func(seen) bool) (seen, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	next := 0
	for {
		c.mu.Lock()
		events, changed, err := c.events, c.changed, c.err
		c.mu.Unlock()
		for _, s := range events[next:] {
			if match(s) {
				return s, nil
			}
		}
		next = len(events)
		if err != nil {
			return seen{}, err
		}
		select {
		case <-changed:
		case <-timeout.C:
			return seen{}, fmt.Errorf("not within %v", limit)
		}
	}
}

// await waits for an event of type E in a session that matches, including past
// ones.
func await[E event.Event](c *client, session, what string, match func(E) bool) E {
	c.t.Helper()
	s, err := c.find(func(s seen) bool {
		e, ok := s.Event.(E)
		return ok && e.Header().SessionID == session && match(e)
	})
	if err != nil {
		c.t.Fatalf("%s did not come: %v%s", what, err, tail(c.all(), session))
	}
	return s.Event.(E)
}

// of returns a session's events of type E, in order.
func of[E event.Event](c *client, session string) []E {
	var list []E
	for _, s := range c.all() {
		if e, ok := s.Event.(E); ok && e.Header().SessionID == session {
			list = append(list, e)
		}
	}
	return list
}

// tail formats the last events of a session, for failure messages.
func tail(events []seen, session string) string {
	var lines []string
	for _, s := range events {
		if s.Header().SessionID == session {
			lines = append(lines, fmt.Sprintf("\n  %s %.300s", s.name, s.raw))
		}
	}
	return strings.Join(lines[max(0, len(lines)-25):], "")
}
