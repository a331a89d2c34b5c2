// Package bus carries events from the sessions to everything that shows or relays
// them: gateway sockets, the window, the tray.
//
// # Delivery
//
// Publish is called by a session's owner goroutine, in the order of the events'
// sequence numbers, and returns after adding the event to the queue of every
// subscription that wants it. It takes short locks, runs no foreign code and never
// waits for a subscriber.
//
// A subscription receives the events of one session in order and without gaps,
// those of different sessions in any order, from the moment it was made or its
// patterns were widened. Its queue is bounded by number and by bytes. If a
// subscriber lets it overflow, the whole queue is dropped, and so is everything
// published until the subscriber next takes: it then gets one lagged
// batch, which says that events were missed, and events flow again after that. It
// asks for a snapshot or disconnects. Other subscribers are not affected. Dropped
// events are counted.
//
// An event is encoded once, when the first subscription wants it, and the bytes
// are shared by all; with no subscription it is not encoded at all. After Publish
// has returned, the bus does not read the event again; in-process subscribers do,
// so an event must not be changed once it is published.
//
// The package starts no goroutine and knows no transport.
package bus

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"parley/backend/event"
	"parley/backend/fault"
)

// Bus fans events out. Its methods may be called from any goroutine.
type Bus struct {
	log *slog.Logger

	// mu guards writers of subs; Publish reads a snapshot without a lock.
	mu   sync.Mutex
	subs atomic.Pointer[[]*Subscription]

	published atomic.Uint64
	encoded   atomic.Uint64
	dropped   atomic.Uint64
	lagged    atomic.Uint64
	broken    atomic.Uint64
}

// New returns a bus without subscriptions.
func New(log *slog.Logger) *Bus {
	b := &Bus{log: log}
	b.subs.Store(&[]*Subscription{})
	return b
}

// Stats counts a bus's events since it was made.
type Stats struct {
	Subscriptions int
	// Published counts events, Encoded those that a subscription wanted.
	Published, Encoded uint64
	// Dropped counts events that were not delivered to a subscription, Lagged the
	// queue overflows.
	Dropped, Lagged uint64
	// Broken counts events that could not be encoded.
	Broken uint64
}

// Stats returns the current counts.
func (b *Bus) Stats() Stats {
	return Stats{
		Subscriptions: len(*b.subs.Load()),
		Published:     b.published.Load(),
		Encoded:       b.encoded.Load(),
		Dropped:       b.dropped.Load(),
		Lagged:        b.lagged.Load(),
		Broken:        b.broken.Load(),
	}
}

// Record is a published event. It is shared by all subscribers and must not be
// changed.
type Record struct {
	// Name is the name on the border: "session.text_delta".
	Name string
	// Event is the event itself.
	Event event.Event

	message []byte
	payload []byte
}

// Message is the event as the border sends it:
// {"type":"event","event":Name,"payload":…}.
func (r *Record) Message() []byte { return r.message }

// Payload is the event's own JSON.
func (r *Record) Payload() json.RawMessage { return r.payload }

// Piece reports whether the event only appends to a text: a subscriber that shows texts
// may wait for more of it as long as nothing else comes.
func (r *Record) Piece() bool {
	switch r.Event.(type) {
	case *event.TextDelta, *event.ThinkingDelta, *event.ToolInput:
		return true
	}
	return false
}

// Publish hands e to every subscription that wants it. Its header must be filled
// in.
func (b *Bus) Publish(e event.Event) {
	b.published.Add(1)
	name := event.NameOf(e)
	var rec *Record
	for _, s := range *b.subs.Load() {
		if !s.wants(name) {
			continue
		}
		if rec == nil {
			rec = b.record(name, e)
		}
		s.push(rec)
	}
}

// record encodes e. An event that cannot be encoded is replaced by an error
// event with the same header, so that no subscriber sees a hole.
func (b *Bus) record(name string, e event.Event) *Record {
	message, payload, err := encode(name, e)
	if err != nil {
		b.broken.Add(1)
		head := *e.Header()
		b.log.Error("Couldn't encode an event", "event", name, "session", head.SessionID, "seq", head.Seq, "err", err)
		e = &event.Error{
			Head: head, Code: string(fault.Internal),
			Message: "Parley could not show an event. The log has the details.",
		}
		name = event.NameOf(e)
		if message, payload, err = encode(name, e); err != nil {
			// Three strings and two numbers always encode.
			panic(err)
		}
	}
	b.encoded.Add(1)
	return &Record{Name: name, Event: e, message: message, payload: payload}
}

func encode(name string, e event.Event) (message, payload []byte, err error) {
	var buf bytes.Buffer
	buf.WriteString(`{"type":"event","event":"`)
	buf.WriteString(name)
	buf.WriteString(`","payload":`)
	start := buf.Len()
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, nil, err
	}
	end := buf.Len() - 1 // without the encoder's line end
	message = buf.Bytes()
	message[end] = '}'
	if utf8.Valid(message) {
		return message, message[start:end:end], nil
	}
	// Only a foreign RawMessage can contain such bytes, and a WebSocket text
	// message must not.
	message = bytes.ToValidUTF8(message, []byte("\uFFFD"))
	return message, message[start : len(message)-1 : len(message)-1], nil
}

func (b *Bus) change(fn func([]*Subscription) []*Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	subs := fn(slices.Clone(*b.subs.Load()))
	b.subs.Store(&subs)
}

// ErrClosed is what Next returns after Close.
var ErrClosed = errors.New("subscription closed")
