package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// stream translates one piece of a streaming message.
func (p *Projector) stream(f *wire.StreamEvent) {
	t := p.thread(f.ParentToolUseID)
	switch e := f.Event.(type) {
	case *wire.MessageStart:
		p.begin(t, e.ID, e.Model)
		if t.parent == "" {
			p.meter.Call(e.Model, tokens(e.Usage))
			p.context()
		}
	case *wire.BlockStart:
		p.blockStart(t, e)
	case *wire.BlockDelta:
		p.blockDelta(t, e)
	case *wire.BlockStop:
		if b := t.blocks[e.Index]; b != nil && !t.stopped {
			p.end(t, b)
		}
	case *wire.MessageDelta:
		if t.parent == "" && e.Usage.OutputTokens != nil {
			p.meter.Output(tokensDelta(e.Usage))
			p.context()
		}
	}
}

func (p *Projector) blockStart(t *thread, e *wire.BlockStart) {
	if t.stopped || t.blocks[e.Index] != nil {
		return
	}
	b := &block{id: t.blockID(e.Index), kind: kindOf(e.Type)}
	t.blocks[e.Index] = b
	switch {
	case b.kind == "text":
		p.text(t, b, e.Text)
	case b.kind == "thinking":
		p.open(t, b)
		p.thinking(t, b, e.Text)
	case b.kind == "tool":
		p.toolStart(t, b, e.ID, e.Name, e.Type != "tool_use")
	case strings.HasSuffix(e.Type, "_tool_result"):
		p.serverResult(t, e.ToolUseID, e.Raw)
	}
}

func (p *Projector) blockDelta(t *thread, e *wire.BlockDelta) {
	b := t.blocks[e.Index]
	if b == nil || t.stopped || b.ended {
		return
	}
	switch e.Kind {
	case wire.DeltaText:
		p.text(t, b, e.Text)
	case wire.DeltaThinking:
		p.thinking(t, b, e.Text)
		if e.EstimatedTokens > 0 {
			p.emit(t.parent, &event.ThinkingDelta{BlockID: b.id, Tokens: e.EstimatedTokens})
		}
	case wire.DeltaInputJSON:
		if b.kind == "tool" && e.Text != "" {
			b.length += len(e.Text)
			p.emit(t.parent, &event.ToolInput{ToolUseID: b.tool, Name: p.toolName(b.tool), BlockID: b.id, Text: e.Text})
		}
	}
}

// open announces a thinking block.
func (p *Projector) open(t *thread, b *block) {
	b.opened = true
	p.emit(t.parent, &event.ThinkingStart{MessageID: t.message, BlockID: b.id})
}

func (p *Projector) text(t *thread, b *block, text string) {
	if text == "" || b.kind != "text" {
		return
	}
	delta := &event.TextDelta{MessageID: t.message, BlockID: b.id, Text: text}
	if !b.opened {
		b.opened, delta.Model = true, t.model
	}
	b.length += len(text)
	p.emit(t.parent, delta)
}

func (p *Projector) thinking(t *thread, b *block, text string) {
	if text == "" || b.kind != "thinking" {
		return
	}
	b.length += len(text)
	p.emit(t.parent, &event.ThinkingDelta{BlockID: b.id, Text: text})
}

func (p *Projector) toolStart(t *thread, b *block, id, name string, server bool) {
	b.opened, b.tool = true, id
	if p.tools[id] == nil {
		if len(p.toolOrder) >= maxTools {
			delete(p.tools, p.toolOrder[0])
			p.toolOrder = p.toolOrder[1:]
		}
		p.toolOrder = append(p.toolOrder, id)
	}
	p.tools[id] = &toolUse{name: name, parent: t.parent, server: server}
	p.emit(t.parent, &event.ToolStart{MessageID: t.message, BlockID: b.id, ToolUseID: id, Name: name, Server: server})
}

// pending announces a tool's complete input, once.
func (p *Projector) pending(t *thread, id string, input json.RawMessage) {
	use := p.tools[id]
	if use == nil || use.pending {
		return
	}
	use.pending = true
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	p.emit(t.parent, &event.ToolPending{ToolUseID: id, Name: use.name, Input: input})
}

func (p *Projector) end(t *thread, b *block) {
	if b.ended {
		return
	}
	b.ended = true
	if b.opened {
		p.emit(t.parent, &event.BlockEnd{BlockID: b.id})
	}
}

func (p *Projector) toolName(id string) string {
	if use := p.tools[id]; use != nil {
		return use.name
	}
	return ""
}

func (p *Projector) thinkingTokens(f *wire.ThinkingTokens) {
	t := p.thread("")
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(t.blocks))) {
		if b := t.blocks[i]; b.kind == "thinking" && !b.ended && !t.stopped {
			p.emit("", &event.ThinkingDelta{BlockID: b.id, Tokens: f.EstimatedTokens})
			return
		}
	}
}
