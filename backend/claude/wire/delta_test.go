package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

const sampleDelta = `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}},"session_id":"849c9af1-557a-485d-9e01-24215c1a2f74","parent_tool_use_id":null,"uuid":"61898385-123b-46b1-a98e-a1dece91adc5","api_message_id":"msg_01"}` + "\n"

// The fast path accepts the sample; otherwise the other tests would compare the
// slow path with itself.
func TestDecodeDeltaTakesTheUsualLine(t *testing.T) {
	if decodeDelta([]byte(sampleDelta)) == nil {
		t.Fatal("the usual delta line takes the slow path")
	}
	line := []byte(sampleDelta)
	if n := testing.AllocsPerRun(100, func() { decodeDelta(line) }); n > 2 {
		t.Errorf("%v allocations for a delta, want at most 2", n)
	}
}

// FuzzDecode compares the fast path with the slow one, and checks the
// guarantees of the slow one.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(sampleDelta))
	for _, s := range []string{
		`{"type":"stream_event","event":{"type":"content_block_delta","index":10,"delta":{"type":"thinking_delta","thinking":"a\u00e9\n\ud800"}},"uuid":"u","uuid":null}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":00,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}},"parent_tool_use_id":"t"}`,
		`{"type":"stream_event","event":{"type":"message_delta","delta":{},"usage":{"output_tokens":3}}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"image"}]}]}}`,
		`{"type":"system","subtype":"init","tools":["a"]}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"x","input":{}}}`,
		`{"subtype":"success","type":"result","is_error":true}`,
		"{\"type\":\"x\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		fast := decodeDelta(line)
		slow, err := decodeAny(line)
		trimmed := bytes.TrimLeft(line, " \t\r\n")
		if isObject := json.Valid(line) && trimmed[0] == '{'; isObject != (err == nil) {
			t.Fatalf("object %v, error %v", isObject, err)
		}
		if err != nil && !errors.Is(err, ErrNotObject) {
			t.Fatalf("error %v", err)
		}
		if err == nil && slow == nil {
			t.Fatal("no frame and no error")
		}
		if fast != nil {
			if diff := cmp.Diff(slow, Frame(fast)); diff != "" {
				t.Fatalf("fast path differs (-slow +fast):\n%s", diff)
			}
		}
	})
}

// The alternatives, to make the choice reproducible.
func BenchmarkDecodeDelta(b *testing.B) {
	line := []byte(sampleDelta)
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(line); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decodeAny(line); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gjson", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if !gjson.ValidBytes(line) {
				b.Fatal("invalid")
			}
			r := gjson.GetManyBytes(line, "type", "event.type", "event.index", "event.delta.type", "event.delta.text",
				"session_id", "parent_tool_use_id", "uuid", "api_message_id")
			sinkFrame = &StreamEvent{Event: &BlockDelta{Index: int(r[2].Int()), Text: r[4].Str}}
		}
	})
}

// BenchmarkDecodeStream decodes a long answer: 20,000 deltas and their surrounding
// events.
func BenchmarkDecodeStream(b *testing.B) {
	var stream bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&stream, `{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word%d\n"}},"session_id":"849c9af1-557a-485d-9e01-24215c1a2f74","parent_tool_use_id":null,"uuid":"61898385-123b-46b1-a98e-%012d","api_message_id":"msg_01"}`+"\n", i, i)
	}
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for line := range bytes.Lines(stream.Bytes()) {
			f, err := Decode(line)
			if err != nil {
				b.Fatal(err)
			}
			sinkFrame = f
		}
	}
}

var sinkFrame Frame
