//go:build linux

package border

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// The text of an answer is complete, and the meter shows the last call of the
// conversation, never a sum.
func TestChat(t *testing.T) {
	t.Parallel()
	first := demo.Usage{Input: 11, CacheRead: 4000, CacheCreation: 600, Output: 50}
	second := demo.Usage{Input: 7, CacheRead: 5000, CacheCreation: 90, Output: 33}
	third := demo.Usage{Input: 5, CacheRead: 700_000, CacheCreation: 3, Output: 44}
	p := start(t, demo.NewQueue(
		demo.Answer(demo.Thinking("Let me look."), demo.Text("I look first.\n"),
			demo.Tool("Read", m{"file_path": "note.txt"})).Usage(first),
		demo.Say("The note says: ärger, 喂, 👩‍🚀 & <b>.").Usage(second),
		demo.Say("Still here.").Usage(third),
	))
	s := p.open()
	s.write("note.txt", "hello")
	turn := s.prompt("what is in the note?")
	s.done(turn, "completed")
	if got, want := s.said(turn), "I look first.\nThe note says: ärger, 喂, 👩‍🚀 & <b>."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if r := p.lastRequest(); r.Prompts != 1 || len(r.Results) != 1 || !strings.Contains(r.Results[0].Text, "hello") {
		t.Errorf("the model was asked %+v", r)
	}
	s.meter(second)
	result := await(s.c, s.id, "result", func(e *event.Result) bool { return e.TurnID == turn })
	want := event.Usage{InputTokens: 18, CacheReadTokens: 9000, CacheCreationTokens: 690, OutputTokens: 83}
	if result.IsError || result.Usage != want || result.Text == "" || result.NumTurns != 2 || result.CostUSD <= 0 {
		t.Errorf("result %+v", result)
	}

	if got := s.turn("and now?"); got != "Still here." {
		t.Errorf("said %q", got)
	}
	s.meter(third)
	if c := s.record().Context; c.Level != "warning" || math.Abs(*c.Percent-70) > 0.1 {
		t.Errorf("meter %+v", c)
	}
	results := of[*event.Result](s.c, s.id)
	if sum := results[0].CostUSD + results[1].CostUSD; math.Abs(sum-results[1].TotalCostUSD) > 1e-9 ||
		results[1].TotalCostUSD != s.record().TotalCostUSD {
		t.Errorf("turns cost %v, in all %v", sum, results[1].TotalCostUSD)
	}
	for _, name := range []string{"session.ready", "session.processing", "session.user_message", "session.thinking_delta",
		"session.tool_input", "session.status"} {
		if !slices.ContainsFunc(s.c.all(), func(e seen) bool { return e.name == name }) {
			t.Errorf("no %s", name)
		}
	}
}

// meter checks that the last reading is that of one call.
func (s *conversation) meter(u demo.Usage) {
	s.p.t.Helper()
	updates := of[*event.ContextUpdate](s.c, s.id)
	if len(updates) == 0 {
		s.p.t.Fatal("no context_update")
	}
	c := updates[len(updates)-1].Context
	if c.InputTokens != int64(u.Input) || c.CacheReadTokens != int64(u.CacheRead) || c.CacheCreationTokens != int64(u.CacheCreation) ||
		c.OutputTokens != int64(u.Output) || c.Used != int64(u.Input+u.CacheRead+u.CacheCreation+u.Output) {
		s.p.t.Errorf("meter %+v, want %+v", c, u)
	}
	if c.Window != 1_000_000 || c.WindowSource != "cli" {
		s.p.t.Errorf("a window of %d by %s", c.Window, c.WindowSource)
	}
	if r := s.record().Context; r == nil || !r.Equal(c) {
		s.p.t.Errorf("the record's meter %+v differs from the event's %+v", r, c)
	}
}

// No word of a long answer is lost, and its pieces are merged on the way.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	text := longText()
	p := start(t, demo.NewQueue(demo.Say(text)))
	s := p.open()
	if got := s.turn("at length, please"); got != text {
		t.Errorf("%d bytes of %d came", len(got), len(text))
	}
	if n := len(of[*event.TextDelta](s.c, s.id)); n > 5000 {
		t.Errorf("%d events for 20,000 words", n)
	}
}

// longText has 20,000 words, all different.
func longText() string {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("word")
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
		b.WriteString([]string{" ", " ", " ", "\n"}[i%4])
	}
	return b.String()
}

// An image reaches the model; clients get a description of it, not the bytes.
func TestImage(t *testing.T) {
	t.Parallel()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	p := start(t, demo.NewQueue(demo.Say("A dot.")))
	s := p.open()
	turn := s.promptWith(m{"text": "what is this?", "attachments": []m{{"name": "dot.png", "mediaType": "image/png", "data": png}}})
	s.done(turn, "completed")
	r := p.lastRequest()
	if !slices.ContainsFunc(r.Messages, func(m demo.Message) bool {
		return m.Role == "user" && slices.ContainsFunc(m.Blocks, func(b demo.Block) bool { return b.Type == "image" })
	}) || r.Text != "what is this?" {
		t.Errorf("the model was asked %q, and not shown an image", r.Text)
	}
	raw, err := base64.StdEncoding.DecodeString(png)
	if err != nil {
		t.Fatal(err)
	}
	messages := of[*event.UserMessage](s.c, s.id)
	want := event.Attachment{Name: "dot.png", MediaType: "image/png", Bytes: int64(len(raw))}
	if len(messages) != 1 || len(messages[0].Attachments) != 1 || messages[0].Attachments[0] != want {
		t.Errorf("user messages %+v", messages)
	}
}
