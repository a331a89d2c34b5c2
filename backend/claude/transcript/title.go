package transcript

import (
	"regexp"
	"strings"

	"parley/backend/truncate"
	"parley/backend/untrusted"
)

// maxTitle is the longest title, in characters.
const maxTitle = 120

// Title makes a title of a prompt: one line of what can be seen, without placeholders for
// what was pasted and without the text in tags that it begins with, at most 120 characters.
// It returns "" when nothing is left.
func Title(prompt string) string {
	title := strings.Join(strings.Fields(placeholderPattern.ReplaceAllString(unnamed(prompt), " ")), " ")
	if len(title) > maxTitleBytes {
		title = strings.ToValidUTF8(title[:maxTitleBytes], "")
	}
	return truncate.Runes(strings.TrimSpace(untrusted.Visible(title)), maxTitle)
}

// maxTitleBytes is what is looked at of a prompt for its title.
const maxTitleBytes = 32 * maxTitle

var placeholderPattern = regexp.MustCompile(`\[(?:Image|Pasted text|\.\.\.Truncated text)[^\]\n]{0,80}\]`)

// Housekeeping says whether a prompt is a command of the CLI's own that says
// nothing about the conversation, such as /clear or /model.
func Housekeeping(prompt string) bool {
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
