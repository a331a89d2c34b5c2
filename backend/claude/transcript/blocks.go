package transcript

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/backend/claude/wire"
)

// hasResults reports whether a line contains a tool's result.
func (l *Line) hasResults() bool {
	found := false
	each(member(l.message, "content"), func(kind string, _ []byte) bool {
		found = kind == "tool_result"
		return !found
	})
	return found
}

func (l *Line) toolResults() wire.Content {
	if !l.hasResults() {
		return nil
	}
	var out wire.Content
	for _, b := range blocks(member(l.message, "content")) {
		if b.Type == "tool_result" {
			out = append(out, b)
		}
	}
	return out
}

// blocks reads the content of a message.
func blocks(content []byte) wire.Content {
	var out wire.Content
	each(content, func(kind string, raw []byte) bool {
		if raw[0] == '"' {
			out = append(out, wire.Block{Type: "text", Text: str(raw)})
			return true
		}
		b := wire.Block{Type: kind}
		members(raw, func(key, v []byte) bool {
			switch string(key) {
			case "text":
				b.Text = str(v)
			case "thinking":
				b.Thinking = str(v)
			case "id":
				b.ID = str(v)
			case "name":
				b.Name = str(v)
			case "input":
				if gjson.ValidBytes(v) {
					b.Input = bytes.Clone(v)
				}
			case "tool_use_id":
				b.ToolUseID = str(v)
			case "is_error":
				b.IsError = isTrue(v)
			case "content":
				b.Content = blocks(v)
			case "source":
				b.Source = &wire.Source{
					Type: str(member(v, "type")), MediaType: str(member(v, "media_type")), Data: str(member(v, "data")),
				}
			}
			return true
		})
		switch kind {
		case "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result":
		default:
			b.Raw = []byte(strings.ToValidUTF8(string(raw), "\uFFFD"))
		}
		out = append(out, b)
		return true
	})
	return out
}

func readUsage(raw []byte) wire.Usage {
	var u wire.Usage
	members(raw, func(key, v []byte) bool {
		n, _ := number(v)
		switch string(key) {
		case "input_tokens":
			u.InputTokens = int64(n)
		case "cache_read_input_tokens":
			u.CacheReadInputTokens = int64(n)
		case "cache_creation_input_tokens":
			u.CacheCreationInputTokens = int64(n)
		case "output_tokens":
			u.OutputTokens = int64(n)
		}
		return true
	})
	return u
}

// number reads a JSON number.
func number(raw []byte) (float64, bool) {
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}
