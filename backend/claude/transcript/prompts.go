package transcript

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// A transcript line isn't always what it seems: the CLI's texts for the model are
// on the user's side, commands are wrapped in tags, and a command's output is its
// own message. An act is the visible meaning of a line.
type act struct {
	kind        actKind
	text        string
	attachments []event.Attachment
	// shell is how a user's command ended, as far as the line says.
	shell *ended
}

type actKind uint8

const (
	actAnswer      actKind = iota // a piece of an assistant's message
	actPrompt                     // a user's prompt
	actShell                      // a user's shell command
	actShellOutput                // its output; part of its message
	actSynthetic                  // text inserted by the CLI that users may read
	actOutput                     // output of one of the CLI's own commands
	actInterrupted                // a user stopped the turn
	actCompacted
	actCompactFailed
	actCleared
	actFailed // an API error; the text is the CLI's wording
)

// acts returns a line's visible meaning, in order; nil for invisible lines. It
// ignores tool results, which belong to earlier messages.
func (l *Line) acts() []act {
	if l.meta {
		return nil
	}
	switch l.Type {
	case "user":
		return l.userActs()
	case "assistant":
		return l.assistantActs()
	case "attachment":
		return l.attachmentActs()
	case "system":
		switch l.Subtype {
		case "compact_boundary":
			return []act{{kind: actCompacted}}
		case "local_command":
			return envelope(str(l.content), str(member(l.command, "command")))
		}
	}
	return nil
}

// Adds counts the messages that a line starts. Each line of an assistant's
// message returns 1, and a user's command output returns 0: it belongs to the
// preceding command.
func (l *Line) Adds() int {
	acts := l.acts()
	if onlyOutput(acts) {
		return 0
	}
	return len(acts)
}

// Belongs reports whether a line contains the output of a user's command: it is
// shown with the command in the line before it.
func (l *Line) Belongs() bool { return l.Type == "user" && onlyOutput(l.acts()) }

func onlyOutput(acts []act) bool { return len(acts) == 1 && acts[0].kind == actShellOutput }

// Prompt returns a user's prompt in readable form. It returns false for
// lines that aren't prompts.
func (l *Line) Prompt() (string, bool) {
	for _, a := range l.acts() {
		switch a.kind {
		case actPrompt:
			return a.text, true
		case actShell:
			return shellSign + a.text, true
		}
	}
	return "", false
}

// shellSign precedes a user's command where it is listed among prompts.
const shellSign = "! "

// noResponse is the text that the CLI adds for the model when it resumes a
// conversation that ended on the user's side. Nobody wrote it.
const noResponse = "No response requested."

func (l *Line) assistantActs() []act {
	var acts []act
	var first string
	each(member(l.message, "content"), func(kind string, block []byte) bool {
		if kind == "text" {
			first = str(member(block, "text"))
			if block[0] == '"' {
				first = str(block)
			}
			if first == "" || first == noResponse && l.Model() == "" {
				return true
			}
		}
		if kindOf(kind) != "" {
			acts = []act{{kind: actAnswer}}
		}
		return acts == nil
	})
	if l.failed && !l.Sidechain {
		// A subagent uses the CLI's own words; here users get advice.
		return []act{{kind: actFailed, text: first}}
	}
	return acts
}

func (l *Line) userActs() []act {
	var parts []string
	var files []event.Attachment
	each(member(l.message, "content"), func(kind string, block []byte) bool {
		switch kind {
		case "text":
			if block[0] == '"' {
				parts = append(parts, str(block))
			} else {
				parts = append(parts, str(member(block, "text")))
			}
		case "image", "document":
			files = append(files, attached(kind, block, len(files)+1))
		}
		return true
	})
	if parts == nil && files == nil {
		return nil
	}
	said := strings.Join(parts, "\n")
	switch {
	case l.summary:
		return []act{{kind: actSynthetic, text: said}}
	case isInterruptMark(said):
		return []act{{kind: actInterrupted}}
	case str(member(l.origin, "kind")) == "task-notification":
		return nil
	}
	acts := envelope(said, "")
	if acts == nil && len(files) > 0 {
		acts = []act{{kind: actPrompt}}
	}
	if len(acts) > 0 && acts[0].kind == actPrompt {
		acts[0].attachments = append(files, acts[0].attachments...) // files are requested by index
	}
	return acts
}

// attachmentActs handles one kind of user attachment: a prompt that was sent
// during a turn.
func (l *Line) attachmentActs() []act {
	if str(member(l.attachment, "type")) != "queued_command" {
		return nil
	}
	if mode := str(member(l.attachment, "commandMode")); mode != "" && mode != "prompt" {
		return nil
	}
	inner := Line{Type: "user", origin: member(l.attachment, "origin")}
	inner.message = []byte(`{"content":` + string(member(l.attachment, "prompt")) + `}`)
	return inner.userActs()
}

// promptID returns the id a prompt was sent with.
func (l *Line) promptID() string {
	if l.Type == "attachment" {
		if id := str(member(l.attachment, "source_uuid")); id != "" {
			return id
		}
	}
	return l.UUID
}

// each calls fn for the blocks of a message's content with their types. Content
// that is a string is one block of text.
func each(content []byte, fn func(kind string, block []byte) bool) {
	if len(content) == 0 {
		return
	}
	switch content[0] {
	case '"':
		fn("text", content)
	case '{':
		fn(str(member(content, "type")), content)
	case '[':
		elements(content, func(block []byte) bool { return fn(str(member(block, "type")), block) })
	}
}

// attached describes an image or document of a prompt.
func attached(kind string, block []byte, n int) event.Attachment {
	source := member(block, "source")
	data := bytes.TrimRight(bytes.Trim(member(source, "data"), `"`), "=")
	a := event.Attachment{Name: str(member(block, "title")), MediaType: str(member(source, "media_type"))}
	if a.Name == "" {
		a.Name = kind + " " + strconv.Itoa(n)
	}
	if str(member(source, "type")) == "base64" {
		a.Bytes = int64(base64.RawStdEncoding.DecodedLen(len(data)))
	}
	return a
}

// envelope reads text that the CLI may have wrapped in tags: a command becomes
// what a user typed, its output a message of its own, and what only the model
// should read is left out. command names the command whose output it may be.
func envelope(said, command string) []act {
	if acts := shellActs(said); acts != nil {
		return acts
	}
	said, context, note := unwrap(said)
	if note != "" {
		return []act{{kind: actSynthetic, text: note}}
	}
	bare := strings.TrimSpace(said)
	if bare == "" || strings.HasPrefix(bare, caveat) {
		return nil
	}
	switch tag, _ := opening(bare); tag {
	case "command-name", "command-message", "command-args":
		name, args := inside(bare, "command-name"), inside(bare, "command-args")
		if name == "" {
			name = "/" + inside(bare, "command-message")
		}
		return []act{{kind: actPrompt, text: strings.TrimSpace(name + " " + args)}}
	case "user-memory-input":
		return []act{{kind: actPrompt, text: "# " + inside(bare, tag)}}
	case "local-command-stdout", "local-command-stderr":
		return printed(inside(bare, tag), command)
	}
	if machineNote.MatchString(bare) {
		return []act{{kind: actSynthetic, text: bare}}
	}
	return []act{{kind: actPrompt, text: said, attachments: context}}
}

// caveat begins the note that older CLIs put before commands.
const caveat = "Caveat: The messages below were generated by the user while running local commands"

// printed says what a command's output comes to.
func printed(out, command string) []act {
	out = strings.TrimSpace(escapePattern.ReplaceAllString(out, ""))
	switch {
	case command == "clear":
		return []act{{kind: actCleared}}
	case out == "", strings.HasPrefix(out, "Compacted"):
		return nil // the compaction has a line of its own
	case command == "compact":
		return []act{{kind: actCompactFailed, text: out}, {kind: actOutput, text: out}}
	}
	return []act{{kind: actOutput, text: out}}
}

// opening returns the tag that a text begins with, "" when it begins with none.
func opening(s string) (tag, rest string) {
	if !strings.HasPrefix(s, "<") {
		return "", s
	}
	tag, rest, ok := strings.Cut(s[1:], ">")
	if !ok || strings.ContainsAny(tag, "< \t\n/") {
		return "", s
	}
	return tag, rest
}

// inside returns what stands between a tag and its end, or between the tag and the
// end of the text.
func inside(s, tag string) string {
	_, rest, ok := strings.Cut(s, "<"+tag+">")
	if !ok {
		return ""
	}
	body, _, _ := strings.Cut(rest, "</"+tag+">")
	return body
}

var escapePattern = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// synthetic wraps text that the CLI made in a frame, as it would have come live.
func synthetic(id, said string) *wire.Assistant {
	return &wire.Assistant{Message: wire.Message{
		ID: id, Role: "assistant", Model: wire.SyntheticModel, Content: wire.Content{{Type: "text", Text: said}},
	}}
}
