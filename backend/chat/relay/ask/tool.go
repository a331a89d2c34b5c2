package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/event"
)

// fact is a non-code detail of a tool call.
type fact struct{ name, value string }

// use is what a tool would do, complete.
type use struct {
	// title is a question in plain words.
	title string
	// exact is the subject of the decision, lang its language, file its name as a
	// file.
	exact, lang, file string
	facts             []fact
	// says is the model's description of its purpose.
	says string
}

// kind returns what the exact text is.
func (u use) kind() string {
	switch u.lang {
	case "bash":
		return "command"
	case "diff":
		return "change"
	case "json":
		return "input"
	}
	return "text"
}

// maxFact bounds the details shown beside the exact text, in characters.
const maxFact = 300

// useOf describes a tool call. A tool without its own form is shown as the whole input.
func useOf(q event.Question) use {
	whole := use{title: titleOf(q), exact: indent(q.Input), lang: "json", file: "input.json"}
	var fields map[string]json.RawMessage
	if json.Unmarshal(q.Input, &fields) != nil {
		return whole
	}
	t := &taker{fields: fields}
	u := use{title: whole.title}
	switch q.ToolName {
	case "Bash":
		u.exact, u.lang, u.file, u.says = t.text("command"), "bash", "command.sh", t.text("description")
		if t.flag("run_in_background") {
			u.facts = append(u.facts, fact{"In the background", "yes"})
		}
		if t.flag("dangerouslyDisableSandbox") {
			u.facts = append(u.facts, fact{"Sandbox", "switched off for this command"})
		}
		if n := t.number("timeout"); n > 0 {
			u.facts = append(u.facts, fact{"Stops after", (time.Duration(n) * time.Millisecond).String()})
		}
	case "Write":
		name := t.text("file_path")
		u.exact, u.file, u.facts = t.raw("content"), "content-"+base(name), []fact{{"File", name}}
	case "Edit":
		name := t.text("file_path")
		u.exact, u.lang, u.file, u.facts = difference(t.raw("old_string"), t.raw("new_string")), "diff", "change.diff", []fact{{"File", name}}
		if t.flag("replace_all") {
			u.facts = append(u.facts, fact{"Every occurrence", "yes"})
		}
	case "WebFetch":
		u.exact, u.file = t.text("url"), "address.txt"
		if prompt := t.text("prompt"); prompt != "" {
			u.facts = append(u.facts, fact{"Goal", prompt})
		}
	default:
		return whole
	}
	if !t.rest(&u) {
		whole.says = u.says
		return whole
	}
	return u
}

// taker takes the fields of an input one by one, and knows what is left.
type taker struct {
	fields map[string]json.RawMessage
	odd    bool
}

// raw takes a required text.
func (t *taker) raw(name string) string {
	var s string
	raw, ok := t.fields[name]
	if !ok || json.Unmarshal(raw, &s) != nil {
		t.odd = true
	}
	delete(t.fields, name)
	return s
}

// text takes a text, "" if missing.
func (t *taker) text(name string) string {
	if _, ok := t.fields[name]; !ok {
		return ""
	}
	return t.raw(name)
}

func (t *taker) flag(name string) bool {
	var b bool
	if raw, ok := t.fields[name]; ok && json.Unmarshal(raw, &b) == nil {
		delete(t.fields, name)
	}
	return b
}

func (t *taker) number(name string) float64 {
	const day = 24 * 60 * 60 * 1000
	var n float64
	if raw, ok := t.fields[name]; ok && json.Unmarshal(raw, &n) == nil && n > 0 && n <= day {
		delete(t.fields, name)
		return n
	}
	return 0
}

// rest adds what wasn't taken, and reports whether everything can be shown
// this way.
func (t *taker) rest(u *use) bool {
	for _, name := range slices.Sorted(maps.Keys(t.fields)) {
		u.facts = append(u.facts, fact{name, string(t.fields[name])})
	}
	for _, f := range u.facts {
		if len([]rune(f.name)) > 60 || len([]rune(f.value)) > maxFact || strings.ContainsAny(f.value, "\n\r") {
			return false
		}
	}
	return !t.odd && strings.TrimSpace(u.exact) != "" && len(u.facts) <= 10 && len([]rune(u.says)) <= maxFact
}

// titleOf returns the question in plain words.
func titleOf(q event.Question) string {
	if strings.HasPrefix(q.ToolName, "mcp__parley__") && q.Title != "" {
		return q.Title // Parley's own tools provide their title
	}
	words := map[string]string{
		"Bash": "Run this command?", "Write": "Write this file?", "Edit": "Make this change?", "MultiEdit": "Make these changes?",
		"NotebookEdit": "Change this notebook?", "Read": "Read this file?", "Glob": "Find these files?", "Grep": "Search for this?",
		"WebFetch": "Fetch this page?", "WebSearch": "Search the web for this?", "Agent": "Delegate this to another agent?",
		"Task": "Delegate this to another agent?", "Skill": "Use this skill?", "KillShell": "Stop this command?", "Monitor": "Watch this?",
		"EnterWorktree": "Work in a separate worktree?", "CronCreate": "Schedule this?", "SlashCommand": "Run this CLI command?",
	}
	if w := words[q.ToolName]; w != "" {
		return w
	}
	if server, tool, ok := strings.Cut(strings.TrimPrefix(q.ToolName, "mcp__"), "__"); ok && strings.HasPrefix(q.ToolName, "mcp__") {
		return fmt.Sprintf("Use %s from %s?", strings.ReplaceAll(tool, "_", " "), strings.ReplaceAll(server, "_", " "))
	}
	return fmt.Sprintf("Use %s?", q.ToolName)
}

// indent formats JSON on several lines, and leaves anything else unchanged.
func indent(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// difference shows a complete replacement. Common lines at the start and end are shown
// once.
func difference(before, after string) string {
	from, to := lines(before), lines(after)
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	var b strings.Builder
	write := func(mark string, all []string) {
		for _, line := range all {
			b.WriteString(mark + line + "\n")
		}
	}
	write(" ", from[:head])
	write("-", from[head:len(from)-tail])
	write("+", to[head:len(to)-tail])
	write(" ", from[len(from)-tail:])
	return strings.TrimSuffix(b.String(), "\n")
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(plainEnds(s), "\n")
}

// base returns a file's name in a form the chat accepts.
func base(name string) string {
	name = strings.Map(func(r rune) rune {
		if hides(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, filepath.Base(filepath.ToSlash(name)))
	if r := []rune(name); len(r) > 80 {
		name = string(r[len(r)-80:])
	}
	return name
}
