package demo

import "strings"

// Text that CLI 2.1.329 puts into user messages beside, or instead of, a user's
// text. Like the markers in classify.go it is checked against the real CLI.
const (
	markInterrupted = "[Request interrupted by user"
	markContinued   = "This session is being continued from a previous conversation"
	markSteered     = "The user sent a new message while you were working:\n"
	markSteeredEnd  = "\n\nThis is how Claude Code surfaces messages"
	markNotified    = "<task-notification>"
)

// notTyped are the prefixes of text blocks that the CLI wrote.
func notTyped() []string {
	return []string{
		markInterrupted, markContinued,
		"Your response above was cut off mid-stream.",
		"Tool loaded.",
		"[Image: source:",
		"<local-command-", "<command-name>", "<command-message>", "<bash-", markNotified,
	}
}

// typed returns the texts a user wrote in a message, oldest first. There can be
// several: after a failed or interrupted answer the CLI sends the unanswered prompt
// and the next one as two blocks of one message.
func typed(m Message) []string {
	var parts []string
	for _, b := range m.Blocks {
		if b.Type != "text" {
			continue
		}
		text := ""
		switch m.Role {
		case "user":
			text = typedText(b.Text)
		case "system":
			if _, rest, found := strings.Cut(b.Text, markSteered); found {
				text, _, _ = strings.Cut(rest, markSteeredEnd)
			}
		}
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	return parts
}

func typedText(s string) string {
	s = strings.TrimSpace(stripReminders(s))
	for _, start := range notTyped() {
		if strings.HasPrefix(s, start) {
			return ""
		}
	}
	return s
}

// stripReminders removes the blocks that the CLI marks as its own. An unclosed
// one hides the rest.
func stripReminders(s string) string {
	const open, end = "<system-reminder>", "</system-reminder>"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, open)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, after, closed := strings.Cut(rest, end)
		if !closed {
			return out.String()
		}
		s = after
	}
}

// readConversation fills in the fields derived from Messages.
func (r *Request) readConversation() {
	calls := map[string]Block{}
	open := 0 // index after the last assistant message
	for i, m := range r.Messages {
		if m.Role == "assistant" {
			open = i + 1
			for _, b := range m.Blocks {
				if b.Type == "tool_use" {
					calls[b.ToolUseID] = b
				}
			}
		}
		if list := typed(m); len(list) > 0 {
			r.Text = list[len(list)-1]
			r.Prompts += len(list)
		}
	}
	for _, m := range r.Messages[open:] {
		r.Fresh = r.Fresh || len(typed(m)) > 0
		for _, b := range m.Blocks {
			switch {
			case b.Type == "tool_result":
				call := calls[b.ToolUseID]
				r.Results = append(r.Results, ToolResult{
					ToolUseID: b.ToolUseID, Name: call.Name, Input: call.Input, Text: b.Text, IsError: b.IsError,
				})
			case m.Role == "user" && strings.HasPrefix(b.Text, markInterrupted):
				r.Interrupted = true
			case m.Role == "user" && strings.Contains(b.Text, markNotified):
				r.Notified = true
			}
		}
	}
	r.Notified = r.Notified && !r.Fresh
}
