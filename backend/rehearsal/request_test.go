package rehearsal_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/rehearsal"
)

// recorded sends one request and returns it as the script and Requests see it.
func recorded(t *testing.T, body m, header ...string) rehearsal.Request {
	t.Helper()
	var asked rehearsal.Request
	s := start(t, rehearsal.ScriptFunc(func(r rehearsal.Request) rehearsal.Reply {
		asked = r
		return rehearsal.Say("ok")
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
	want := rehearsal.Request{
		Seq: 1, Kind: rehearsal.Main, SessionID: "s1", Model: "opus", MaxTokens: 7, System: "one\n\ntwo", Tools: []string{"Bash", "Edit"},
		Messages: []rehearsal.Message{
			{Role: "user", Blocks: []rehearsal.Block{{Type: "text", Text: "hi"}}},
			{Role: "assistant", Blocks: []rehearsal.Block{
				{Type: "thinking", Text: "hm"},
				{Type: "tool_use", ToolUseID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
			}},
			{Role: "user", Blocks: []rehearsal.Block{
				{Type: "tool_result", ToolUseID: "t1", Text: "no", IsError: true}, {Type: "document"},
			}},
		},
		Text: "hi", Prompts: 1,
		Results: []rehearsal.ToolResult{{ToolUseID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Text: "no", IsError: true}},
	}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(rehearsal.Request{}, "Bytes")); diff != "" {
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
		want   rehearsal.Kind
	}{
		{"turn", m{"tools": tools, "messages": say("hi")}, nil, rehearsal.Main},
		{"turn of a session without tools", m{"messages": []any{user(text("hi")), m{"role": "system", "content": "# Environment\nx"}}}, nil, rehearsal.Main},
		{"agent by header", m{"tools": tools, "messages": say("hi")}, []string{"X-Claude-Code-Agent-Id", "a1"}, rehearsal.Agent},
		{"agent by system prompt", m{"tools": tools, "system": "x; cc_is_subagent=true;", "messages": say("hi")}, nil, rehearsal.Agent},
		{"compaction", m{"tools": tools, "messages": say("must be plain text: an <analysis> block followed by a <summary> block.")}, nil, rehearsal.Compact},
		{"title", m{"system": "You are naming a coding session so that", "messages": say("<session>hi</session>")}, nil, rehearsal.Title},
		{"quota", m{"max_tokens": 1, "messages": say("quota")}, nil, rehearsal.Probe},
		{"side question", m{"tools": tools, "messages": say("<system-reminder>This is a side question from the user. x</system-reminder>hi")}, nil, rehearsal.Helper},
		{"no tools", m{"system": "You are a summarizer", "messages": say("page")}, nil, rehearsal.Helper},
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
	s := start(t, rehearsal.ScriptFunc(rehearsal.Default))
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
	s := start(t, rehearsal.ScriptFunc(rehearsal.Default))
	got := make(chan string)
	go func() {
		r, err := s.Await(t.Context(), rehearsal.Contains("two"))
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
func replies(t *testing.T, script rehearsal.Script, requests ...rehearsal.Request) []string {
	t.Helper()
	var out []string
	i := 0
	s := start(t, rehearsal.ScriptFunc(func(rehearsal.Request) rehearsal.Reply { return script.Reply(requests[i]) }))
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
	rules := rehearsal.NewRules().
		When(rehearsal.Contains("a"), rehearsal.Say("a1"), rehearsal.Say("a2")).
		When(rehearsal.Any, rehearsal.Say("any")).
		WhenAgent(rehearsal.Contains("a"), rehearsal.Say("agent")).
		WhenKind(rehearsal.Title, rehearsal.Say("title"))
	main := func(session, text string, prompts int) rehearsal.Request {
		return rehearsal.Request{Kind: rehearsal.Main, SessionID: session, Text: text, Prompts: prompts}
	}
	got := replies(t, rules,
		main("s", "a", 1), main("s", "a", 1), main("s", "a", 1), main("s", "b", 2), main("s", "a", 3), main("other", "a", 1),
		rehearsal.Request{Kind: rehearsal.Agent, Text: "a"}, rehearsal.Request{Kind: rehearsal.Agent, Text: "b"},
		rehearsal.Request{Kind: rehearsal.Title}, rehearsal.Request{Kind: rehearsal.Probe})
	want := []string{"a1", "a2", "a2", "any", "a1", "a1", "agent", "Done.", "title", "ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestQueue(t *testing.T) {
	q := rehearsal.NewQueue(rehearsal.Say("one"))
	q.Push(rehearsal.Say("two"))
	q.PushAgent(rehearsal.Say("agent"))
	main, agent := rehearsal.Request{Kind: rehearsal.Main}, rehearsal.Request{Kind: rehearsal.Agent}
	got := replies(t, q, main, rehearsal.Request{Kind: rehearsal.Title}, agent, agent, main, main)
	want := []string{"one", `{"title":"Rehearsal"}`, "agent", "Done.", "two", "the script has no reply left"}
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
		chunk rehearsal.Chunking
		in    string
		want  []string
	}{
		{"words", rehearsal.Words, " a  b\n\nc ", []string{" ", "a  ", "b\n\n", "c "}},
		{"no words", rehearsal.Words, "", []string{}},
		{"runes", rehearsal.Runes(2), "añ語b", []string{"añ", "語b"}},
		{"runes, odd", rehearsal.Runes(3), "añ語b", []string{"añ語", "b"}},
		{"no size", rehearsal.Runes(0), "ab", []string{"a", "b"}},
		{"broken UTF-8", rehearsal.Runes(1), "a\xff", []string{"a", "\xff"}},
		{"whole", rehearsal.Whole, "a b", []string{"a b"}},
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
	reply := rehearsal.Answer(rehearsal.Pause(time.Hour), rehearsal.Text("a b c")).Pace(time.Hour)
	resp := post(t, start(t, rehearsal.NewQueue(reply)), "/v1/messages", hello)
	if list, broken := events(t, resp.Body); broken || len(list) != 8 {
		t.Errorf("instant: broken %v, %d events", broken, len(list))
	}

	reply = rehearsal.Answer(rehearsal.Pause(30*time.Millisecond), rehearsal.Text("a b c")).Pace(10 * time.Millisecond)
	s, err := rehearsal.Start(rehearsal.Config{Script: rehearsal.NewQueue(reply), Logger: slog.New(slog.DiscardHandler)})
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
	s := start(f, rehearsal.Tour())
	f.Fuzz(func(t *testing.T, body []byte) {
		raw := readAll(t, post(t, s, "/v1/messages", string(body)).Body)
		if !strings.HasPrefix(raw, "event: message_start") && !json.Valid([]byte(raw)) {
			t.Errorf("answer %q", raw)
		}
	})
}
