package demo_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/demo"
)

// recorded sends one request and returns it as the script and Requests see it.
func recorded(t *testing.T, body m, header ...string) demo.Request {
	t.Helper()
	var asked demo.Request
	s := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		asked = r
		return demo.Say("ok")
	}))
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, post(t, s, "/v1/messages", string(b), header...).Body)
	kept := s.Requests()
	if len(kept) != 1 {
		t.Fatalf("%d requests recorded", len(kept))
	}
	if diff := cmp.Diff(asked, kept[0]); diff != "" {
		t.Error("the script saw another request than the record", diff)
	}
	return asked
}

func user(blocks ...any) m { return m{"role": "user", "content": blocks} }

func text(s string) m { return m{"type": "text", "text": s} }

func TestRequestText(t *testing.T) {
	answer := m{"role": "assistant", "content": "fine"}
	call := m{"role": "assistant", "content": []m{{"type": "tool_use", "id": "t1", "name": "Bash", "input": m{"command": "ls"}}}}
	result := m{"type": "tool_result", "tool_use_id": "t1", "content": []m{text("a"), text("b"), {"type": "image"}}}
	steered := m{"role": "system", "content": "The user sent a new message while you were working:\nsteer\nleft\n\nThis is how Claude Code surfaces messages the user sends mid-turn"}
	type want struct {
		Text                         string
		Prompts                      int
		Fresh, Interrupted, Notified bool
	}
	for _, c := range []struct {
		name     string
		messages []any
		want     want
	}{
		{"a string", []any{m{"role": "user", "content": "hi"}}, want{"hi", 1, true, false, false}},
		{"reminders", []any{user(text("<system-reminder>\nx\n</system-reminder>\n"), text("hi <system-reminder>y</system-reminder>there"))},
			want{"hi there", 1, true, false, false}},
		{"a reminder without an end", []any{user(text("hi<system-reminder>x"))}, want{"hi", 1, true, false, false}},
		{"an image alone", []any{user(m{"type": "image", "source": m{"data": "AAAA"}})}, want{"", 0, false, false, false}},
		{"answered", []any{user(text("hi")), answer}, want{"hi", 1, false, false, false}},
		{"tool result", []any{user(text("hi")), call, user(result)}, want{"hi", 1, false, false, false}},
		{"steered", []any{user(text("hi")), call, user(result), steered}, want{"steer\nleft", 2, true, false, false}},
		{"interrupted", []any{user(text("hi")), call, user(result, text("[Request interrupted by user for tool use]\n"), text("on"))},
			want{"on", 2, true, true, false}},
		{"after a failed answer", []any{user(text("first"), text("second"))}, want{"second", 2, true, false, false}},
		{"notified", []any{user(text("hi")), answer, user(text("<system-reminder><task-notification>done</task-notification></system-reminder>"))},
			want{"hi", 1, false, false, true}},
		{"tool loaded", []any{user(text("hi")), call, user(result, text("Tool loaded."))}, want{"hi", 1, false, false, false}},
		{"system message", []any{user(text("hi")), m{"role": "system", "content": "# Environment"}}, want{"hi", 1, true, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := recorded(t, m{"model": "m", "messages": c.messages})
			got := want{r.Text, r.Prompts, r.Fresh, r.Interrupted, r.Notified}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRequestFields(t *testing.T) {
	r := recorded(t, m{
		"model": "opus", "max_tokens": 7, "tools": []m{{"name": "Bash"}, {"name": "Edit"}},
		"system": []m{text("one"), text("two")},
		"messages": []any{
			user(text("hi")),
			m{"role": "assistant", "content": []m{
				{"type": "thinking", "thinking": "hm", "signature": "s"},
				{"type": "tool_use", "id": "t1", "name": "Bash", "input": m{"command": "ls"}},
			}},
			user(m{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "no"}, m{"type": "document", "source": m{"data": "A"}}),
		},
	}, "X-Claude-Code-Session-Id", "s1", "X-Api-Key", "secret-key", "Authorization", "Bearer secret-key")
	want := demo.Request{
		Seq: 1, Kind: demo.Main, SessionID: "s1", Model: "opus", MaxTokens: 7, System: "one\n\ntwo", Tools: []string{"Bash", "Edit"},
		Messages: []demo.Message{
			{Role: "user", Blocks: []demo.Block{{Type: "text", Text: "hi"}}},
			{Role: "assistant", Blocks: []demo.Block{
				{Type: "thinking", Text: "hm"},
				{Type: "tool_use", ToolUseID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
			}},
			{Role: "user", Blocks: []demo.Block{
				{Type: "tool_result", ToolUseID: "t1", Text: "no", IsError: true}, {Type: "document"},
			}},
		},
		Text: "hi", Prompts: 1,
		Results: []demo.ToolResult{{ToolUseID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Text: "no", IsError: true}},
	}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(demo.Request{}, "Bytes")); diff != "" {
		t.Error(diff)
	}
	if all, _ := json.Marshal(r); strings.Contains(string(all), "secret-key") {
		t.Error("the record holds a credential")
	}
}

func TestRequestKind(t *testing.T) {
	tools := []m{{"name": "Bash"}}
	say := func(s string) []any { return []any{user(text(s))} }
	for _, c := range []struct {
		name   string
		body   m
		header []string
		want   demo.Kind
	}{
		{"turn", m{"tools": tools, "messages": say("hi")}, nil, demo.Main},
		{"turn of a session without tools", m{"messages": []any{user(text("hi")), m{"role": "system", "content": "# Environment\nx"}}}, nil, demo.Main},
		{"agent by header", m{"tools": tools, "messages": say("hi")}, []string{"X-Claude-Code-Agent-Id", "a1"}, demo.Agent},
		{"agent by system prompt", m{"tools": tools, "system": "x; cc_is_subagent=true;", "messages": say("hi")}, nil, demo.Agent},
		{"compaction", m{"tools": tools, "messages": say("must be plain text: an <analysis> block followed by a <summary> block.")}, nil, demo.Compact},
		{"title", m{"system": "You are naming a coding session so that", "messages": say("<session>hi</session>")}, nil, demo.Title},
		{"quota", m{"max_tokens": 1, "messages": say("quota")}, nil, demo.Probe},
		{"side question", m{"tools": tools, "messages": say("<system-reminder>This is a side question from the user. x</system-reminder>hi")}, nil, demo.Helper},
		{"no tools", m{"system": "You are a summarizer", "messages": say("page")}, nil, demo.Helper},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.body["model"] = "m"
			if got := recorded(t, c.body, c.header...).Kind; got != c.want {
				t.Errorf("kind %q, want %q", got, c.want)
			}
		})
	}
}

func TestLongRequestsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 100 MB")
	}
	s := start(t, demo.ScriptFunc(demo.Default))
	body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 20<<20) + `"}]}`
	for range 5 {
		readAll(t, post(t, s, "/v1/messages", body).Body)
	}
	got := s.Requests()
	if len(got) != 3 || got[0].Seq != 3 || got[2].Seq != 5 {
		t.Errorf("%d requests kept", len(got))
	}
}

func TestAwait(t *testing.T) {
	s := start(t, demo.ScriptFunc(demo.Default))
	got := make(chan string)
	go func() {
		r, err := s.Await(t.Context(), demo.Contains("two"))
		if err != nil {
			r.Text = err.Error()
		}
		got <- r.Text
	}()
	for _, word := range []string{"one", "two", "three"} {
		readAll(t, post(t, s, "/v1/messages", strings.Replace(hello, `"hello"`, `"`+word+`"`, 1)).Body)
	}
	if text := <-got; text != "two" {
		t.Errorf("got %q", text)
	}
}

// replies collects the texts that a script gives to successive requests.
func replies(t *testing.T, script demo.Script, requests ...demo.Request) []string {
	t.Helper()
	var out []string
	i := 0
	s := start(t, demo.ScriptFunc(func(demo.Request) demo.Reply { return script.Reply(requests[i]) }))
	for i = range requests {
		var got struct {
			Content []struct{ Text string }
			Error   struct{ Message string }
		}
		raw := readAll(t, post(t, s, "/v1/messages", strings.Replace(hello, "true", "false", 1)).Body)
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Fatal(err)
		}
		for _, b := range got.Content {
			got.Error.Message += b.Text
		}
		out = append(out, got.Error.Message)
	}
	return out
}

func TestRules(t *testing.T) {
	rules := demo.NewRules().
		When(demo.Contains("a"), demo.Say("a1"), demo.Say("a2")).
		When(demo.Any, demo.Say("any")).
		WhenAgent(demo.Contains("a"), demo.Say("agent")).
		WhenKind(demo.Title, demo.Say("title"))
	main := func(session, text string, prompts int) demo.Request {
		return demo.Request{Kind: demo.Main, SessionID: session, Text: text, Prompts: prompts}
	}
	got := replies(t, rules,
		main("s", "a", 1), main("s", "a", 1), main("s", "a", 1), main("s", "b", 2), main("s", "a", 3), main("other", "a", 1),
		demo.Request{Kind: demo.Agent, Text: "a"}, demo.Request{Kind: demo.Agent, Text: "b"},
		demo.Request{Kind: demo.Title}, demo.Request{Kind: demo.Probe})
	want := []string{"a1", "a2", "a2", "any", "a1", "a1", "agent", "Done.", "title", "ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestQueue(t *testing.T) {
	q := demo.NewQueue(demo.Say("one"))
	q.Push(demo.Say("two"))
	q.PushAgent(demo.Say("agent"))
	main, agent := demo.Request{Kind: demo.Main}, demo.Request{Kind: demo.Agent}
	got := replies(t, q, main, demo.Request{Kind: demo.Title}, agent, agent, main, main)
	want := []string{"one", `{"title":"Demo session"}`, "agent", "Done.", "two", "the script has no reply left"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if q.Left() != 0 {
		t.Errorf("%d left", q.Left())
	}
}

func TestChunking(t *testing.T) {
	for _, c := range []struct {
		name  string
		chunk demo.Chunking
		in    string
		want  []string
	}{
		{"words", demo.Words, " a  b\n\nc ", []string{" ", "a  ", "b\n\n", "c "}},
		{"no words", demo.Words, "", []string{}},
		{"runes", demo.Runes(2), "añ語b", []string{"añ", "語b"}},
		{"runes, odd", demo.Runes(3), "añ語b", []string{"añ語", "b"}},
		{"no size", demo.Runes(0), "ab", []string{"a", "b"}},
		{"broken UTF-8", demo.Runes(1), "a\xff", []string{"a", "\xff"}},
		{"whole", demo.Whole, "a b", []string{"a b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.chunk(c.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A reply with a pace takes time, unless the server is instant.
func TestPace(t *testing.T) {
	reply := demo.Answer(demo.Pause(time.Hour), demo.Text("a b c")).Pace(time.Hour)
	resp := post(t, start(t, demo.NewQueue(reply)), "/v1/messages", hello)
	if list, broken := events(t, resp.Body); broken || len(list) != 8 {
		t.Errorf("instant: broken %v, %d events", broken, len(list))
	}

	reply = demo.Answer(demo.Pause(30*time.Millisecond), demo.Text("a b c")).Pace(10 * time.Millisecond)
	s, err := demo.Start(demo.Config{Script: demo.NewQueue(reply), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun := time.Now()
	resp = post(t, s, "/v1/messages", hello)
	list, broken := events(t, resp.Body)
	if took := time.Since(begun); broken || len(list) != 8 || took < 60*time.Millisecond {
		t.Errorf("paced: broken %v, %d events in %v", broken, len(list), took)
	}
}

// Any body gives an answer or an error in the API's shape, never a crash.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text"}]}]}],"system":[]}`))
	f.Add([]byte(`{"messages":[{"content":null},{"role":"assistant","content":"x"}]}`))
	f.Add([]byte("{\"messages\":[{\"role\":\"user\",\"content\":\"<system-reminder>\xff\"}]}"))
	s := start(f, demo.Tour())
	f.Fuzz(func(t *testing.T, body []byte) {
		raw := readAll(t, post(t, s, "/v1/messages", string(body)).Body)
		if !strings.HasPrefix(raw, "event: message_start") && !json.Valid([]byte(raw)) {
			t.Errorf("answer %q", raw)
		}
	})
}
