package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

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
				`context 1111`, `context 1160`,
				`context 1121`, `context 1125`,
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
			want: []string{`context 7`, `text a:0 "x" by m`, `end a:0`, `text a:1 "y" by m`, `end a:1`},
		},
		{
			name: "compaction and clear start again", meter: true,
			lines: []string{
				call(10), `{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":1111,"post_tokens":300}}`,
				`{"type":"conversation_reset"}`,
			},
			want: []string{
				`context 1111`, `compaction finished auto 1111→300`, `context 300`,
				`status cleared`, `context 0`,
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
				`status retrying {Attempt:1 MaxRetries:10 DelayMs:512 Until:0 HTTPStatus:529 Error:overloaded}`,
				`status retrying {Attempt:2 MaxRetries:10 DelayMs:1000 Until:0 HTTPStatus:0 Error:connection}`,
			},
		},
		notice(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour"}}`, "You have used up your five-hour limit."),
		notice(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"seven_day"}}`, "You have almost used up your seven-day limit."),
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
		{"an error inside a success", `"subtype":"success","result":"API Error: 500","api_error_status":500`, "api_error", "API Error: 500"},
		{"overloaded", `"subtype":"success","result":"no","api_error_status":529`, "overloaded", "no"},
		{"a bad request", `"subtype":"success","result":"no","api_error_status":400`, "bad_request", "no"},
		{"no network", `"subtype":"success","result":"API Error: Unable to connect to API (ConnectionRefused)"`, "unreachable", "API Error: Unable to connect to API (ConnectionRefused)"},
		{"no account", `"subtype":"success","result":"no","api_error_status":401`, "no_account", "no"},
		{"an old login", `"subtype":"success","result":"Failed to authenticate. API Error: 401 OAuth token has expired.","api_error_status":401`, "login_expired", "Failed to authenticate. API Error: 401 OAuth token has expired."},
		{"forbidden", `"subtype":"success","result":"no","api_error_status":403`, "no_account", "no"},
		{"no money", `"subtype":"success","result":"no","api_error_status":402`, "billing", "no"},
		{"no model", `"subtype":"success","result":"no","api_error_status":404`, "model_not_found", "no"},
		{"too large", `"subtype":"success","result":"no","api_error_status":413`, "too_large", "no"},
		{"limited", `"subtype":"success","result":"no","api_error_status":429`, "rate_limit", "no"},
		{"a reason of its own", `"subtype":"error_during_execution","startup_failure_reason":"bad_flag","errors":["a","b"]`, "start_refused", "a\nb"},
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

// A user who reached a limit is told when it resets, in the warning and in the
// error.
func TestLimitSaysWhenItEnds(t *testing.T) {
	const resets = 1_800_000_000_000
	limit := func(status string) string {
		return `{"type":"rate_limit_event","rate_limit_info":{"status":"` + status + `","rateLimitType":"five_hour","resetsAt":1800000000}}`
	}
	failed := func(status int) string {
		return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"result":"no","api_error_status":%d}`, status)
	}
	tests := []struct {
		name          string
		lines         []string
		status, error int64
	}{
		{"used up", []string{limit("rejected"), failed(429)}, resets, resets},
		{"nearly used up", []string{limit("allowed_warning"), failed(429)}, resets, 0},
		{"another error", []string{limit("rejected"), failed(500)}, resets, 0},
		{"renewed in between", []string{limit("rejected"), limit("allowed"), failed(429)}, resets, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := NewProjector()
			var status, failure int64
			for _, line := range tt.lines {
				f, err := wire.Decode([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range p.Frame(f) {
					switch e := e.(type) {
					case *event.Status:
						status = e.ResetsAt
					case *event.Error:
						failure = e.ResetsAt
					}
				}
			}
			if status != tt.status || failure != tt.error {
				t.Errorf("the notice says %d and the error %d, want %d and %d", status, failure, tt.status, tt.error)
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

// A long-lived projector drops the oldest entries, never active ones.
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
