package transcript

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"parley/backend/event"
)

// wrapper is the meaning of a machine-written tag around user-side text.
type wrapper uint8

const (
	unknownWrapper wrapper = iota
	forModel               // not for users
	fromEditor             // what the user was viewing while typing
	fromOthers             // text of another session, or of a hook
)

// wrapperOf knows the tags that the CLI and its editor extensions write. Single plain
// words are excluded, even those the CLI uses (tick, terminal, browser): users type them,
// and their prompt would be hidden.
func wrapperOf(tag string) wrapper {
	switch tag {
	case "system-reminder", "session-start-hook", "user-prompt-submit-hook", "post-tool-use-hook", "task-notification", "local-command-caveat", "fork-boilerplate":
		return forModel
	case "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics":
		return fromEditor
	case "teammate-message", "cross-session-message", "agent-message":
		return fromOthers
	}
	return unknownWrapper
}

// maxWrappers is how many tags are removed from each end of a prompt. Machines write a
// few; text that consists of tags stays as it is.
const maxWrappers = 64

// machineNote matches notes that the CLI puts on the user's side without a
// tag.
var machineNote = regexp.MustCompile(`^(?:[A-Z][A-Za-z]+(?::\S+)? (?:hook (?:feedback|blocking error|additional context|stopped continuation|(?:success|error):)|operation blocked by hook:)(?:$|[^\w])|\[?Your previous response (?:had|reached the output limit with) no visible output\b|Another Claude session sent a message:|This session is being continued from a previous conversation\b)`)

// unwrap removes machine-written text from the start and end of a prompt. An unknown tag
// stays: the user may have typed it.
func unwrap(said string) (rest string, context []event.Attachment, note string) {
	var notes []string
	take := func(tag, body string) bool {
		switch wrapperOf(tag) {
		case forModel:
		case fromEditor:
			context = append(context, editorContext(body))
		case fromOthers:
			notes = append(notes, strings.TrimSpace(body))
		default:
			return false
		}
		return true
	}
	rest = said
	for range maxWrappers {
		tag, body, after, ok := wrapped(rest)
		if !ok || !take(tag, body) {
			break
		}
		rest = after
	}
	for range maxWrappers {
		before, tag, body, ok := wrappedLast(rest)
		if !ok || !take(tag, body) {
			break
		}
		rest = before
	}
	rest = strings.TrimSpace(rest)
	if len(notes) > 0 && rest != "" {
		return said, nil, "" // a user's text about them
	}
	if context == nil && notes == nil && rest == strings.TrimSpace(said) {
		return said, nil, ""
	}
	return rest, context, strings.Join(notes, "\n\n")
}

var openTag = regexp.MustCompile(`^\s*<([a-z][a-z0-9_-]*)(?:\s[^<>]*)?>`)

// wrapped splits a text that starts with a tag after the tag's end.
func wrapped(s string) (tag, body, after string, ok bool) {
	at := openTag.FindStringSubmatchIndex(s)
	if at == nil {
		return "", "", "", false
	}
	tag = s[at[2]:at[3]]
	body, after, ok = strings.Cut(s[at[1]:], "</"+tag+">")
	return tag, body, after, ok
}

// wrappedLast splits a text that ends with a tag before the tag's start.
func wrappedLast(s string) (before, tag, body string, ok bool) {
	body, ok = strings.CutSuffix(strings.TrimRightFunc(s, unicode.IsSpace), ">")
	end := strings.LastIndex(body, "</")
	if !ok || end < 0 {
		return "", "", "", false
	}
	tag = body[end+2:]
	if wrapperOf(tag) == unknownWrapper {
		return "", "", "", false
	}
	begin := strings.LastIndex(s[:end], "<"+tag)
	if begin < 0 {
		return "", "", "", false
	}
	opened, body, after, ok := wrapped(s[begin:])
	if !ok || opened != tag || strings.TrimSpace(after) != "" {
		return "", "", "", false
	}
	return s[:begin], tag, body, true
}

var editorFile = regexp.MustCompile(`(?:opened the file|lines? (\d+)(?: to (\d+))? from|in the file|^file:?)\s+([^\n]+?)(?:\s+in the IDE\b|[:.]?(?:\n|$))`)

// editorContext describes what a user was viewing in their editor, as an attachment
// without content.
func editorContext(body string) event.Attachment {
	a := event.Attachment{Name: "editor", MediaType: "text/x-editor-context"}
	m := editorFile.FindStringSubmatch(strings.TrimSpace(body))
	if m == nil {
		return a
	}
	a.Name = path.Base(strings.ReplaceAll(strings.TrimRight(m[3], ":."), `\`, "/"))
	switch {
	case m[2] != "" && m[1] != m[2]:
		a.Name += ":" + m[1] + "-" + m[2]
	case m[1] != "":
		a.Name += ":" + m[1]
	}
	return a
}

// unnamed removes all tags at the start of a prompt, for a title.
func unnamed(prompt string) string {
	rest := prompt
	for {
		tag, _, after, ok := wrapped(rest)
		if !ok || !strings.ContainsAny(tag, "-_") {
			break
		}
		rest = after
	}
	if strings.TrimSpace(rest) == "" {
		return prompt
	}
	return rest
}
