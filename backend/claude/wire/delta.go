package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The hot path. A model's answer consists of thousands of lines of this form:
//
//	{"type":"stream_event","event":{"type":"content_block_delta","index":0,
//	"delta":{"type":"text_delta","text":"…"}},"session_id":"…",
//	"parent_tool_use_id":null,"uuid":"…","api_message_id":"…"}
//
// decodeDelta decodes exactly that, with the keys after the event in any order,
// and gives up (nil) at the first different byte, so decodeAny would decode
// everything it accepts identically; a fuzz test checks that. It costs two
// allocations: one copy of the line, which all strings share, and one for frame
// and delta together. encoding/json takes about ten times as long.

const (
	deltaHead     = `{"type":"stream_event","event":{"type":"content_block_delta","index":`
	deltaText     = `,"delta":{"type":"text_delta","text":"`
	deltaThinking = `,"delta":{"type":"thinking_delta","thinking":"`
	deltaJSON     = `,"delta":{"type":"input_json_delta","partial_json":"`
)

type deltaFrame struct {
	event StreamEvent
	delta BlockDelta
}

// scanner walks over a line. at is the next byte; ok becomes false at the
// first mismatch and stays so.
type scanner struct {
	b  []byte
	at int
	ok bool
}

// lit consumes a literal.
func (s *scanner) lit(want string) bool {
	if !s.ok || len(s.b)-s.at < len(want) || string(s.b[s.at:s.at+len(want)]) != want {
		return false
	}
	s.at += len(want)
	return true
}

// digits consumes an integer of one to four digits in JSON form.
func (s *scanner) digits() int {
	n, start := 0, s.at
	for s.at < len(s.b) && s.at-start < 4 && s.b[s.at] >= '0' && s.b[s.at] <= '9' {
		n = n*10 + int(s.b[s.at]-'0')
		s.at++
	}
	if s.at == start || s.at-start > 1 && s.b[start] == '0' {
		s.ok = false
	}
	return n
}

// span is a string's position in a line, without its quotes.
type span struct {
	from, to int
	escaped  bool
}

// of returns the span of text, which is the line from offset on.
func (p span) of(text string, offset int) string {
	if p.to == 0 {
		return ""
	}
	return text[p.from-offset : p.to-offset]
}

// str consumes the rest of a string after its opening quote, including the
// closing quote.
func (s *scanner) str() span {
	p := span{from: s.at}
	for s.at < len(s.b) {
		switch c := s.b[s.at]; {
		case c == '"':
			p.to = s.at
			s.at++
			return p
		case c == '\\':
			p.escaped = true
			s.at += 2
		case c < 0x20:
			s.ok = false
			return span{}
		default:
			s.at++
		}
	}
	s.ok = false
	return span{}
}

func decodeDelta(line []byte) *StreamEvent {
	s := scanner{b: bytes.TrimSuffix(line, []byte("\n")), ok: true}
	if !s.lit(deltaHead) {
		return nil
	}
	index := s.digits()
	var kind DeltaKind
	switch {
	case s.lit(deltaText):
		kind = DeltaText
	case s.lit(deltaJSON):
		kind = DeltaInputJSON
	case s.lit(deltaThinking):
		kind = DeltaThinking
	default:
		return nil
	}
	text := s.str()
	if !s.lit(`}}`) {
		return nil
	}
	rest := s.at
	ids, ok := s.tail()
	if !ok || !utf8.Valid(s.b) {
		return nil
	}

	f := &deltaFrame{delta: BlockDelta{Index: index, Kind: kind}}
	f.event.Event = &f.delta
	copied := text.from
	if text.escaped {
		// Escapes are left to encoding/json.
		if json.Unmarshal(s.b[text.from-1:text.to+1], &f.delta.Text) != nil {
			return nil
		}
		copied = rest
	}
	all := string(s.b[copied:])
	if !text.escaped {
		f.delta.Text = text.of(all, copied)
	}
	f.event.SessionID = ids[idSession].of(all, copied)
	f.event.ParentToolUseID = ids[idParent].of(all, copied)
	f.event.UUID = ids[idUUID].of(all, copied)
	f.event.APIMessageID = ids[idMessage].of(all, copied)
	return &f.event
}

// The keys that may follow the event.
const (
	idSession = iota
	idParent
	idUUID
	idMessage
	idCount
)

// tail consumes the rest of the line: `,"key":"string or null"` any number of
// times and the closing brace.
func (s *scanner) tail() (ids [idCount]span, ok bool) {
	for !s.lit(`}`) {
		var id int
		switch {
		case s.lit(`,"session_id":`):
			id = idSession
		case s.lit(`,"parent_tool_use_id":`):
			id = idParent
		case s.lit(`,"uuid":`):
			id = idUUID
		case s.lit(`,"api_message_id":`):
			id = idMessage
		default:
			return ids, false
		}
		if s.lit(`null`) {
			continue
		}
		if !s.lit(`"`) {
			return ids, false
		}
		ids[id] = s.str()
		if ids[id].escaped {
			return ids, false
		}
	}
	return ids, s.ok && s.at == len(s.b)
}
