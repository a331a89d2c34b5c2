package transcript

import (
	"regexp"
	"strings"

	"parley/backend/truncate"
	"parley/backend/untrusted"
)

// maxTitle is the maximum title length in characters.
const maxTitle = 120

// Title derives a title from a prompt: one visible line, without placeholders for pasted
// text and without leading text in tags, at most 120 characters. It returns "" if nothing
// is left.
func Title(prompt string) string {
	title := strings.Join(strings.Fields(placeholderPattern.ReplaceAllString(unnamed(prompt), " ")), " ")
	if len(title) > maxTitleBytes {
		title = strings.ToValidUTF8(title[:maxTitleBytes], "")
	}
	return truncate.Runes(strings.TrimSpace(untrusted.Visible(title)), maxTitle)
}

// maxTitleBytes is how much of a prompt is read for its title.
const maxTitleBytes = 32 * maxTitle

var placeholderPattern = regexp.MustCompile(`\[(?:Image|Pasted text|\.\.\.Truncated text)[^\]\n]{0,80}\]`)

// IsMetaCommand reports whether a prompt is a CLI command that says nothing
// about the conversation, such as /clear or /model.
func IsMetaCommand(prompt string) bool {
	name, ok := strings.CutPrefix(strings.TrimSpace(prompt), "/")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "add-dir", "agents", "bug", "clear", "compact", "config", "context", "cost", "doctor", "effort", "exit", "export",
		"fast", "help", "hooks", "ide", "login", "logout", "mcp", "memory", "model", "output-style", "permissions", "plugin",
		"privacy-settings", "quit", "release-notes", "rename", "resume", "rewind", "stats", "status", "statusline",
		"terminal-setup", "theme", "todos", "upgrade", "usage", "vim":
		return true
	}
	return false
}
