package demo

import "strings"

// Markers of the requests that the CLI makes on its own, as seen in
// version 2.1.329. If a newer CLI words them differently, the real-CLI tests
// of this package fail, not the sessions: an unknown request is a Helper or Main.
const (
	markSubagent   = "cc_is_subagent=true"
	markCompact    = "an <analysis> block followed by a <summary> block"
	markSide       = "<system-reminder>This is a side question from the user."
	markSuggestion = "[SUGGESTION MODE:"
	markTitle      = "You are naming a coding session"
)

// classify decides the kind of a request whose other fields are filled in.
func (r *Request) classify(path string) Kind {
	newest := r.newestRaw()
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		return Count
	case strings.Contains(newest, markCompact):
		return Compact
	case strings.HasPrefix(newest, markSide), strings.HasPrefix(newest, markSuggestion):
		return Helper
	case r.AgentID != "" || strings.Contains(r.System, markSubagent):
		return Agent
	case strings.Contains(r.System, markTitle):
		return Title
	case r.MaxTokens == 1 || len(r.Messages) == 1 && newest == "quota":
		return Probe
	case len(r.Tools) == 0 && !strings.Contains(r.System, "# Environment") && !r.hasEnvironment():
		return Helper
	}
	return Main
}

// newestRaw is the text of the last user message, reminders included.
func (r *Request) newestRaw() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return joinText(r.Messages[i].Blocks, "\n")
		}
	}
	return ""
}

// hasEnvironment distinguishes a session started without tools from a helper
// call: only conversations get a description of their machine.
func (r *Request) hasEnvironment() bool {
	for _, m := range r.Messages {
		if m.Role == "system" && strings.Contains(joinText(m.Blocks, "\n"), "# Environment") {
			return true
		}
	}
	return false
}
