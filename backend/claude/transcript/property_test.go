package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// speaker generates CLI output on one thread, line by line: messages one after
// the other, each streamed or whole, some cut off anywhere.
type speaker struct {
	rnd    *rand.Rand
	parent string
	made   int
	lines  []string
	// whole holds the expected final text of a block, for blocks of messages that
	// weren't cut off.
	whole map[string]string
	tools []string
}

func (s *speaker) next() string {
	for len(s.lines) == 0 {
		s.message()
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line
}

func (s *speaker) message() {
	s.made++
	id := fmt.Sprintf("%s-%d", "m"+s.parent, s.made)
	streams := s.rnd.IntN(3) > 0
	var lines []string
	say := func(inner string) {
		if streams {
			lines = append(lines, streamedBy(s.parent, inner))
		}
	}
	say(start(id))
	whole := make(map[string]string)
	for i := range s.rnd.IntN(4) {
		var opens, finished string
		var pieces []string
		switch s.rnd.IntN(5) {
		case 0:
			opens, finished = `{"type":"thinking","thinking":""}`, `{"type":"thinking","thinking":"abc"}`
			pieces = []string{`{"type":"thinking_delta","thinking":"a"}`, `{"type":"thinking_delta","thinking":"b"}`, `{"type":"signature_delta","signature":"s"}`}
			whole[fmt.Sprintf("%s:%d", id, i)] = "abc"
		case 1:
			opens, finished = `{"type":"redacted_thinking","data":"x"}`, `{"type":"redacted_thinking","data":"x"}`
		case 2:
			tool := fmt.Sprintf("tool-%s-%d", id, i)
			s.tools = append(s.tools, tool)
			opens, finished = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, tool), fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"a":1}}`, tool)
			pieces = []string{`{"type":"input_json_delta","partial_json":"{\"a\":"}`, `{"type":"input_json_delta","partial_json":"1}"}`}
		case 3:
			opens, finished = `{"type":"hologram"}`, `{"type":"hologram"}`
		default:
			opens, finished = `{"type":"text","text":""}`, `{"type":"text","text":"Hello"}`
			pieces = []string{`{"type":"text_delta","text":"He"}`, `{"type":"text_delta","text":"l"}`}
			whole[fmt.Sprintf("%s:%d", id, i)] = "Hello"
		}
		say(blockStart(i, opens))
		for _, piece := range pieces {
			say(delta(i, piece))
		}
		line := assistantBy(s.parent, id, finished)
		if s.rnd.IntN(4) == 0 { // an older order
			say(stop(i))
			lines = append(lines, line)
		} else {
			lines = append(lines, line)
			say(stop(i))
		}
	}
	say(`{"type":"message_delta","delta":{},"usage":{"output_tokens":9}}`)
	say(`{"type":"message_stop"}`)
	if s.rnd.IntN(4) == 0 {
		lines = lines[:s.rnd.IntN(len(lines)+1)]
	} else {
		for id, text := range whole {
			s.whole[id] = text
		}
	}
	s.lines = lines
}

// TestRandomInterleavings mixes threads, results, stops, ends of turns and of
// processes. Every opened block is closed exactly once, at the latest by the end
// of its turn or a stop, and a message that wasn't cut off is complete.
func TestRandomInterleavings(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		p := NewProjector()
		var events []event.Event
		open := make(map[string]string) // block → parent
		text := make(map[string]string)
		stopped := make(map[string]bool)
		closed := make(map[string]bool) // text may still be added, but nothing reopens
		opens := func(id, parent string) {
			if !closed[id] {
				open[id] = parent
			}
		}
		take := func(es []event.Event) {
			for _, e := range es {
				events = append(events, e)
				parent := e.Header().ParentToolUseID
				switch e := e.(type) {
				case *event.TextDelta:
					opens(e.BlockID, parent)
					text[e.BlockID] += e.Text
				case *event.ThinkingStart:
					opens(e.BlockID, parent)
				case *event.ThinkingDelta:
					text[e.BlockID] += e.Text
				case *event.ToolStart:
					opens(e.BlockID, parent)
				case *event.BlockEnd:
					delete(open, e.BlockID)
					closed[e.BlockID] = true
					stopped[e.BlockID] = stopped[e.BlockID] || e.Stopped
				}
			}
		}
		whole := make(map[string]string)
		speakers := []*speaker{}
		for _, parent := range []string{"", "p1", "p2"} {
			speakers = append(speakers, &speaker{rnd: rnd, parent: parent, whole: whole})
		}
		interrupted := false
		for range 300 {
			s := speakers[rnd.IntN(len(speakers))]
			chance := rnd.IntN(60)
			if seed%2 == 0 && chance < 3 {
				chance = 59 // every second run is undisturbed
			}
			switch chance {
			case 0:
				take(p.Stop())
				interrupted = true
				if len(open) > 0 {
					t.Fatalf("seed %d: open after a stop: %v", seed, open)
				}
			case 1:
				take(p.EndTurn())
				interrupted = true // the main thread's current work is over
				for id, parent := range open {
					if parent == "" {
						t.Fatalf("seed %d: block %s is open after its turn", seed, id)
					}
				}
			case 2:
				take(p.ProcessEnded())
				for _, s := range speakers {
					s.lines = nil
				}
				interrupted = true
				if len(open) > 0 {
					t.Fatalf("seed %d: open after the process ended: %v", seed, open)
				}
			case 3, 4, 5, 6:
				if len(s.tools) > 0 {
					f, err := wire.Decode([]byte(toolResult(s.tools[rnd.IntN(len(s.tools))], "ok")))
					if err != nil {
						t.Fatal(err)
					}
					take(p.Frame(f))
				}
			default:
				f, err := wire.Decode([]byte(s.next()))
				if err != nil {
					t.Fatal(err)
				}
				take(p.Frame(f))
			}
		}
		if interrupted == (seed%2 == 0) {
			t.Fatalf("seed %d: disturbed %v", seed, interrupted)
		}
		if !interrupted { // let everything finish
			for _, s := range speakers {
				for len(s.lines) > 0 {
					f, err := wire.Decode([]byte(s.next()))
					if err != nil {
						t.Fatal(err)
					}
					take(p.Frame(f))
				}
			}
			for id, want := range whole {
				if got := text[id]; got != want || stopped[id] {
					t.Fatalf("seed %d: block %s holds %q (cut off: %v), want %q", seed, id, got, stopped[id], want)
				}
			}
		}
		take(p.Stop())
		checkBlocks(t, events)
		results := make(map[string]int)
		pending := make(map[string]int)
		for _, e := range events {
			switch e := e.(type) {
			case *event.ToolResult:
				results[e.ToolUseID]++
			case *event.ToolPending:
				pending[e.ToolUseID]++
			}
		}
		for id, n := range pending {
			if n > 1 {
				t.Errorf("seed %d: tool %s is pending %d times", seed, id, n)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestTruncatedCaptures truncates the real CLI's output at every third line: all open
// blocks are closed.
func TestTruncatedCaptures(t *testing.T) {
	for name, capture := range captures(t) {
		t.Run(name, func(t *testing.T) {
			lines := bytes.SplitAfter(capture, []byte("\n"))
			for n := 0; n < len(lines); n += 3 {
				s := newStage()
				s.play(t, bytes.Join(lines[:n], nil))
				s.take(s.p.Stop()...)
				checkBlocks(t, s.events)
				if t.Failed() {
					t.Fatalf("cut off after %d lines", n)
				}
			}
		})
	}
}

// FuzzLinesToMessages feeds any lines through decoder, projector and log.
func FuzzLinesToMessages(f *testing.F) {
	for _, capture := range captures(f) {
		lines := bytes.SplitAfterN(capture, []byte("\n"), 40)
		f.Add(bytes.Join(lines[:len(lines)-1], nil), uint8(0))
	}
	const far = `{"type":"stream_event","event":{"type":"content_block_start","index":9000000000000000000,"content_block":{"type":"text"}}}` + "\n"
	f.Add([]byte(far+`{"type":"assistant","message":{"content":[{"type":"thinking"}]}}`+"\n"+`{"type":"system","subtype":"thinking_tokens"}`), uint8(9))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}`), uint8(1))
	f.Add([]byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":9999,"delta":{"type":"text_delta","text":"x"}}}`), uint8(1))
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result"}]},"tool_use_result":[1]}`), uint8(1))
	f.Fuzz(func(t *testing.T, lines []byte, every uint8) {
		p, l := NewProjector(), NewLog(5, 2000)
		n := 0
		take := func(events []event.Event) {
			for _, e := range events {
				if _, err := json.Marshal(e); err != nil {
					t.Fatalf("%s cannot be sent: %v", e.EventName(), err)
				}
			}
			apply(l, "t", events...)
		}
		for line := range bytes.Lines(lines) {
			frame, err := wire.Decode(line)
			if err != nil {
				continue
			}
			take(p.Frame(frame))
			n++
			switch {
			case every > 0 && n%int(every) == 0:
				take(p.Stop())
			case every > 1 && n%int(every) == 1:
				take(p.EndTurn())
			}
		}
		take(p.ProcessEnded())
		checkBounds(t, l)
		if _, err := json.Marshal(l.Page(3, "")); err != nil {
			t.Fatal(err)
		}
	})
}

// longAnswer is a streamed answer of n deltas in the CLI's format.
func longAnswer(n int) []byte {
	var out bytes.Buffer
	envelope := func(inner, extra string) {
		fmt.Fprintf(&out, `{"type":"stream_event","event":%s,"session_id":"849c9af1-557a-485d-9e01-24215c1a2f74","parent_tool_use_id":null,"uuid":"61898385-123b-46b1-a98e-%012d"%s}`+"\n", inner, out.Len(), extra)
	}
	envelope(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_read_input_tokens":2000,"cache_creation_input_tokens":300,"output_tokens":1}}}`, "")
	envelope(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `,"api_message_id":"msg_1"`)
	for i := range n {
		envelope(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word%d "}}`, i), `,"api_message_id":"msg_1"`)
	}
	envelope(`{"type":"content_block_stop","index":0}`, `,"api_message_id":"msg_1"`)
	envelope(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":20000}}`, `,"api_message_id":"msg_1"`)
	envelope(`{"type":"message_stop"}`, `,"api_message_id":"msg_1"`)
	return out.Bytes()
}

// BenchmarkDecodeAndProject turns a streamed answer of 20,000 deltas into events.
func BenchmarkDecodeAndProject(b *testing.B) {
	const deltas = 20_000
	lines := longAnswer(deltas)
	b.SetBytes(int64(len(lines)))
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		p := NewProjector()
		events = 0
		for line := range bytes.Lines(lines) {
			f, err := wire.Decode(line)
			if err != nil {
				b.Fatal(err)
			}
			events += len(p.Frame(f))
		}
	}
	if events < deltas {
		b.Fatalf("%d events of %d deltas", events, deltas)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}

// BenchmarkLog logs the conversation of the same answer, merged as by a
// session: some 80 deltas a second at the CLI's top speed.
func BenchmarkLog(b *testing.B) {
	const deltas, merged = 20_000, 200
	p := NewProjector()
	var events []event.Event
	for line := range bytes.Lines(longAnswer(deltas)) {
		f, err := wire.Decode(line)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range p.Frame(f) {
			if d, ok := e.(*event.TextDelta); ok && len(events) > 0 {
				if before, ok := events[len(events)-1].(*event.TextDelta); ok && len(before.Text) < merged*10 {
					before.Text += d.Text
					continue
				}
			}
			events = append(events, e)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		l := NewLog(2000, 32<<20)
		for _, e := range events {
			l.Apply(e)
		}
	}
}
