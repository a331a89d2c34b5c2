package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// assistant handles a finished piece of an answer. Most of it was already
// streamed; the rest (a subagent's messages, the CLI's own texts, an answer that
// couldn't be streamed) is projected whole.
func (p *Projector) assistant(f *wire.Assistant) {
	t := p.thread(f.ParentToolUseID)
	id := f.Message.ID
	if id == "" {
		id = p.madeID("assistant", f.UUID)
	}
	first := id != t.message
	if first {
		p.begin(t, id, f.Message.Model)
	}
	if t.parent == "" && f.Message.Model != wire.SyntheticModel {
		if u := tokens(f.Message.Usage); first {
			p.meter.Call(f.Message.Model, u)
		} else {
			p.meter.Late(u) // the first piece may only have zeros
		}
		p.news()
	}
	if t.parent == "" && f.Error != "" && f.Message.Model == wire.SyntheticModel {
		p.refused = textOf(f.Message.Content)
		return
	}
	for _, c := range f.Message.Content {
		index := t.place(c)
		if t.stopped && (kindOf(c.Type) != "tool" || t.blocks[index] != nil) {
			continue
		}
		// A tool that came after the stop is in the conversation, and gets a result.
		t.seen = index + 1
		if b := t.blocks[index]; b != nil {
			p.confirm(t, b, c)
		} else {
			p.whole(t, index, c)
		}
	}
}

// textOf joins the texts of a message.
func textOf(content wire.Content) string {
	var parts []string
	for _, c := range content {
		if c.Type == "text" && c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// kindOf returns how a block of an API type is shown: "text", "thinking",
// "tool", or "" if there is nothing to show.
func kindOf(apiType string) string {
	switch apiType {
	case "text":
		return "text"
	case "thinking", "redacted_thinking":
		return "thinking"
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return "tool"
	}
	return ""
}

// place finds the index of a finished block in its message. Finished blocks
// come in the order of the streamed ones, but the CLI may omit one that isn't
// worth repeating (an empty text).
func (t *thread) place(c wire.Block) int {
	kind := kindOf(c.Type)
	free := t.seen
	for _, i := range slices.Sorted(maps.Keys(t.blocks)) {
		if i < t.seen {
			continue
		}
		if b := t.blocks[i]; b.kind == kind && (kind != "tool" || b.tool == c.ID) {
			return i
		}
		free = i + 1
	}
	return free
}

// confirm compares a finished block with its streamed version: text missing in
// the stream is added, and a tool's input is now complete.
func (p *Projector) confirm(t *thread, b *block, c wire.Block) {
	if b.ended && !b.opened {
		// It was streamed empty. If there is text after all, it is opened and closed.
		b.ended = false
		defer p.end(t, b)
	}
	switch {
	case b.kind == "text" && c.Type == "text" && len(c.Text) > b.length:
		p.text(t, b, c.Text[b.length:])
	case b.kind == "thinking" && c.Type == "thinking" && len(c.Thinking) > b.length:
		p.thinking(t, b, c.Thinking[b.length:])
	case b.kind == "tool" && c.ID == b.tool:
		p.pending(t, b.tool, c.Input)
	}
}

// whole projects a block that was not streamed.
func (p *Projector) whole(t *thread, index int, c wire.Block) {
	b := &block{id: t.blockID(index), kind: kindOf(c.Type)}
	t.blocks[index] = b
	switch {
	case b.kind == "text":
		p.text(t, b, c.Text)
	case b.kind == "thinking":
		p.open(t, b)
		p.thinking(t, b, c.Thinking)
	case b.kind == "tool":
		p.toolStart(t, b, c.ID, c.Name, c.Type != "tool_use")
		if t.stopped {
			p.emit(t.parent, &event.ToolInput{ToolUseID: c.ID, Name: c.Name, BlockID: b.id, Text: string(c.Input)})
		}
		p.pending(t, c.ID, c.Input)
	case strings.HasSuffix(c.Type, "_tool_result"):
		p.serverResult(t, c.ToolUseID, c.Raw)
	}
	p.end(t, b)
}

// user handles a user-side message: tool results, and text that the CLI
// inserted. Prompts don't come this way; the session's owner announces them.
func (p *Projector) user(f *wire.User) {
	var results wire.Content
	for _, c := range f.Message.Content {
		if c.Type == "tool_result" {
			results = append(results, c)
		}
	}
	var text []string
	for _, c := range f.Message.Content {
		switch c.Type {
		case "tool_result":
			p.gaveBack(f.ParentToolUseID, c, wordOf(f, c), f.ToolUseResult, len(results) == 1)
		case "text":
			text = append(text, c.Text)
		}
	}
	joined := strings.Join(text, "\n")
	if joined == "" || f.IsReplay || isInterruptMark(joined) {
		return
	}
	p.emit(f.ParentToolUseID, &event.UserMessage{
		MessageID: p.madeID("user", f.UUID), Text: joined, Synthetic: true,
	})
}

// gaveBack handles a tool's result with the CLI's statement of how it ended. own is the
// tool's own result, which is for all results of a message if there are several.
func (p *Projector) gaveBack(parent string, c wire.Block, w word, own json.RawMessage, alone bool) {
	e := &event.ToolResult{ToolUseID: c.ToolUseID, IsError: c.IsError, Content: contents(c.Content)}
	if alone {
		e.Structured = structured(own)
	}
	e.Outcome, e.Reason = w.outcome()
	use := p.tools[c.ToolUseID]
	switch {
	case use == nil:
		e.Outcome = cmp.Or(e.Outcome, event.UseCutOff)
	case e.Outcome == "":
		e.Outcome, e.Reason = use.guess(event.UseStopped)
	case e.Reason == event.ReasonDenied && use.asked == "expired":
		e.Reason = event.ReasonExpired
	}
	if w.structured == rejected && (e.Outcome == event.UseStopped || e.Reason == event.ReasonInterrupted) {
		e.Content = []event.ResultContent{} // it tells the model to wait
	}
	p.toolResult(parent, e)
}

// toolResult emits a result once. A second one for the same tool (an older form of
// the same frame) is dropped, except for the CLI's statement if the first was a
// guess.
func (p *Projector) toolResult(parent string, e *event.ToolResult) {
	use := p.tools[e.ToolUseID]
	if use != nil {
		if use.resulted && (use.guessed == "" || use.guessed == e.Outcome) {
			return
		}
		use.resulted, use.guessed = true, ""
		e.Name = use.name
		if parent == "" {
			parent = use.parent
		}
	}
	p.emit(parent, e)
	if e.Outcome != event.UseDone && e.Outcome != event.UseError {
		p.gone(e.ToolUseID)
	}
}

// serverResult shows the result of a tool that ran at the provider. Its form
// varies, so it is passed on unchanged.
func (p *Projector) serverResult(t *thread, toolUseID string, raw json.RawMessage) {
	var body struct {
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(raw, &body) // an unexpected form is shown whole below
	var failed struct {
		ErrorCode string `json:"error_code"`
	}
	_ = json.Unmarshal(body.Content, &failed) // a list of hits isn't an error
	e := &event.ToolResult{
		ToolUseID: toolUseID, IsError: failed.ErrorCode != "", Outcome: event.UseDone,
		Content: []event.ResultContent{}, Structured: structured(raw),
	}
	if failed.ErrorCode != "" {
		e.Outcome = event.UseError
		e.Content = []event.ResultContent{{Type: "text", Text: failed.ErrorCode}}
	}
	p.toolResult(t.parent, e)
}

// structured returns a tool's own result if it is an object or a list; a bare
// string repeats the text.
func structured(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && json.Valid(raw) {
		return raw
	}
	return nil
}

// contents translates the parts of a tool's result.
func contents(parts wire.Content) []event.ResultContent {
	out := make([]event.ResultContent, 0, len(parts))
	for _, c := range parts {
		switch {
		case c.Type == "text":
			out = append(out, event.ResultContent{Type: "text", Text: c.Text})
		case c.Type == "image" && c.Source != nil && c.Source.Type == "base64":
			out = append(out, event.ResultContent{Type: "image", MediaType: c.Source.MediaType, Data: c.Source.Data})
		default:
			out = append(out, event.ResultContent{Type: "other", Text: string(c.Raw)})
		}
	}
	return out
}

// isInterruptMark recognizes the line that the CLI leaves for the model after
// an interrupt. Users see a separate event.
func isInterruptMark(text string) bool {
	return strings.HasPrefix(text, "[Request interrupted by user")
}

// madeID returns id, or a new one for a message without one.
func (p *Projector) madeID(kind, id string) string {
	if id != "" {
		return id
	}
	p.made++
	return kind + "-" + strconv.Itoa(p.made)
}
