package transcript

import (
	"strings"

	"parley/backend/truncate"
)

// Part is a searchable text in a line.
type Part struct {
	// Kind is "prompt", "answer", "thinking", "toolInput", "toolOutput" or "notice".
	Kind string
	// MessageID is the part's message; "" for a tool's output, which belongs to
	// the message of its tool use.
	MessageID string
	// ToolUseID is set for inputs and outputs of tools; Tool, the tool's name, for
	// inputs.
	ToolUseID, Tool string
	// IsError marks the output of a failed tool, and API errors.
	IsError bool
	// Text is plain text; for a tool's input the strings in it, one per line, or
	// "".
	Text string
}

// Parts calls fn for the visible texts of a line, each at most about limit bytes
// long, those of tools toolLimit.
func (l *Line) Parts(limit, toolLimit int, fn func(Part)) {
	emit := func(p Part) {
		if p.Text = strings.TrimSpace(p.Text); p.Text != "" || p.Kind == "toolInput" {
			fn(p)
		}
	}
	if l.meta || l.Sidechain {
		return
	}
	if l.Type == "assistant" {
		l.answerParts(limit, toolLimit, emit)
		return
	}
	for _, a := range l.acts() {
		switch a.kind {
		case actPrompt:
			emit(Part{Kind: "prompt", MessageID: l.promptID(), Text: truncate.Prefix(a.text, limit)})
		case actShell:
			emit(Part{Kind: "prompt", MessageID: l.promptID(), Text: truncate.Prefix(shellSign+a.text, limit)})
		case actShellOutput:
			emit(Part{Kind: "answer", MessageID: l.Parent, Text: truncate.Prefix(escapePattern.ReplaceAllString(a.text, ""), limit)})
		case actSynthetic:
			emit(Part{Kind: "notice", MessageID: l.UUID, Text: truncate.Prefix(a.text, limit)})
		case actOutput:
			emit(Part{Kind: "answer", MessageID: l.UUID, Text: truncate.Prefix(a.text, limit)})
		}
	}
	if l.Type != "user" {
		return
	}
	each(member(l.message, "content"), func(kind string, block []byte) bool {
		if kind == "tool_result" {
			p := Part{Kind: "toolOutput", ToolUseID: str(member(block, "tool_use_id")), IsError: isTrue(member(block, "is_error"))}
			each(member(block, "content"), func(kind string, inner []byte) bool {
				if kind == "text" {
					if inner[0] != '"' {
						inner = member(inner, "text")
					}
					if p.Text != "" {
						p.Text += "\n"
					}
					p.Text += begin(inner, toolLimit-len(p.Text))
				}
				return len(p.Text) < toolLimit
			})
			emit(p)
		}
		return true
	})
}

func (l *Line) answerParts(limit, toolLimit int, emit func(Part)) {
	each(member(l.message, "content"), func(kind string, block []byte) bool {
		p := Part{MessageID: l.MessageID, IsError: l.failed}
		if l.failed && !l.Sidechain {
			p.MessageID = noticeID(l.UUID)
		}
		switch kindOf(kind) {
		case "text":
			p.Kind = "answer"
			if block[0] != '"' {
				block = member(block, "text")
			}
			p.Text = begin(block, limit)
		case "thinking":
			p.Kind, p.Text = "thinking", begin(member(block, "thinking"), limit)
		case "tool":
			p.Kind, p.ToolUseID, p.Tool = "toolInput", str(member(block, "id")), str(member(block, "name"))
			var b strings.Builder
			stringsIn(member(block, "input"), toolLimit, &b)
			p.Text = b.String()
		}
		emit(p)
		return true
	})
}

// stringsIn collects the strings of a value, one per line.
func stringsIn(raw []byte, limit int, b *strings.Builder) {
	if len(raw) == 0 || b.Len() >= limit {
		return
	}
	switch raw[0] {
	case '"':
		b.WriteString(begin(raw, limit))
		b.WriteByte('\n')
	case '{':
		members(raw, func(_, v []byte) bool { stringsIn(v, limit, b); return b.Len() < limit })
	case '[':
		elements(raw, func(v []byte) bool { stringsIn(v, limit, b); return b.Len() < limit })
	}
}

// begin returns the start of a string without reading the rest.
func begin(raw []byte, limit int) string {
	return str(raw[:min(len(raw), max(limit, 0))])
}
