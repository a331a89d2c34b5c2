package post

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/backend/event"
)

// Limits of one tool call's display, in characters. A line with all its possible
// additions has at most lineWeight.
const (
	maxObject  = 140
	maxName    = 60
	maxTail    = 200
	tailLines  = 3
	lineWeight = 460
)

// tool is the display of one tool call.
type tool struct {
	name, object string
	// known is true once its input is known.
	known bool
	// state is "" while it is running, then that of an [event.Tool], as is reason.
	state, reason, detail, tail string
	// told is true once a result set the state.
	told bool
	ms   int64
	// uses counts a subagent's tool calls.
	uses int
}

// hidden reports whether a tool is shown in another way: its question is posted.
func hidden(name string) bool { return name == "AskUserQuestion" || name == "ExitPlanMode" }

func icon(name string) string {
	switch name {
	case "Bash", "BashOutput", "KillShell", "Monitor", "TaskStop", "TaskOutput":
		return "🔧"
	case "Read", "ListMcpResourcesTool", "ReadMcpResourceTool":
		return "📖"
	case "Edit", "MultiEdit", "NotebookEdit":
		return "✏️"
	case "Write":
		return "📝"
	case "WebFetch", "WebSearch", "web_fetch", "web_search":
		return "🌐"
	case "Glob", "Grep", "ToolSearch":
		return "🔍"
	case "Task", "Agent":
		return "👥"
	case "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet":
		return "📋"
	}
	return "⚙️"
}

// input processes a tool's complete input.
func (t *tool) input(raw json.RawMessage, folder string) {
	t.known = true
	var in struct {
		Command     string            `json:"command"`
		FilePath    string            `json:"file_path"`
		Notebook    string            `json:"notebook_path"`
		URL         string            `json:"url"`
		Query       string            `json:"query"`
		Pattern     string            `json:"pattern"`
		Path        string            `json:"path"`
		Description string            `json:"description"`
		Skill       string            `json:"skill"`
		Todos       []json.RawMessage `json:"todos"`
	}
	_ = json.Unmarshal(raw, &in) // other tools have other inputs
	switch t.name {
	case "Bash", "Monitor":
		t.object = in.Command
	case "Read", "Edit", "MultiEdit", "Write", "NotebookEdit":
		t.object = relative(in.FilePath+in.Notebook, folder)
	case "WebFetch":
		t.object = in.URL
	case "WebSearch", "ToolSearch", "web_search":
		t.object = in.Query
	case "Glob", "Grep":
		t.object = in.Pattern
		if in := relative(in.Path, folder); in != "" && in != "." {
			t.object += " in " + in
		}
	case "Task", "Agent":
		t.object = in.Description
	case "Skill":
		t.object = in.Skill
	case "TodoWrite":
		t.object = strconv.Itoa(len(in.Todos)) + " points"
	}
	if t.object == "" {
		t.object = compact(raw)
	}
	t.object = Truncate(OneLine(t.object[:firstRunes(t.object, 4*maxObject)]), maxObject)
}

// relative returns a path relative to a folder.
func relative(path, folder string) string {
	if folder == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// compact returns a tool's input on one line, without empty fields.
func compact(raw json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil || len(fields) == 0 {
		return ""
	}
	for k, v := range fields {
		if v == nil || v == "" {
			delete(fields, k)
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(fields) != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// result processes a tool's result.
func (t *tool) result(e *event.ToolResult) {
	t.state, t.reason, t.ms, t.told = e.Outcome, e.Reason, e.DurationMs, true
	switch e.Outcome {
	case event.UseDone:
		t.detail = summary(t.name, e.Structured)
		return
	case event.UseError:
		t.detail = "failed"
	default:
		return
	}
	text := outputOf(e.Content)
	if rest, ok := strings.CutPrefix(text, "Exit code "); ok {
		code, after, _ := strings.Cut(rest, "\n")
		if n, err := strconv.Atoi(strings.TrimSpace(code)); err == nil {
			t.detail, text = "exit "+strconv.Itoa(n), after
		}
	}
	t.tail = lastLines(text, tailLines, maxTail)
}

// outputOf joins the texts of a tool's result.
func outputOf(content []event.ResultContent) string {
	var parts []string
	for _, c := range content {
		if c.Type == "text" && c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// lastLines returns the end of a text: at most that many lines and characters.
func lastLines(text string, lines, runes int) string {
	text = strings.TrimRight(clean(text[max(0, len(text)-4*runes-4):]), " \t\n")
	all := strings.Split(text, "\n")
	text = strings.Join(all[max(0, len(all)-lines):], "\n")
	if n := utf8.RuneCountInString(text); n > runes {
		text = "…" + text[firstRunes(text, n-runes+1):]
	}
	return strings.TrimLeft(text, "\n")
}

// summary briefly describes what a tool found or did.
func summary(name string, structured json.RawMessage) string {
	var r struct {
		File struct {
			NumLines int `json:"numLines"`
		} `json:"file"`
		NumFiles        *int `json:"numFiles"`
		StructuredPatch []struct {
			Lines []string `json:"lines"`
		} `json:"structuredPatch"`
	}
	if len(structured) == 0 || json.Unmarshal(structured, &r) != nil {
		return ""
	}
	switch name {
	case "Read":
		return count(r.File.NumLines, "line")
	case "Glob", "Grep":
		if r.NumFiles != nil {
			return strconv.Itoa(*r.NumFiles) + " " + plural(*r.NumFiles, "file")
		}
	case "Edit", "MultiEdit", "Write":
		added, removed := 0, 0
		for _, h := range r.StructuredPatch {
			for _, l := range h.Lines {
				switch {
				case strings.HasPrefix(l, "+"):
					added++
				case strings.HasPrefix(l, "-"):
					removed++
				}
			}
		}
		if added+removed > 0 {
			return fmt.Sprintf("+%d −%d", added, removed)
		}
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// count is "3 lines", and "" for none.
func count(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " " + plural(n, noun)
}

// line returns the display of a tool, "" while its input is unknown.
func (t *tool) line() string {
	if !t.known {
		return ""
	}
	var b strings.Builder
	b.WriteString(icon(t.name) + " " + t.title())
	if t.object != "" {
		b.WriteString(" " + Code(t.object))
	}
	for _, s := range []string{count(t.uses, "use") + ofTools(t.uses), t.outcome(), duration(t.ms)} {
		if s != "" {
			b.WriteString(" · " + s)
		}
	}
	line := b.String()
	if t.tail != "" {
		if tail := "\n" + Fence(t.tail, ""); utf8.RuneCountInString(line+tail) <= lineWeight {
			return line + tail
		}
	}
	if utf8.RuneCountInString(line) > lineWeight { // it consists of backquotes
		return icon(t.name) + " " + t.title()
	}
	return line
}

func ofTools(n int) string {
	if n == 0 {
		return ""
	}
	return " of tools"
}

// outcome returns a tool call's outcome in a word or two.
func (t *tool) outcome() string {
	switch t.state {
	case "":
		return "…"
	case event.UseNotRun:
		return "not run" + whyNot[t.reason]
	case event.UseStopped:
		return "stopped"
	case event.UseCutOff:
		return "cut off, may have run"
	case event.UseError:
		return "**" + t.detail + "**"
	}
	return t.detail
}

// whyNot describes why a tool didn't run, if not just because the turn was stopped.
var whyNot = map[string]string{
	event.ReasonDenied: ": denied", event.ReasonExpired: ": nobody answered", event.ReasonSkipped: ": skipped",
	event.ReasonUnavailable: ": no such tool",
}

// title returns a tool's display name: those of MCP servers have two parts.
func (t *tool) title() string {
	name := t.name
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, own, ok := strings.Cut(rest, "__"); ok {
			name = server + ": " + own
		}
	}
	return "**" + Escape(Truncate(OneLine(name), maxName)) + "**"
}

// duration formats a duration, "" for zero.
func duration(ms int64) string {
	switch {
	case ms < 50:
		return ""
	case ms < 10_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64), ".0") + " s"
	case ms < 100_000:
		return strconv.FormatInt((ms+500)/1000, 10) + " s"
	case ms < 3_600_000:
		return strconv.FormatInt((ms+30_000)/60_000, 10) + " min"
	}
	return strconv.FormatFloat(float64(ms)/3_600_000, 'f', 1, 64) + " h"
}
