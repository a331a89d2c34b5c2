package transcript

import (
	"slices"
	"testing"
)

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
			want: slices.Concat(opened, []string{
				`result t1 "Read" error=true cutOff`, `result t2 "Bash" error=true cutOff`,
				`text b:0 "x" by m`, `end b:0`, `result t1 "Read" error=false [text  late]`,
			}),
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
			want: slices.Concat(opened, []string{`end a:1 stopped`, `result t1 "Bash" error=true notRun interrupted`}),
		},
		{
			name: "the mark that the CLI leaves is not shown, its result is",
			lines: slices.Concat(open, []string{
				doStop, `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`,
				toolResult("t1", "refused"),
			}),
			want: slices.Concat(opened, []string{`end a:1 stopped`, `result t1 "Bash" error=true notRun interrupted`, `result t1 "Bash" error=false [text  refused]`}),
		},
		{
			name:  "the next message is shown",
			lines: slices.Concat(open, []string{doStop, assistant("b", `{"type":"text","text":"go on"}`)}),
			want:  slices.Concat(opened, []string{`end a:1 stopped`, `result t1 "Bash" error=true notRun interrupted`, `text b:0 "go on" by m`, `end b:0`}),
		},
		{
			name:  "a process that ends leaves nothing open",
			lines: slices.Concat(open, []string{streamedBy("t9", start("s")), streamedBy("t9", blockStart(0, `{"type":"text","text":"x"}`)), doDie, doStop}),
			want:  slices.Concat(opened, []string{`text s:0 "x" by m <t9`, `end a:1 stopped`, `end s:0 stopped <t9`, `result t1 "Bash" error=true notRun interrupted`}),
		},
		{
			name:  "nor does /clear",
			lines: slices.Concat(open, []string{`{"type":"conversation_reset","new_conversation_id":"n"}`, doStop}),
			want:  slices.Concat(opened, []string{`end a:1 stopped`, `status cleared`, `result t1 "Bash" error=true notRun interrupted`}),
		},
	})
}
