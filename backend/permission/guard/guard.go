// Package guard rates the risk of a tool call: what it would destroy, which rights it
// needs, what it would send away, which secrets it reads, what it would leave behind.
// It uses fixed tables, on the same parsing of shell commands as rules. Anything
// unknown is never low.
//
// The package is pure. It knows neither rules nor users: a level is advice for a
// dialog, and a condition for running something without one. It has no
// goroutines, and its functions may be called from any.
package guard

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
	"parley/backend/truncate"
)

// Level is the risk of a call.
type Level string

// The levels, lowest first. Low may run without asking: it only reads, or changes
// files in the session's folder that don't run automatically.
const (
	Low      Level = "low"
	Medium   Level = "medium"
	High     Level = "high"
	Critical Level = "critical"
)

// Kind is the category of a risk.
type Kind string

// The kinds.
const (
	Destructive  Kind = "destructive"
	Privilege    Kind = "privilege"
	Exfiltration Kind = "exfiltration"
	Credentials  Kind = "credentials"
	Persistence  Kind = "persistence"
	// Code runs something that can't be inspected here.
	Code Kind = "code"
	// Outside reads or changes files outside the session's folder.
	Outside Kind = "outside"
	// Unclear couldn't be parsed or is unknown.
	Unclear Kind = "unclear"
)

// Risk is the risk of a call, with reasons.
type Risk struct {
	Level Level  `json:"level"`
	Kinds []Kind `json:"kinds,omitempty"`
	// Findings are the reasons, most severe first; none means low.
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one reason.
type Finding struct {
	Level Level `json:"level"`
	Kind  Kind  `json:"kind"`
	// Words are the command, file or address it is about.
	Words string `json:"words"`
	// Why is a plain sentence.
	Why string `json:"why"`
}

func rank(l Level) int {
	return slices.Index([]Level{Low, Medium, High, Critical}, l)
}

// AtLeastHigh reports whether it is high or critical: only a user who saw it, or a rule
// that names it, may allow it.
func (r Risk) AtLeastHigh() bool { return rank(r.Level) >= rank(High) }

// maxFindings bounds the reported findings of one call; the level counts all.
const maxFindings = 50

// maxFiles bounds how many files of one command are assessed: more count as
// high risk.
const maxFiles = 1000

// note collects findings.
type note struct {
	engine rule.Engine
	call   rule.Call
	list   []Finding
	seen   map[Finding]bool
}

func (n *note) add(level Level, kind Kind, words, why string) {
	f := Finding{level, kind, words, why}
	if !n.seen[f] {
		n.seen[f] = true
		n.list = append(n.list, f)
	}
}

// Assess rates the risk of a call on a computer.
func Assess(e rule.Engine, call rule.Call) Risk {
	n := &note{engine: e.Bounded(), call: call, seen: map[Finding]bool{}}
	var input map[string]json.RawMessage
	if json.Unmarshal(call.Input, &input) != nil {
		n.add(Medium, Unclear, call.Tool, "Parley could not read the input.")
		return n.risk()
	}
	text := func(field string) string {
		var s string
		if json.Unmarshal(input[field], &s) != nil {
			return ""
		}
		return s
	}
	switch call.Tool {
	case "Bash", "Monitor":
		if string(input["dangerouslyDisableSandbox"]) == "true" {
			n.add(High, Privilege, "dangerouslyDisableSandbox", "Runs outside the sandbox.")
		}
		n.command(text("command"))
	case "PowerShell":
		n.add(Medium, Unclear, text("command"), "Parley cannot check PowerShell commands.")
	case "Read", "NotebookRead", "LS", "Grep", "Glob":
		for _, name := range named(text("file_path"), text("notebook_path"), text("path")) {
			n.file(e.Locate(call.CWD, name), true, false)
		}
		if p := text("pattern"); call.Tool == "Glob" && (strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.Contains(p, "..")) {
			n.add(Medium, Outside, p, "Searches outside the session's folder.")
		}
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		for _, name := range named(text("file_path"), text("notebook_path")) {
			n.file(e.Locate(call.CWD, name), false, true)
		}
	case "WebFetch":
		n.address(text("url"))
	case "WebSearch", "TodoWrite", "Agent", "Task", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList", "TaskStop", "AskUserQuestion", "ExitPlanMode",
		"EnterPlanMode", "ToolSearch", "ListMcpResourcesTool", "ReportFindings", "ScheduleWakeup":
	case "CronCreate", "RemoteTrigger":
		n.add(Medium, Persistence, call.Tool, "Schedules something to run later.")
	default:
		n.add(Medium, Unclear, call.Tool, "Parley does not know what this tool does.")
	}
	return n.risk()
}

// named returns the files an input names: all of them, whichever the tool uses.
func named(fields ...string) []string {
	names := slices.DeleteFunc(fields, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return []string{"."}
	}
	return names
}

// risk returns the result.
func (n *note) risk() Risk {
	r := Risk{Level: Low}
	slices.SortStableFunc(n.list, func(a, b Finding) int { return rank(b.Level) - rank(a.Level) })
	for _, f := range n.list {
		if rank(f.Level) > rank(r.Level) {
			r.Level = f.Level
		}
		if !slices.Contains(r.Kinds, f.Kind) {
			r.Kinds = append(r.Kinds, f.Kind)
		}
	}
	r.Findings = n.list[:min(len(n.list), maxFindings)]
	return r
}

// command assesses everything a shell command would run.
func (n *note) command(source string) {
	if strings.TrimSpace(source) == "" {
		n.add(Medium, Unclear, "", "There is no command.")
		return
	}
	script := shell.Read(source, shell.Env{Dir: n.call.CWD, Home: n.engine.Home})
	for _, d := range script.Doubts {
		n.add(Medium, Unclear, short(source), d)
	}
	if bomb(source) {
		n.add(Critical, Destructive, short(source), "Starts copies of itself until the computer freezes.")
	}
	writes, files := false, 0
	for i, c := range script.Commands {
		n.piped(script.Commands, i)
		n.computed(script.Commands, c)
		if len(script.Commands) > 1 {
			for _, f := range n.engine.Moved(n.call.CWD, c) {
				n.at(f, true, false, true)
			}
		}
		n.simple(source, c, &writes, &files)
	}
}

// simple assesses one of the commands in source. writes reports whether any has written so
// far, files counts their files.
func (n *note) simple(source string, c shell.Command, writes *bool, files *int) {
	for _, d := range c.Doubts {
		if d != shell.WhyScript { // rated with the program, see coding
			n.add(Medium, Unclear, short(c.Text()), d)
		}
	}
	if len(c.Dirs) == 0 {
		n.add(Medium, Unclear, short(c.Text()), "It is unclear which folder it runs in.")
	}
	if strings.ContainsRune(c.Stdin, shell.Unknown) && (c.Foreign || len(c.Layers) > 1 || !ordinary(viewOf(c.Args()))) {
		n.add(Medium, Unclear, short(c.Text()), "Its input is only known when it runs.")
	}
	n.one(c)
	for _, dir := range c.Dirs {
		if !n.engine.Inside(n.call.CWD, n.engine.Locate(dir, ".")) {
			n.add(Medium, Outside, dir, "Runs outside the session's folder.")
		}
	}
	if rule.NamesElsewhere(c.Args()) {
		n.add(Medium, Unclear, short(c.Text()), "The file names come from another file or command.")
	}
	v := viewOf(c.Args())
	v.deep, v.own = v.has("-r", "-R", "--recursive"), v.once(append(v.withoutOwn().own, v.onlyRead()...))
	v.folders = v.withFolder().folders
	for _, f := range n.engine.Touched(n.call.CWD, c) {
		*writes = *writes || f.Write && c.Name() != "git"
		if *files++; *files > maxFiles {
			n.add(High, Unclear, short(source), "Uses more files than Parley can check.")
			break
		}
		n.touched(v, f)
	}
	n.fetched(v, c)
	if c.Name() == "git" {
		n.repository(c, *writes)
	}
}

// repository assesses which repository git would use, because a repository's settings
// can make git run programs. Only the session's own checkout existed before.
func (n *note) repository(c shell.Command, writes bool) {
	for _, dir := range c.Dirs {
		at := n.engine.Locate(dir, ".").Real
		root := ""
		if n.engine.Checkout != nil {
			root = n.engine.Checkout(at)
		}
		switch own := n.engine.Locate(n.call.CWD, ".").Real; {
		case root == "":
			n.add(Medium, Unclear, short(c.Text()), "It is unclear which repository git would use.")
		case own != root && !strings.HasPrefix(own, strings.TrimSuffix(root, "/")+"/"):
			n.add(High, Code, short(c.Text()), "Uses another Git repository, whose settings can run programs.")
		case root != at && writes: // its output may turn the folder into a repository
			n.add(Medium, Unclear, short(c.Text()), "The repository is only known when it runs.")
		}
	}
}

// bomb detects a function that only starts itself twice.
func bomb(source string) bool {
	s := strings.Join(strings.Fields(source), "")
	name, rest, ok := strings.Cut(s, "(){")
	if i := strings.LastIndexAny(name, ";&|"); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimPrefix(name, "function")
	return ok && name != "" && strings.HasPrefix(rest, name+"|"+name+"&")
}

// short keeps words readable in a list.
func short(s string) string { return truncate.Runes(strings.TrimSpace(s), 200) }

// piped assesses a command that runs the output of others.
func (n *note) piped(all []shell.Command, i int) {
	c := all[i]
	if c.Stage == 0 || !interpreter(c.Name()) || len(c.Args()) > 1 && !strings.HasPrefix(c.Args()[1].Text, "-") {
		return
	}
	level, why := High, "Runs the output of another command."
	for _, from := range all {
		if from.Pipe != c.Pipe || from.Stage >= c.Stage {
			continue
		}
		switch {
		case downloader(from.Name()):
			level, why = Critical, "Downloads and runs code."
		case from.Name() == "base64" || from.Name() == "xxd" || from.Name() == "openssl":
			level, why = Critical, "Runs code hidden by an encoding."
		}
	}
	n.add(level, Code, short(c.Text()), why)
}

// computed assesses a command that runs text produced by other commands.
func (n *note) computed(all []shell.Command, c shell.Command) {
	v := viewOf(c.Args())
	made := false
	for _, w := range v.words {
		made = made || w.Process && (interpreter(v.name) || v.is("source", ".")) ||
			w.Unknown && (v.is("eval") || interpreter(v.name) && v.has("-c", "-e"))
	}
	if !made {
		return
	}
	level, why := High, "Runs code that is only known when it runs."
	if slices.ContainsFunc(all, func(from shell.Command) bool { return downloader(from.Name()) }) {
		level, why = Critical, "Downloads and runs code."
	}
	n.add(level, Code, v.text, why)
}

func interpreter(name string) bool {
	switch strings.TrimRight(name, "0123456789.") {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "python", "perl", "ruby", "node", "deno", "bun", "php", "lua", "osascript", "Rscript", "tclsh", "pwsh":
		return true
	}
	return false
}

func downloader(name string) bool {
	switch name {
	case "curl", "wget", "http", "https", "xh", "aria2c", "lynx", "fetch", "nc", "ncat", "socat":
		return true
	}
	return false
}
