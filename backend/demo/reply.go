package demo

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Reply is the scripted model's answer to one request. The zero Reply is an
// empty message. Replies are values: every method returns a changed copy, and one
// Reply may serve any number of requests, even concurrently.
type Reply struct {
	parts  []Part
	usage  *Usage
	stop   string
	model  string
	pace   time.Duration
	before *Gate

	status     int // 0 is 200
	errType    string
	errMessage string
	retryAfter time.Duration
	final      bool

	end ending
}

// ending defines how a started stream ends.
type ending int

const (
	endComplete ending = iota
	endCut             // the connection breaks inside an event
	endError           // an error event, then the end of the stream
)

// Say returns a reply of one text block, streamed in words.
func Say(text string) Reply { return Answer(Text(text)) }

// Think returns a reply of a thinking block and a text block.
func Think(thinking, text string) Reply { return Answer(Thinking(thinking), Text(text)) }

// Use returns a reply that calls one tool. See [Tool].
func Use(name string, input any) Reply { return Answer(Tool(name, input)) }

// Answer returns a reply of several parts, streamed one after the other.
func Answer(parts ...Part) Reply { return Reply{parts: parts} }

// Fail returns an HTTP error in the API's shape. CLI 2.1.329 retries 401, 408,
// 409, 429 and 5xx up to ten times with growing pauses and reports each; it sends
// 400 and 422 six times in all, silently and with fewer features each time, and 404
// once more without streaming; 402, 403 and 413 end the turn at once.
func Fail(status int, message string) Reply {
	return Reply{status: status, errType: errorType(status), errMessage: message}
}

// RetryAfter sets the retry-after header of a [Fail] reply, in whole seconds
// (rounded up); it bounds the CLI's own back-off.
func (r Reply) RetryAfter(d time.Duration) Reply { r.retryAfter = d; return r }

// Final tells the client not to retry a [Fail] reply, whatever its status.
func (r Reply) Final() Reply { r.final = true; return r }

// Usage sets the token counts. Without it they are estimated from the request.
func (r Reply) Usage(u Usage) Reply { r.usage = &u; return r }

// Stop sets the stop reason. Without it, it is "tool_use" when the reply calls a
// tool and "end_turn" otherwise.
func (r Reply) Stop(reason string) Reply { r.stop = reason; return r }

// Model sets the model's name in the reply. Without it, it is the requested one.
func (r Reply) Model(name string) Reply { r.model = name; return r }

// Pace waits for d before every chunk, unless the server is Instant.
func (r Reply) Pace(d time.Duration) Reply { r.pace = d; return r }

// Before holds the whole reply, status line included, until the gate is open.
func (r Reply) Before(g *Gate) Reply { r.before = g; return r }

// Cut breaks the connection in the middle of the event after the last part: the
// message is never completed. If no text came before the break, the CLI retries the
// request. Otherwise it either does that or keeps the text and asks for the rest,
// depending on how much it had read. A [Wait] as the last part makes that certain.
func (r Reply) Cut() Reply { r.end = endCut; return r }

// Break ends the stream after the last part with an error event, as the API does
// when it fails in the middle of an answer. errType is for example
// "overloaded_error" or "api_error".
func (r Reply) Break(errType, message string) Reply {
	r.end, r.errType, r.errMessage = endError, errType, message
	return r
}

// Then appends parts.
func (r Reply) Then(parts ...Part) Reply {
	r.parts = append(append([]Part(nil), r.parts...), parts...)
	return r
}

// Usage holds the token counts of one message. Output is the value that message_delta
// reports at the end; message_start reports 1.
type Usage struct {
	Input         int
	CacheRead     int
	CacheCreation int
	Output        int
}

// Part is one content block of a reply, or a wait between blocks.
type Part struct {
	kind  partKind
	id    string
	name  string
	chunk Chunking
	spans []span
}

type partKind int

const (
	partText partKind = iota
	partThinking
	partTool
	partWait
)

// span is text to stream after an optional wait.
type span struct {
	gate  *Gate
	pause time.Duration
	text  string
}

// Text is a text block.
func Text(s string) Part { return Part{kind: partText, chunk: Words, spans: []span{{text: s}}} }

// Thinking is a thinking block. It ends with a fake signature.
func Thinking(s string) Part {
	return Part{kind: partThinking, chunk: Words, spans: []span{{text: s}}}
}

// Tool is a tool call. input is marshalled to JSON; a json.RawMessage is sent as
// it is, valid or not. The id is generated unless [Part.ID] sets it. Tool panics
// if input cannot be marshalled, which is a bug in the script.
func Tool(name string, input any) Part {
	raw, isRaw := input.(json.RawMessage)
	if !isRaw {
		var err error
		if raw, err = json.Marshal(input); err != nil {
			panic("demo: tool input cannot be marshalled: " + err.Error())
		}
	}
	return Part{kind: partTool, name: name, chunk: Runes(20), spans: []span{{text: string(raw)}}}
}

// Wait goes between blocks and holds the stream until the gate is open. As the
// first part it holds it after message_start; earlier parts are delivered.
func Wait(g *Gate) Part { return Part{kind: partWait, spans: []span{{gate: g}}} }

// Pause goes between blocks and holds the stream for a while, unless the server
// is Instant.
func Pause(d time.Duration) Part { return Part{kind: partWait, spans: []span{{pause: d}}} }

// ID sets the id of a tool call.
func (p Part) ID(id string) Part { p.id = id; return p }

// In sets how the text is cut into deltas.
func (p Part) In(c Chunking) Part { p.chunk = c; return p }

// Wait holds the block at this point until the gate is open. Add the rest of the
// text with [Part.More].
func (p Part) Wait(g *Gate) Part { return p.with(span{gate: g}) }

// Pause holds the block at this point for a while, unless the server is Instant.
func (p Part) Pause(d time.Duration) Part { return p.with(span{pause: d}) }

// More appends text to the block (for a tool call: JSON).
func (p Part) More(s string) Part { return p.with(span{text: s}) }

func (p Part) with(s span) Part {
	p.spans = append(append([]span(nil), p.spans...), s)
	return p
}

// Gate holds a reply at an exact point until a test opens it. The wait also ends when
// the server is closed or the client disconnects.
type Gate struct {
	open    chan struct{}
	reached chan struct{}
	onOpen  sync.Once
	onReach sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{open: make(chan struct{}), reached: make(chan struct{})} }

// Open lets every reply pass, now and later. It may be called more than once.
func (g *Gate) Open() { g.onOpen.Do(func() { close(g.open) }) }

// Reached is closed when a reply first waits at the gate: everything before the
// gate has then been written to the client.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

func (g *Gate) arrive() { g.onReach.Do(func() { close(g.reached) }) }

// errorType is the API's name for a status.
func errorType(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}
