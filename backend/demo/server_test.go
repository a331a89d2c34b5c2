package demo_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t testing.TB, script demo.Script) *demo.Server {
	t.Helper()
	s, err := demo.Start(demo.Config{Script: script, Logger: slog.New(slog.DiscardHandler), Instant: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// client has its own transport, closed with the test, so that no connection
// outlives it.
func client(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 2 * time.Minute}
}

func post(t testing.TB, s *demo.Server, path, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// m is short for JSON objects.
type m = map[string]any

const hello = `{"model":"m","stream":true,"max_tokens":100,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"hello"}]}`

type sseEvent struct {
	Name string
	Data map[string]any
}

// events reads a stream to its end; broken reports that it broke off.
func events(t testing.TB, r io.Reader) (list []sseEvent, broken bool) {
	t.Helper()
	br := bufio.NewReader(r)
	var cur sseEvent
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return list, err != io.EOF || line != "" || cur.Name != ""
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			list = append(list, cur)
			cur = sseEvent{}
		case strings.HasPrefix(line, "event: "):
			cur.Name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			if err := json.Unmarshal([]byte(line[len("data: "):]), &cur.Data); err != nil {
				t.Fatalf("bad data line %q: %v", line, err)
			}
		default:
			t.Fatalf("line that is no server-sent event: %q", line)
		}
	}
}

// digest renders a stream in short lines.
func digest(list []sseEvent) []string {
	var out []string
	for _, e := range list {
		line := e.Name
		for _, key := range []string{"content_block", "delta", "error"} {
			if v, ok := e.Data[key]; ok {
				b, _ := json.Marshal(v)
				line += " " + string(b)
			}
		}
		out = append(out, line)
	}
	return out
}

func TestStream(t *testing.T) {
	script := demo.NewQueue(demo.Answer(
		demo.Thinking("so then"),
		demo.Text("héllo <b> you").In(demo.Runes(5)),
		demo.Tool("Bash", map[string]string{"command": "ls"}).ID("toolu_1"),
	).Usage(demo.Usage{Input: 1, CacheRead: 20, CacheCreation: 300, Output: 4000}))
	resp := post(t, start(t, script), "/v1/messages?beta=true", hello)
	list, broken := events(t, resp.Body)
	if broken || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, broken %v", resp.StatusCode, broken)
	}
	want := []string{
		`message_start`,
		`content_block_start {"signature":"","thinking":"","type":"thinking"}`,
		`content_block_delta {"thinking":"so ","type":"thinking_delta"}`,
		`content_block_delta {"thinking":"then","type":"thinking_delta"}`,
		`content_block_delta {"signature":"cmVoZWFyc2Fs","type":"signature_delta"}`,
		`content_block_stop`,
		`content_block_start {"text":"","type":"text"}`,
		`content_block_delta {"text":"héllo","type":"text_delta"}`,
		`content_block_delta {"text":" \u003cb\u003e ","type":"text_delta"}`,
		`content_block_delta {"text":"you","type":"text_delta"}`,
		`content_block_stop`,
		`content_block_start {"id":"toolu_1","input":{},"name":"Bash","type":"tool_use"}`,
		`content_block_delta {"partial_json":"{\"command\":\"ls\"}","type":"input_json_delta"}`,
		`content_block_stop`,
		`message_delta {"stop_reason":"tool_use","stop_sequence":null}`,
		`message_stop`,
	}
	if diff := cmp.Diff(want, digest(list)); diff != "" {
		t.Error(diff)
	}
	message := list[0].Data["message"].(map[string]any)
	wantUsage := map[string]any{
		"input_tokens": 1.0, "cache_read_input_tokens": 20.0, "cache_creation_input_tokens": 300.0, "output_tokens": 1.0,
	}
	if diff := cmp.Diff(wantUsage, message["usage"]); diff != "" {
		t.Error("message_start", diff)
	}
	wantUsage["output_tokens"] = 4000.0
	if diff := cmp.Diff(wantUsage, list[len(list)-2].Data["usage"]); diff != "" {
		t.Error("message_delta", diff)
	}
	if message["model"] != "m" {
		t.Errorf("model %v", message["model"])
	}
}

func TestWhole(t *testing.T) {
	script := demo.NewQueue(demo.Answer(
		demo.Thinking("hm"), demo.Text("a ").More("b"),
		demo.Tool("Bash", map[string]string{"command": "ls"}).ID("toolu_1"),
	).Model("other"))
	resp := post(t, start(t, script), "/v1/messages", strings.Replace(hello, `"stream":true`, `"stream":false`, 1))
	var got struct {
		Model      string           `json:"model"`
		StopReason string           `json:"stop_reason"`
		Content    []map[string]any `json:"content"`
	}
	if err := json.Unmarshal([]byte(readAll(t, resp.Body)), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"type": "thinking", "thinking": "hm", "signature": "cmVoZWFyc2Fs"},
		{"type": "text", "text": "a b"},
		{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{"command": "ls"}},
	}
	if diff := cmp.Diff(want, got.Content); diff != "" || got.StopReason != "tool_use" || got.Model != "other" {
		t.Error(got.StopReason, got.Model, diff)
	}
}

func TestErrors(t *testing.T) {
	script := demo.NewQueue(demo.Fail(529, "Overloaded").RetryAfter(1500 * time.Millisecond))
	s := start(t, script)
	big := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 64<<20) + `"}]}`
	for _, c := range []struct {
		name, path, body string
		status           int
		errType, retry   string
	}{
		{"scripted", "/v1/messages", hello, 529, "overloaded_error", "2"},
		{"script empty", "/v1/messages", hello, 500, "api_error", ""},
		{"not JSON", "/v1/messages", `{"model":`, 400, "invalid_request_error", ""},
		{"cut UTF-8", "/v1/messages", "\xc3", 400, "invalid_request_error", ""},
		{"no messages", "/v1/messages", `{"model":"m"}`, 400, "invalid_request_error", ""},
		{"content of a wrong type", "/v1/messages", `{"messages":[{"role":"user","content":7}]}`, 400, "invalid_request_error", ""},
		{"too large", "/v1/messages", big, 413, "request_too_large", ""},
		{"unknown path", "/v1/complete", hello, 404, "not_found_error", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := post(t, s, c.path, c.body)
			var got struct {
				Type  string
				Error struct{ Type, Message string }
			}
			if err := json.Unmarshal([]byte(readAll(t, resp.Body)), &got); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != c.status || got.Type != "error" || got.Error.Type != c.errType || got.Error.Message == "" {
				t.Errorf("status %d, body %+v", resp.StatusCode, got)
			}
			if resp.Header.Get("Retry-After") != c.retry {
				t.Errorf("retry-after %q", resp.Header.Get("Retry-After"))
			}
		})
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests recorded, want the two that could be parsed", n)
	}
}

func TestCountTokens(t *testing.T) {
	s := start(t, demo.NewQueue())
	resp := post(t, s, "/v1/messages/count_tokens?beta=true", hello)
	var got struct {
		Input int `json:"input_tokens"`
	}
	if err := json.Unmarshal([]byte(readAll(t, resp.Body)), &got); err != nil || got.Input < 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if k := s.Requests()[0].Kind; k != demo.Count {
		t.Errorf("kind %q", k)
	}
}

func TestBrokenStreams(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  demo.Reply
		broken bool
		last   string
	}{
		{"cut", demo.Say("one two").Cut(), true, "content_block_stop"},
		{"error event", demo.Say("one two").Break("overloaded_error", "Overloaded"), false,
			`error {"message":"Overloaded","type":"overloaded_error"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := post(t, start(t, demo.NewQueue(c.reply)), "/v1/messages", hello)
			list, broken := events(t, resp.Body)
			got := digest(list)
			if broken != c.broken || len(got) == 0 || got[len(got)-1] != c.last {
				t.Errorf("broken %v, %q", broken, got)
			}
		})
	}
}

// The part before a gate arrives while the gate is closed, the rest after it.
func TestGate(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(demo.Answer(demo.Text("before").Wait(gate).More("after"))))
	resp := post(t, s, "/v1/messages", hello)
	br := bufio.NewReader(resp.Body)
	seen := ""
	for !strings.Contains(seen, "before") {
		line, err := br.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		seen += line
	}
	<-gate.Reached()
	if strings.Contains(seen, "after") {
		t.Error("the gate let text pass")
	}
	gate.Open()
	gate.Open()
	if rest := readAll(t, br); !strings.Contains(rest, "after") || !strings.Contains(rest, "message_stop") {
		t.Errorf("rest %q", rest)
	}
}

func TestGateBeforeReply(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(demo.Say("late").Before(gate)))
	go func() {
		<-gate.Reached()
		gate.Open()
	}()
	if body := readAll(t, post(t, s, "/v1/messages", hello).Body); !strings.Contains(body, "late") {
		t.Errorf("body %q", body)
	}
}

// Close ends a wait at a closed gate, and may be called again.
func TestCloseWhileWaiting(t *testing.T) {
	gate := demo.NewGate()
	s := start(t, demo.NewQueue(demo.Answer(demo.Text("x"), demo.Wait(gate))))
	resp := post(t, s, "/v1/messages", hello)
	<-gate.Reached()
	s.Close()
	s.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the stream ended as if it were complete")
	}
	if _, err := s.Await(t.Context(), func(demo.Request) bool { return false }); err == nil {
		t.Error("Await returned without an error after Close")
	}
}

func TestEnv(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://10.0.0.1:1")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "real")
	s := start(t, demo.NewQueue())
	got := map[string]string{}
	for _, kv := range s.Env("/home/x", "/cfg") {
		k, v, _ := strings.Cut(kv, "=")
		got[k] = v
	}
	if got["PATH"] == "" {
		t.Error("no PATH")
	}
	delete(got, "PATH")
	want := map[string]string{
		"HOME": "/home/x", "CLAUDE_CODE_TMPDIR": "/home/x", "CLAUDE_CONFIG_DIR": "/cfg", "LANG": "C.UTF-8",
		"ANTHROPIC_BASE_URL": s.URL(), "ANTHROPIC_API_KEY": "sk-ant-local",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
		"DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStartNeedsScriptAndLogger(t *testing.T) {
	if _, err := demo.Start(demo.Config{}); err == nil {
		t.Error("no error")
	}
}

// Delta throughput against a plain HTTP client: 20,000 words in one answer.
func BenchmarkDeltas(b *testing.B) {
	const words = 20_000
	s := start(b, demo.ScriptFunc(func(demo.Request) demo.Reply {
		return demo.Say(strings.Repeat("word ", words))
	}))
	c := client(b)
	buf := make([]byte, 256<<10)
	var total int64
	for b.Loop() {
		resp, err := c.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader(hello))
		if err != nil {
			b.Fatal(err)
		}
		total = 0
		deltas := 0
		for {
			n, err := resp.Body.Read(buf)
			total += int64(n)
			deltas += bytes.Count(buf[:n], []byte("text_delta"))
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		_ = resp.Body.Close()
		if deltas < words*99/100 { // a word may be split across two reads
			b.Fatalf("%d deltas", deltas)
		}
	}
	b.SetBytes(total)
	b.ReportMetric(float64(words)*float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
}
