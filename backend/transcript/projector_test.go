package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// The CLI's lines, as short as they can be.

func streamed(inner string) string { return streamedBy("", inner) }

func streamedBy(parent, inner string) string {
	return fmt.Sprintf(`{"type":"stream_event","event":%s,"parent_tool_use_id":%s}`, inner, orNull(parent))
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return `"` + s + `"`
}

func start(id string) string {
	return fmt.Sprintf(`{"type":"message_start","message":{"id":%q,"model":"m","usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":1}}}`, id)
}

func blockStart(index int, body string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, body)
}

func delta(index int, body string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, body)
}

func stop(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func text(index int, s string) string {
	return delta(index, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s))
}

func assistant(id, blocks string) string { return assistantBy("", id, blocks) }

func assistantBy(parent, id, blocks string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[%s]},"parent_tool_use_id":%s,"uuid":"u-%s"}`, id, blocks, orNull(parent), id)
}

func toolResult(id, content string) string {
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]},"parent_tool_use_id":null,"uuid":"u"}`, id, content)
}

// Words for what is not a line of the CLI.
const (
	doStop    = "STOP"
	doEndTurn = "END TURN"
	doDie     = "PROCESS ENDED"
)

// brief words an event; meter readings that are not of interest are left out by
// the caller.
func brief(e event.Event) string {
	var s string
	switch e := e.(type) {
	case *event.TextDelta:
		s = fmt.Sprintf("text %s %q", e.BlockID, e.Text)
		if e.Model != "" {
			s += " by " + e.Model
		}
	case *event.ThinkingStart:
		s = "thinking " + e.BlockID
	case *event.ThinkingDelta:
		s = fmt.Sprintf("thought %s %q %d", e.BlockID, e.Text, e.Tokens)
	case *event.ToolStart:
		s = fmt.Sprintf("tool %s %s %s", e.BlockID, e.ToolUseID, e.Name)
		if e.Server {
			s += " at the provider"
		}
	case *event.ToolInput:
		s = fmt.Sprintf("input %s %s %q", e.ToolUseID, e.Name, e.Text)
	case *event.ToolPending:
		s = fmt.Sprintf("pending %s %s %s", e.ToolUseID, e.Name, e.Input)
	case *event.ToolResult:
		s = fmt.Sprintf("result %s %q error=%v", e.ToolUseID, e.Name, e.IsError)
		for _, c := range e.Content {
			s += fmt.Sprintf(" [%s %s%s %s]", c.Type, c.MediaType, c.Data, c.Text)
		}
		if e.Structured != nil {
			s += " " + string(e.Structured)
		}
	case *event.BlockEnd:
		s = "end " + e.BlockID
		if e.Stopped {
			s += " stopped"
		}
	case *event.ContextUpdate:
		s = fmt.Sprintf("context %d of %d (%s)", e.Used, e.Window, e.WindowSource)
	case *event.UserMessage:
		s = fmt.Sprintf("user %s %q", e.MessageID, e.Text)
		if e.Synthetic {
			s += " synthetic"
		}
	case *event.Status:
		s = strings.TrimSpace(fmt.Sprintf("status %s %s", e.Status, e.Message))
		if e.Retry != nil {
			s += fmt.Sprintf(" %+v", *e.Retry)
		}
	case *event.Compaction:
		s = strings.TrimSpace(fmt.Sprintf("compaction %s %s %d→%d %s", e.Phase, e.Trigger, e.PreTokens, e.PostTokens, e.Error))
	case *event.Result:
		s = fmt.Sprintf("account %s error=%v %q $%.2f of $%.2f", e.Subtype, e.IsError, e.Text, e.CostUSD, e.TotalCostUSD)
		if len(e.Denials) > 0 {
			s += fmt.Sprintf(" denied %v", e.Denials)
		}
	case *event.Error:
		s = fmt.Sprintf("error %s %q", e.Code, e.Message)
	case *event.TaskUpdate:
		s = fmt.Sprintf("task %s %s %s", e.Task.TaskID, e.Task.Status, e.Task.Description)
	case *event.Ready:
		s = fmt.Sprintf("ready %s %s %s %v", e.CLISessionID, e.Model, e.PermissionMode, e.MCPServers)
	default:
		s = fmt.Sprintf("%T", e)
	}
	if parent := e.Header().ParentToolUseID; parent != "" {
		s += " <" + parent
	}
	return s
}

// project gives the events of lines as words, without the meter unless it is
// asked for.
func project(t testing.TB, p *Projector, meter bool, lines ...string) []string {
	t.Helper()
	var got []string
	for _, line := range lines {
		var events []event.Event
		switch line {
		case doStop:
			events = p.Stop()
		case doEndTurn:
			events = p.EndTurn()
		case doDie:
			events = p.ProcessEnded()
		default:
			f, err := wire.Decode([]byte(line))
			if err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if u, ok := f.(*wire.Unknown); ok {
				t.Fatalf("not a known frame (%s): %s", u.Reason, line)
			}
			events = p.Frame(f)
		}
		for _, e := range events {
			if _, ok := e.(*event.ContextUpdate); ok && !meter {
				continue
			}
			got = append(got, brief(e))
		}
	}
	return got
}

type projection struct {
	name  string
	meter bool
	lines []string
	want  []string
}

func run(t *testing.T, tests []projection) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := project(t, NewProjector(), tt.meter, tt.lines...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	run(t, []projection{
		{
			name: "text that is streamed",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "Hel")), streamed(text(0, "lo")),
				assistant("a", `{"type":"text","text":"Hello"}`), streamed(stop(0)), streamed(`{"type":"message_stop"}`),
			},
			want: []string{`text a:0 "Hel" by m`, `text a:0 "lo"`, `end a:0`},
		},
		{
			name:  "text that is not streamed",
			lines: []string{assistant("a", `{"type":"text","text":"Hello"}`)},
			want:  []string{`text a:0 "Hello" by m`, `end a:0`},
		},
		{
			name: "the finished text is longer than what was streamed",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":"He"}`)),
				assistant("a", `{"type":"text","text":"Hello"}`), streamed(stop(0)),
			},
			want: []string{`text a:0 "He" by m`, `text a:0 "llo"`, `end a:0`},
		},
		{
			name: "a block that was streamed empty and has text after all",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(stop(0)),
				assistant("a", `{"type":"text","text":"Hello"}`), doEndTurn,
			},
			want: []string{`text a:0 "Hello" by m`, `end a:0`},
		},
		{
			name: "an empty text shows nothing",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(stop(0)),
				assistant("a", `{"type":"text","text":""}`), assistant("b", `{"type":"text","text":""}`), doEndTurn,
			},
		},
		{
			name: "thinking",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"thinking","thinking":""}`)),
				streamed(delta(0, `{"type":"thinking_delta","thinking":"hm"}`)), streamed(delta(0, `{"type":"signature_delta","signature":"s"}`)),
				assistant("a", `{"type":"thinking","thinking":"hmm","signature":"s"}`), streamed(stop(0)),
			},
			want: []string{`thinking a:0`, `thought a:0 "hm" 0`, `thought a:0 "m" 0`, `end a:0`},
		},
		{
			name: "hidden thinking only counts",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"thinking","thinking":""}`)),
				`{"type":"system","subtype":"thinking_tokens","estimated_tokens":50}`,
				streamed(delta(0, `{"type":"thinking_delta","thinking":"","estimated_tokens":90}`)),
				assistant("a", `{"type":"thinking","thinking":"","signature":"s"}`), streamed(stop(0)),
				`{"type":"system","subtype":"thinking_tokens","estimated_tokens":99}`,
			},
			want: []string{`thinking a:0`, `thought a:0 "" 50`, `thought a:0 "" 90`, `end a:0`},
		},
		{
			name: "redacted thinking",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"redacted_thinking","data":"x"}`)), streamed(stop(0)),
				assistant("a", `{"type":"redacted_thinking","data":"x"}`),
				assistant("b", `{"type":"redacted_thinking","data":"x"}`),
			},
			want: []string{`thinking a:0`, `end a:0`, `thinking b:0`, `end b:0`},
		},
		{
			name: "a tool that is streamed",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"tool_use","id":"t1","name":"Bash","input":{}}`)),
				streamed(delta(0, `{"type":"input_json_delta","partial_json":""}`)),
				streamed(delta(0, `{"type":"input_json_delta","partial_json":"{\"c\":"}`)), streamed(delta(0, `{"type":"input_json_delta","partial_json":"1}"}`)),
				assistant("a", `{"type":"tool_use","id":"t1","name":"Bash","input":{"c":1}}`), streamed(stop(0)), toolResult("t1", "ok"),
			},
			want: []string{
				`tool a:0 t1 Bash`, `input t1 Bash "{\"c\":"`, `input t1 Bash "1}"`, `pending t1 Bash {"c":1}`, `end a:0`,
				`result t1 "Bash" error=false [text  ok]`,
			},
		},
		{
			name:  "a tool that is not streamed and has no input",
			lines: []string{assistant("a", `{"type":"tool_use","id":"t1","name":"Bash"}`)},
			want:  []string{`tool a:0 t1 Bash`, `pending t1 Bash {}`, `end a:0`},
		},
		{
			name: "a tool of the provider",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`)), streamed(stop(0)),
				streamed(blockStart(1, `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result"}]}`)), streamed(stop(1)),
				assistant("a", `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}}`),
				assistant("a", `{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result"}]}`),
			},
			want: []string{
				`tool a:0 s1 web_search at the provider`, `end a:0`,
				`result s1 "web_search" error=false {"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result"}]}`,
				`pending s1 web_search {"q":"x"}`,
			},
		},
		{
			name: "a tool of the provider that failed",
			lines: []string{
				assistant("a", `{"type":"server_tool_use","id":"s1","name":"web_fetch","input":{}}`+","+
					`{"type":"web_fetch_tool_result","tool_use_id":"s1","content":{"type":"web_fetch_tool_result_error","error_code":"unavailable"}}`),
			},
			want: []string{
				`tool a:0 s1 web_fetch at the provider`, `pending s1 web_fetch {}`, `end a:0`,
				`result s1 "web_fetch" error=true [text  unavailable] {"type":"web_fetch_tool_result","tool_use_id":"s1","content":{"type":"web_fetch_tool_result_error","error_code":"unavailable"}}`,
			},
		},
		{
			name: "blocks of a new kind are left out",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"hologram","x":1}`)), streamed(delta(0, `{"type":"hologram_delta"}`)), streamed(stop(0)),
				streamed(blockStart(1, `{"type":"text","text":""}`)), streamed(text(1, "Hi")), streamed(stop(1)),
				assistant("a", `{"type":"hologram","x":1}`), assistant("a", `{"type":"text","text":"Hi"}`),
			},
			want: []string{`text a:1 "Hi" by m`, `end a:1`},
		},
		{
			name: "a finished block that is left out does not shift the rest",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(stop(0)),
				streamed(blockStart(1, `{"type":"tool_use","id":"t1","name":"Bash","input":{}}`)),
				assistant("a", `{"type":"tool_use","id":"t1","name":"Bash","input":{"c":1}}`), streamed(stop(1)),
			},
			want: []string{`tool a:1 t1 Bash`, `pending t1 Bash {"c":1}`, `end a:1`},
		},
		{
			name: "messages without an id are kept apart",
			lines: []string{
				`{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"one"}]},"uuid":"u1"}`,
				`{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"two"}]},"uuid":"u2"}`,
				`{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"three"}]}}`,
			},
			want: []string{
				`text u1:0 "one" by m`, `end u1:0`, `text u2:0 "two" by m`, `end u2:0`, `text assistant-1:0 "three" by m`, `end assistant-1:0`,
			},
		},
		{
			name: "a stream that broke off is closed by the next message",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "Hel")),
				streamed(start("b")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "Hello")), streamed(stop(0)), doEndTurn,
			},
			want: []string{`text a:0 "Hel" by m`, `end a:0 stopped`, `text b:0 "Hello" by m`, `end b:0`},
		},
		{
			name: "a stream that broke off and comes again whole",
			lines: []string{
				streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "Hel")),
				assistant("b", `{"type":"text","text":"Hello"}`),
			},
			want: []string{`text a:0 "Hel" by m`, `end a:0 stopped`, `text b:0 "Hello" by m`, `end b:0`},
		},
		{
			name: "text the CLI made itself",
			lines: []string{
				`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"Context: 3 %"}],"usage":{"input_tokens":9}}}`,
			},
			meter: true,
			want:  []string{`text x:0 "Context: 3 %" by <synthetic>`, `end x:0`},
		},
	})
}

func TestToolResults(t *testing.T) {
	two := assistant("a", `{"type":"tool_use","id":"t1","name":"Read","input":{}},{"type":"tool_use","id":"t2","name":"Bash","input":{}}`)
	opened := []string{`tool a:0 t1 Read`, `pending t1 Read {}`, `end a:0`, `tool a:1 t2 Bash`, `pending t2 Bash {}`, `end a:1`}
	run(t, []projection{
		{
			name:  "parallel tools, out of order, the second time dropped",
			lines: []string{two, toolResult("t2", "B"), toolResult("t1", "A"), toolResult("t2", "B again")},
			want:  slices.Concat(opened, []string{`result t2 "Bash" error=false [text  B]`, `result t1 "Read" error=false [text  A]`}),
		},
		{
			name: "a late result, after the turn",
			lines: []string{
				two, doEndTurn, assistant("b", `{"type":"text","text":"x"}`), toolResult("t1", "late"),
			},
			want: slices.Concat(opened, []string{`text b:0 "x" by m`, `end b:0`, `result t1 "Read" error=false [text  late]`}),
		},
		{
			name: "both in one frame: the structured result cannot be told apart",
			lines: []string{
				two, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"A"},{"type":"tool_result","tool_use_id":"t2","content":"B","is_error":true}]},"tool_use_result":{"stdout":"?"}}`,
			},
			want: slices.Concat(opened, []string{`result t1 "Read" error=false [text  A]`, `result t2 "Bash" error=true [text  B]`}),
		},
		{
			name: "a structured result",
			lines: []string{
				two, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"B"}]},"tool_use_result":{"stdout":"B"}}`,
				`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"A"}]},"tool_use_result":"Error: A"}`,
			},
			want: slices.Concat(opened, []string{`result t2 "Bash" error=false [text  B] {"stdout":"B"}`, `result t1 "Read" error=false [text  A]`}),
		},
		{
			name: "images and things of a new kind",
			lines: []string{
				two, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"tool_reference","tool_name":"X"}]}]}}`,
			},
			want: slices.Concat(opened, []string{`result t1 "Read" error=false [text  see] [image image/pngAAAA ] [other  {"type":"tool_reference","tool_name":"X"}]`}),
		},
		{
			name:  "no content at all",
			lines: []string{two, `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}`},
			want:  slices.Concat(opened, []string{`result t1 "Read" error=false`}),
		},
		{
			name:  "a tool nobody knows",
			lines: []string{toolResult("t9", "x")},
			want:  []string{`result t9 "" error=false [text  x]`},
		},
	})
}

func TestSubagents(t *testing.T) {
	run(t, []projection{
		{
			name: "not streamed, while the main thread streams",
			lines: []string{
				assistant("a", `{"type":"tool_use","id":"t1","name":"Task","input":{}}`), streamed(start("b")),
				streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "wa")),
				`{"type":"user","message":{"content":[{"type":"text","text":"Look."}]},"parent_tool_use_id":"t1","uuid":"u1"}`,
				assistantBy("t1", "s", `{"type":"tool_use","id":"t2","name":"Bash","input":{}}`),
				streamed(text(0, "it")),
				`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"ok"}]},"parent_tool_use_id":"t1"}`,
				assistantBy("t1", "s2", `{"type":"text","text":"seen"}`),
				streamed(stop(0)), toolResult("t1", "done"),
			},
			want: []string{
				`tool a:0 t1 Task`, `pending t1 Task {}`, `end a:0`, `text b:0 "wa" by m`,
				`user u1 "Look." synthetic <t1`, `tool s:0 t2 Bash <t1`, `pending t2 Bash {} <t1`, `end s:0 <t1`,
				`text b:0 "it"`, `result t2 "Bash" error=false [text  ok] <t1`, `text s2:0 "seen" by m <t1`, `end s2:0 <t1`,
				`end b:0`, `result t1 "Task" error=false [text  done]`,
			},
		},
		{
			name: "two that stream at once",
			lines: []string{
				streamedBy("t1", start("s1")), streamedBy("t2", start("s2")),
				streamedBy("t1", blockStart(0, `{"type":"text","text":""}`)), streamedBy("t2", blockStart(0, `{"type":"text","text":""}`)),
				streamedBy("t1", text(0, "one")), streamedBy("t2", text(0, "two")), streamedBy("t1", stop(0)),
				doEndTurn, streamedBy("t2", text(0, "!")), doStop,
			},
			want: []string{
				`text s1:0 "one" by m <t1`, `text s2:0 "two" by m <t2`, `end s1:0 <t1`, `text s2:0 "!" <t2`, `end s2:0 stopped <t2`,
			},
		},
		{
			name: "a result without a parent belongs where its tool does",
			lines: []string{
				assistantBy("t1", "s", `{"type":"tool_use","id":"t2","name":"Bash","input":{}}`), toolResult("t2", "ok"),
			},
			want: []string{`tool s:0 t2 Bash <t1`, `pending t2 Bash {} <t1`, `end s:0 <t1`, `result t2 "Bash" error=false [text  ok] <t1`},
		},
		{
			name:  "their usage is not the meter's",
			meter: true,
			lines: []string{
				streamedBy("t1", start("s1")), streamedBy("t1", `{"type":"message_delta","delta":{},"usage":{"output_tokens":9}}`),
				`{"type":"assistant","message":{"id":"s2","model":"m","content":[],"usage":{"input_tokens":77}},"parent_tool_use_id":"t1"}`,
			},
		},
	})
}

func TestStopping(t *testing.T) {
	open := []string{
		streamed(start("a")), streamed(blockStart(0, `{"type":"text","text":""}`)), streamed(text(0, "Hel")), streamed(stop(0)),
		streamed(blockStart(1, `{"type":"tool_use","id":"t1","name":"Bash","input":{}}`)), streamed(delta(1, `{"type":"input_json_delta","partial_json":"{"}`)),
	}
	opened := []string{`text a:0 "Hel" by m`, `end a:0`, `tool a:1 t1 Bash`, `input t1 Bash "{"`}
	run(t, []projection{
		{
			name: "what the CLI still says about the message is ignored",
			lines: slices.Concat(open, []string{
				doStop, streamed(delta(1, `{"type":"input_json_delta","partial_json":"}"}`)), streamed(blockStart(2, `{"type":"text","text":"more"}`)),
				assistant("a", `{"type":"text","text":"Hello there"}`), streamed(stop(1)), doStop, doEndTurn,
			}),
			want: slices.Concat(opened, []string{`end a:1 stopped`}),
		},
		{
			name: "the mark that the CLI leaves is not shown, its result is",
			lines: slices.Concat(open, []string{
				doStop, `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`,
				toolResult("t1", "refused"),
			}),
			want: slices.Concat(opened, []string{`end a:1 stopped`, `result t1 "Bash" error=false [text  refused]`}),
		},
		{
			name:  "the next message is shown",
			lines: slices.Concat(open, []string{doStop, assistant("b", `{"type":"text","text":"go on"}`)}),
			want:  slices.Concat(opened, []string{`end a:1 stopped`, `text b:0 "go on" by m`, `end b:0`}),
		},
		{
			name:  "a process that ends leaves nothing open",
			lines: slices.Concat(open, []string{streamedBy("t9", start("s")), streamedBy("t9", blockStart(0, `{"type":"text","text":"x"}`)), doDie, doStop}),
			want:  slices.Concat(opened, []string{`text s:0 "x" by m <t9`, `end a:1 stopped`, `end s:0 stopped <t9`}),
		},
		{
			name:  "nor does /clear",
			lines: slices.Concat(open, []string{`{"type":"conversation_reset","new_conversation_id":"n"}`, doStop}),
			want:  slices.Concat(opened, []string{`end a:1 stopped`, `status cleared`}),
		},
	})
}

func TestMeter(t *testing.T) {
	call := func(in int) string {
		return streamed(fmt.Sprintf(`{"type":"message_start","message":{"id":"m%d","model":"m","usage":{"input_tokens":%d,"cache_read_input_tokens":1000,"cache_creation_input_tokens":100,"output_tokens":1}}}`, in, in))
	}
	output := func(n int) string {
		return streamed(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":%d}}`, n))
	}
	result := func(window int) string {
		return fmt.Sprintf(`{"type":"result","subtype":"success","usage":{"input_tokens":999999},"modelUsage":{"m":{"contextWindow":%d}}}`, window)
	}
	run(t, []projection{
		{
			name: "a call replaces the one before; output is added; the window comes with the result", meter: true,
			lines: []string{call(10), output(50), call(20), output(5), result(1_000_000), result(1_000_000)},
			want: []string{
				`context 1111 of 200000 (default)`, `context 1160 of 200000 (default)`,
				`context 1121 of 200000 (default)`, `context 1125 of 200000 (default)`,
				`context 1125 of 1000000 (cli)`, `account success error=false "" $0.00 of $0.00`,
				`account success error=false "" $0.00 of $0.00`,
			},
		},
		{
			name: "a call that was not streamed counts; a repeated block does not", meter: true,
			lines: []string{
				`{"type":"assistant","message":{"id":"a","model":"m","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":5,"output_tokens":2}}}`,
				`{"type":"assistant","message":{"id":"a","model":"m","content":[{"type":"text","text":"y"}],"usage":{"input_tokens":5,"output_tokens":2}}}`,
			},
			want: []string{`context 7 of 200000 (default)`, `text a:0 "x" by m`, `end a:0`, `text a:1 "y" by m`, `end a:1`},
		},
		{
			name: "compaction and clear start again", meter: true,
			lines: []string{
				call(10), `{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":1111,"post_tokens":300}}`,
				`{"type":"conversation_reset"}`,
			},
			want: []string{
				`context 1111 of 200000 (default)`, `compaction finished auto 1111→300`, `context 300 of 200000 (default)`,
				`status cleared`, `context 0 of 200000 (default)`,
			},
		},
		{
			name: "a suffix of the model's name says the window", meter: true,
			lines: []string{
				`{"type":"system","subtype":"init","session_id":"s","model":"m[1m]","permissionMode":"plan","mcp_servers":[{"name":"parley","status":"connected"}]}`,
				streamed(`{"type":"message_start","message":{"id":"a","model":"m[1m]","usage":{"input_tokens":5}}}`),
			},
			want: []string{`ready s m[1m] plan [{parley connected}]`, `context 5 of 1000000 (model)`},
		},
	})
	p := NewProjector()
	if _, known := p.Context(); known {
		t.Error("the context is known before the first call")
	}
	project(t, p, true, call(10))
	if c, known := p.Context(); !known || c.Used != 1111 {
		t.Errorf("context %+v, known %v", c, known)
	}
	project(t, p, true, `{"type":"conversation_reset"}`)
	if _, known := p.Context(); known {
		t.Error("the context is known after /clear")
	}
}

func TestSystemFrames(t *testing.T) {
	notice := func(line, message string) projection {
		p := projection{name: line, lines: []string{line}}
		if message != "" {
			p.want = []string{"status notice " + message}
		}
		return p
	}
	run(t, []projection{
		{
			name: "compaction", lines: []string{
				`{"type":"system","subtype":"status","status":"compacting"}`,
				`{"type":"system","subtype":"status","status":null,"compact_result":"success"}`,
				`{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"manual","pre_tokens":9}}`,
				`{"type":"user","message":{"content":"This session is being continued"},"isSynthetic":true,"uuid":"u1"}`,
				`{"type":"user","message":{"content":"<local-command-stdout>Compacted</local-command-stdout>"},"isReplay":true,"uuid":"u2"}`,
			},
			want: []string{
				`compaction started  0→0`, `status compacting`, `compaction finished manual 9→0`, `user u1 "This session is being continued" synthetic`,
			},
		},
		{
			name: "compaction that failed", lines: []string{
				`{"type":"system","subtype":"status","status":"compacting"}`,
				`{"type":"system","subtype":"status","status":null,"compact_result":"failed","compact_error":"Not enough messages to compact."}`,
			},
			want: []string{`compaction started  0→0`, `status compacting`, `compaction failed  0→0 Not enough messages to compact.`},
		},
		{
			name: "a retry", lines: []string{
				`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":512.5,"error_status":529,"error":"overloaded"}`,
				`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1000,"error_status":null,"error":"connection"}`,
			},
			want: []string{
				`status retrying {Attempt:1 MaxRetries:10 DelayMs:512 HTTPStatus:529 Error:overloaded}`,
				`status retrying {Attempt:2 MaxRetries:10 DelayMs:1000 HTTPStatus:0 Error:connection}`,
			},
		},
		notice(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour"}}`, "Your five-hour allowance is used up."),
		notice(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"seven_day"}}`, "Your seven-day allowance is nearly used up."),
		notice(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}`, ""),
		notice(`{"type":"system","subtype":"notification","text":"Take note."}`, "Take note."),
		notice(`{"type":"system","subtype":"informational","content":"For your information."}`, "For your information."),
		notice(`{"type":"system","subtype":"local_command_output","content":"output"}`, "output"),
		notice(`{"type":"system","subtype":"permission_denied","tool_name":"Bash","decision_reason":"a rule"}`, "Bash was refused without asking: a rule"),
		notice(`{"type":"system","subtype":"session_writes_lost","error_code":"ENOSPC"}`,
			"The CLI could not save the conversation (ENOSPC). Free some disk space; what is missing cannot be resumed."),
		notice(`{"type":"auth_status","output":["one","two"]}`, "one\ntwo"),
		notice(`{"type":"keep_alive"}`, ""),
		notice(`{"type":"tool_progress","tool_use_id":"t"}`, ""),
	})
}

func TestTasks(t *testing.T) {
	started := `{"type":"system","subtype":"task_started","task_id":"b1","tool_use_id":"t1","description":"build","is_backgrounded":true,"task_type":"local_bash"}`
	run(t, []projection{
		{
			name: "from start to end",
			lines: []string{
				`{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b1"}]}`, started,
				`{"type":"system","subtype":"task_progress","task_id":"b1","usage":{"total_tokens":5},"last_tool_name":"Bash"}`,
				`{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"pending","description":"build it"}}`,
				`{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"completed"}}`,
				`{"type":"system","subtype":"task_notification","task_id":"b1","status":"completed","summary":"built"}`,
				`{"type":"system","subtype":"background_tasks_changed","tasks":[]}`,
			},
			want: []string{
				`task b1 running build`, `task b1 running build`, `task b1 running build it`, `task b1 completed build it`, `task b1 completed build it`,
			},
		},
		{
			name:  "the level settles an end that was missed",
			lines: []string{started, `{"type":"system","subtype":"background_tasks_changed","tasks":[]}`},
			want:  []string{`task b1 running build`, `task b1 completed build`},
		},
		{
			name:  "killed",
			lines: []string{started, `{"type":"system","subtype":"task_updated","task_id":"b1","patch":{"status":"killed","error":"x"}}`},
			want:  []string{`task b1 running build`, `task b1 stopped build`},
		},
		{
			name:  "its process died",
			lines: []string{started, doDie, doDie},
			want:  []string{`task b1 running build`, `task b1 stopped build`},
		},
		{
			name: "housekeeping is not shown, at no stage",
			lines: []string{
				`{"type":"system","subtype":"task_started","task_id":"h","skip_transcript":true}`,
				`{"type":"system","subtype":"task_started","task_id":"h2","ambient":true}`,
				`{"type":"system","subtype":"task_progress","task_id":"h"}`,
				`{"type":"system","subtype":"task_updated","task_id":"h2","patch":{"status":"completed"}}`,
				`{"type":"system","subtype":"task_notification","task_id":"h","status":"completed","skip_transcript":true}`,
			},
		},
	})
	p := NewProjector()
	project(t, p, false, started)
	if tasks := p.Tasks(); len(tasks) != 1 || tasks[0].ToolUseID != "t1" || tasks[0].Type != "local_bash" || !tasks[0].Background {
		t.Errorf("tasks: %+v", tasks)
	}
	project(t, p, false, `{"type":"system","subtype":"task_notification","task_id":"b1","status":"failed"}`)
	if tasks := p.Tasks(); tasks == nil || len(tasks) != 0 {
		t.Errorf("tasks after the end: %#v", tasks)
	}
}

func TestResults(t *testing.T) {
	run(t, []projection{
		{
			name: "the total becomes the turn's part",
			lines: []string{
				`{"type":"result","subtype":"success","result":"a","total_cost_usd":0.25}`,
				`{"type":"result","subtype":"success","result":"b","total_cost_usd":0.75,"permission_denials":[{"tool_name":"Bash"}]}`,
				`{"type":"conversation_reset"}`,
				`{"type":"result","subtype":"success","result":"c","total_cost_usd":0.5}`,
			},
			want: []string{
				`account success error=false "a" $0.25 of $0.25`, `account success error=false "b" $0.50 of $0.75 denied [Bash]`,
				`status cleared`, `account success error=false "c" $0.50 of $0.50`,
			},
		},
		{
			name:  "an interrupt is no failure",
			lines: []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools","errors":["x"]}`},
			want:  []string{`account error_during_execution error=true "x" $0.00 of $0.00`},
		},
	})
	failures := []struct{ name, fields, code, message string }{
		{"an error inside a success", `"subtype":"success","result":"API Error: 500","api_error_status":500`, "overloaded", "API Error: 500"},
		{"no account", `"subtype":"success","result":"no","api_error_status":401`, "no_account", "no"},
		{"forbidden", `"subtype":"success","result":"no","api_error_status":403`, "no_account", "no"},
		{"no money", `"subtype":"success","result":"no","api_error_status":402`, "billing", "no"},
		{"no model", `"subtype":"success","result":"no","api_error_status":404`, "model_not_found", "no"},
		{"too large", `"subtype":"success","result":"no","api_error_status":413`, "too_large", "no"},
		{"limited", `"subtype":"success","result":"no","api_error_status":429`, "rate_limit", "no"},
		{"a reason of its own", `"subtype":"error_during_execution","startup_failure_reason":"bad_flag","errors":["a","b"]`, "bad_flag", "a\nb"},
		{"too many turns", `"subtype":"error_max_turns"`, "max_turns", "The turn ended with an error (error_max_turns)."},
		{"anything else", `"subtype":"error_during_execution","errors":["odd"]`, "turn_failed", "odd"},
	}
	for _, tt := range failures {
		t.Run(tt.name, func(t *testing.T) {
			f, err := wire.Decode([]byte(`{"type":"result","is_error":true,` + tt.fields + `}`))
			if err != nil {
				t.Fatal(err)
			}
			events := NewProjector().Frame(f)
			e, ok := events[len(events)-1].(*event.Error)
			if !ok || e.Code != tt.code || e.Message != tt.message || e.Hint == "" {
				t.Errorf("got %+v, want code %s, message %q and a hint", events[len(events)-1], tt.code, tt.message)
			}
			if r := events[0].(*event.Result); !r.IsError {
				t.Error("the account says nothing of the error")
			}
		})
	}
}

func TestReadyHasNoNulls(t *testing.T) {
	f, err := wire.Decode([]byte(`{"type":"system","subtype":"init","session_id":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(NewProjector().Frame(f)[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "null") {
		t.Errorf("lists must not be null: %s", body)
	}
}

// A projector that lives long forgets the oldest, never what is under way.
func TestProjectorIsBounded(t *testing.T) {
	p := NewProjector()
	project(t, p, false, streamed(start("main")), streamed(blockStart(0, `{"type":"text","text":"a"}`)))
	var ends []string
	for i := range maxThreads + 50 {
		parent := fmt.Sprintf("t%d", i)
		for _, e := range project(t, p, false, streamedBy(parent, start(parent)), streamedBy(parent, blockStart(0, `{"type":"text","text":"x"}`))) {
			if strings.HasPrefix(e, "end ") {
				ends = append(ends, e)
			}
		}
	}
	if len(ends) != 50 || ends[0] != "end t0:0 stopped <t0" {
		t.Errorf("%d blocks of forgotten subagents were closed, want 50: %v", len(ends), ends)
	}
	if len(p.threads) > maxThreads+1 || len(p.threadOrder) > maxThreads {
		t.Errorf("%d threads are kept", len(p.threads))
	}
	if diff := cmp.Diff([]string{`text main:0 "b"`, `end main:0`}, project(t, p, false, streamed(text(0, "b")), streamed(stop(0)))); diff != "" {
		t.Errorf("the main thread after many subagents (-want +got):\n%s", diff)
	}
	for i := range maxTools + 50 {
		id := fmt.Sprintf("tool%d", i)
		p.toolStart(p.thread(""), &block{}, id, "Bash", false)
	}
	p.out = nil
	if len(p.tools) > maxTools || len(p.toolOrder) > maxTools {
		t.Errorf("%d tools are kept", len(p.tools))
	}
	newest := fmt.Sprintf("tool%d", maxTools+49)
	if got := project(t, p, false, toolResult(newest, "x")); len(got) != 1 || !strings.Contains(got[0], `"Bash"`) {
		t.Errorf("the newest tool's result: %v", got)
	}
	for i := range maxTasks + 50 {
		project(t, p, false, fmt.Sprintf(`{"type":"system","subtype":"task_started","task_id":"b%d"}`, i))
	}
	if len(p.tasks) > maxTasks || len(p.order) > maxTasks {
		t.Errorf("%d tasks are kept", len(p.tasks))
	}
}
