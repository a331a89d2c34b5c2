package demo

import (
	"encoding/json"
	"strconv"
	"time"
)

// signature signs thinking blocks. Nothing checks it.
const signature = "cmVoZWFyc2Fs"

// step is a stretch of a response body: wait, then write.
type step struct {
	gate  *Gate
	pause time.Duration
	data  []byte
}

// envelope holds the data an encoded reply needs besides its parts.
type envelope struct {
	messageID string
	toolID    func() string
	model     string
	usage     Usage
	instant   bool
}

// encoder builds the steps of a streamed reply. Everything is encoded before the
// first byte is sent, so that the stream runs at the speed of the socket.
type encoder struct {
	steps []step
	buf   []byte // data of the last step
	pace  time.Duration
}

func (e *encoder) wait(gate *Gate, pause time.Duration) {
	e.flush()
	e.steps = append(e.steps, step{gate: gate, pause: pause})
}

func (e *encoder) flush() {
	if len(e.buf) == 0 {
		return
	}
	if n := len(e.steps); n > 0 && e.steps[n-1].data == nil {
		e.steps[n-1].data = e.buf
	} else {
		e.steps = append(e.steps, step{data: e.buf})
	}
	e.buf = nil
}

// delta writes one content_block_delta. prefix is the JSON before the string.
func (e *encoder) delta(index int, prefix, text string) {
	if e.pace > 0 {
		e.wait(nil, e.pace)
	}
	e.buf = append(e.buf, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	e.buf = strconv.AppendInt(e.buf, int64(index), 10)
	e.buf = append(e.buf, ",\"delta\":{\"type\":"...)
	e.buf = append(e.buf, prefix...)
	e.buf = append(e.buf, quote(text)...)
	e.buf = append(e.buf, "}}\n\n"...)
}

func (e *encoder) event(name string, payload any) {
	e.buf = append(e.buf, "event: "+name+"\ndata: "...)
	e.buf = append(e.buf, mustJSON(payload)...)
	e.buf = append(e.buf, "\n\n"...)
}

type object = map[string]any

// stream encodes a reply as server-sent events.
func (r Reply) stream(env envelope) []step {
	e := &encoder{}
	if !env.instant {
		e.pace = r.pace
	}
	start := r.head(env)
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, env.usage.wire(1)
	e.event("message_start", object{"type": "message_start", "message": start})
	index := 0
	for _, p := range r.parts {
		if p.kind == partWait {
			e.spans(p, env, func(string) {})
			continue
		}
		e.block(p, index, env)
		index++
	}
	switch r.end {
	case endCut:
		e.buf = append(e.buf, "event: content_block_delta\ndata: {\"type\":\"content_block_del"...)
	case endError:
		e.event("error", object{"type": "error", "error": object{"type": r.errType, "message": r.errMessage}})
	case endComplete:
		e.event("message_delta", object{
			"type":  "message_delta",
			"delta": object{"stop_reason": r.stopReason(), "stop_sequence": nil},
			"usage": env.usage.wire(env.usage.Output),
		})
		e.event("message_stop", object{"type": "message_stop"})
	}
	e.flush()
	return e.steps
}

func (e *encoder) block(p Part, index int, env envelope) {
	var content object
	var prefix string
	switch p.kind {
	case partThinking:
		content, prefix = object{"type": "thinking", "thinking": "", "signature": ""}, `"thinking_delta","thinking":`
	case partTool:
		content, prefix = p.toolBlock(env, object{}), `"input_json_delta","partial_json":`
	default:
		content, prefix = object{"type": "text", "text": ""}, `"text_delta","text":`
	}
	e.event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": content})
	e.spans(p, env, func(text string) { e.delta(index, prefix, text) })
	if p.kind == partThinking {
		e.event("content_block_delta", object{
			"type": "content_block_delta", "index": index,
			"delta": object{"type": "signature_delta", "signature": signature},
		})
	}
	e.event("content_block_stop", object{"type": "content_block_stop", "index": index})
}

func (e *encoder) spans(p Part, env envelope, emit func(string)) {
	for _, s := range p.spans {
		if s.gate != nil {
			e.wait(s.gate, 0)
		}
		if s.pause > 0 && !env.instant {
			e.wait(nil, s.pause)
		}
		if s.text == "" {
			continue
		}
		for _, piece := range p.chunk(s.text) {
			emit(piece)
		}
	}
}

func (p Part) toolBlock(env envelope, input any) object {
	id := p.id
	if id == "" {
		id = env.toolID()
	}
	return object{"type": "tool_use", "id": id, "name": p.name, "input": input}
}

// whole encodes a reply as one JSON message. All waits come first.
func (r Reply) whole(env envelope) []step {
	e := &encoder{}
	content := []any{}
	for _, p := range r.parts {
		text := ""
		for _, s := range p.spans {
			if s.gate != nil || s.pause > 0 && !env.instant {
				e.wait(s.gate, s.pause)
			}
			text += s.text
		}
		switch p.kind {
		case partText:
			content = append(content, object{"type": "text", "text": text})
		case partThinking:
			content = append(content, object{"type": "thinking", "thinking": text, "signature": signature})
		case partTool:
			content = append(content, p.toolBlock(env, rawOrString(text)))
		case partWait:
		}
	}
	m := r.head(env)
	m["content"], m["stop_reason"], m["usage"] = content, r.stopReason(), env.usage.wire(env.usage.Output)
	e.buf = mustJSON(m)
	if r.end == endCut {
		e.buf = e.buf[:len(e.buf)/2]
	}
	e.flush()
	return e.steps
}

func (r Reply) head(env envelope) object {
	return object{
		"id": env.messageID, "type": "message", "role": "assistant", "model": env.model, "stop_sequence": nil,
	}
}

func (r Reply) stopReason() string {
	if r.stop != "" {
		return r.stop
	}
	for _, p := range r.parts {
		if p.kind == partTool {
			return "tool_use"
		}
	}
	return "end_turn"
}

// outputBytes is the size of the model's output, for estimates.
func (r Reply) outputBytes() int {
	n := 0
	for _, p := range r.parts {
		for _, s := range p.spans {
			n += len(s.text)
		}
	}
	return n
}

func (u Usage) wire(output int) object {
	return object{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheCreation, "output_tokens": output,
	}
}

// errorBody is the API's error shape.
func errorBody(errType, message string) []byte {
	return mustJSON(object{"type": "error", "error": object{"type": errType, "message": message}})
}

// rawOrString keeps a broken tool input encodable.
func rawOrString(s string) any {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return s
}

func quote(s string) []byte { return mustJSON(s) }

// mustJSON marshals values made of strings, numbers and valid raw JSON only,
// which cannot fail.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("demo: " + err.Error())
	}
	return b
}
