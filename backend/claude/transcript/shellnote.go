package transcript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/backend/event"
)

// A user's command is two messages for the model: the command and its output, in
// the tags that the CLI uses for them. An extra tag, which the CLI ignores, records
// how the command ended, so that it reads the same from the file.

// ended is the content of the tag bash-ended.
type ended struct {
	State      string `json:"state"`
	ExitCode   int    `json:"exitCode"`
	Signal     string `json:"signal,omitempty"`
	DurationMs int64  `json:"durationMs"`
}

// ShellNote returns the messages for the model about a finished command: the command
// and its output. A [File] that gets both reconstructs the same command and output,
// except for the shell's remark about an omitted part.
func ShellNote(shell event.Shell, output string) (said, answer string) {
	how, _ := json.Marshal(ended{shell.State, shell.ExitCode, shell.Signal, shell.DurationMs}) // without "<"
	return "<bash-input>" + untagged(shell.Command) + "</bash-input>",
		"<bash-stdout>" + unread(untagged(output+ending(shell))) + "</bash-stdout><bash-stderr></bash-stderr>" +
			"<bash-ended>" + string(how) + "</bash-ended>"
}

// ending describes how a failed command ended.
func ending(shell event.Shell) string {
	switch {
	case shell.State == "stopped":
		return "\n[The person stopped the command]"
	case shell.Signal != "":
		return "\n[Ended by the signal: " + shell.Signal + "]"
	case shell.ExitCode != 0:
		return fmt.Sprintf("\n[Exit code %d]", shell.ExitCode)
	}
	return ""
}

const meaning = `\\*[/\s]*(?:bash-|system|antml|invoke|function|parameter|tool_|parley)`

var (
	anyTag  = regexp.MustCompile(`(?i)<(` + meaning + `)`)
	notATag = regexp.MustCompile(`(?i)<\\(` + meaning + `)`)
	anyFile = regexp.MustCompile(`(^|[^A-Za-z0-9\\])(\\*@)`)
	notRead = regexp.MustCompile(`(^|[^A-Za-z0-9\\])\\(\\*@)`)
)

// untagged escapes text that looks like one of the tags, or like others with a meaning
// to a model, and tagged reverses it. Package untrusted does the same irreversibly.
func untagged(s string) string { return anyTag.ReplaceAllString(s, `<\$1`) }

func tagged(s string) string { return notATag.ReplaceAllString(s, "<$1") }

// unread keeps the CLI from reading a file for each "@" in a command's output, as it
// does anywhere in a message: no user typed it. readAgain reverses it.
func unread(s string) string { return anyFile.ReplaceAllString(s, `$1\$2`) }

func readAgain(s string) string { return notRead.ReplaceAllString(s, "$1$2") }

// shellActs parses the messages for the model about a command; nil for
// anything else.
func shellActs(said string) []act {
	said = strings.TrimSpace(said)
	switch tag, _ := opening(said); tag {
	case "bash-input":
		return []act{{kind: actShell, text: tagged(inside(said, tag)), shell: &ended{State: "done"}}}
	case "bash-stdout", "bash-stderr":
		return []act{shellOutput(said)}
	}
	return nil
}

func shellOutput(said string) act {
	var how ended
	printed := inside(said, "bash-stdout")
	if json.Unmarshal([]byte(inside(said, "bash-ended")), &how) != nil || how.State == "" {
		// The CLI's own, which doesn't record how its commands end.
		printed = strings.Trim(printed+"\n"+inside(said, "bash-stderr"), "\n")
		return act{kind: actShellOutput, text: printed, shell: &ended{State: "done"}}
	}
	words := ending(event.Shell{State: how.State, ExitCode: how.ExitCode, Signal: how.Signal})
	return act{kind: actShellOutput, text: strings.TrimSuffix(tagged(readAgain(printed)), words), shell: &how}
}

// shellRan adds a command.
func (f *File) shellRan(id string, a act) {
	f.ran = id
	f.take(&event.ShellUpdate{MessageID: id, Shell: event.Shell{Command: a.text, State: a.shell.State}})
}

// shellPrinted adds the output of the preceding command, or, without one, a separate
// message.
func (f *File) shellPrinted(l *Line, a act) {
	m := f.log.byID[f.ran]
	f.ran = ""
	if m == nil || m.Shell == nil {
		if text := strings.TrimSpace(escapePattern.ReplaceAllString(a.text, "")); text != "" {
			f.frame(synthetic(l.UUID, text))
		}
		return
	}
	if a.text != "" {
		f.take(&event.TextDelta{MessageID: m.ID, BlockID: m.ID + ":0", Text: a.text})
	}
	f.take(&event.ShellUpdate{MessageID: m.ID, Shell: event.Shell{
		Command: m.Shell.Command, State: a.shell.State, ExitCode: a.shell.ExitCode, Signal: a.shell.Signal, DurationMs: a.shell.DurationMs,
	}})
}
