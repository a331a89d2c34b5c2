// Package guard says how risky the use of a tool looks: what it would destroy, which
// rights it wants, what it would send away, which secrets it gets at, what it would
// leave behind. It judges by fixed tables, on the same reading of shell commands that
// rules use. What it does not know is never low.
//
// The package is pure. It knows neither rules nor people: a level is advice for a
// dialog, and a condition for letting something pass without one. It has no
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

// Level is how risky a call looks.
type Level string

// The levels, lowest first. Low is what may pass without a question: it looks at
// things, or changes files in the session's folder that do not run by themselves.
const (
	Low      Level = "low"
	Medium   Level = "medium"
	High     Level = "high"
	Critical Level = "critical"
)

// Kind is what is risky about it.
type Kind string

// The kinds.
const (
	Destructive  Kind = "destructive"
	Privilege    Kind = "privilege"
	Exfiltration Kind = "exfiltration"
	Credentials  Kind = "credentials"
	Persistence  Kind = "persistence"
	// Code runs something that cannot be looked into here.
	Code Kind = "code"
	// Outside reads or changes files outside of the session's folder.
	Outside Kind = "outside"
	// Unclear is what could not be understood, or is unknown.
	Unclear Kind = "unclear"
)

// Risk is how risky a call looks, and why.
type Risk struct {
	Level Level  `json:"level"`
	Kinds []Kind `json:"kinds,omitempty"`
	// Findings are what was noticed, gravest first; none means low.
	Findings []Finding `json:"findings,omitempty"`
}

// Finding is one thing that was noticed.
type Finding struct {
	Level Level `json:"level"`
	Kind  Kind  `json:"kind"`
	// Words are the command, file or address that it is about.
	Words string `json:"words"`
	// Why is a plain sentence.
	Why string `json:"why"`
}

func rank(l Level) int {
	return slices.Index([]Level{Low, Medium, High, Critical}, l)
}

// Grave says whether it is high or critical: what only a user may allow who saw it,
// or a rule that names it.
func (r Risk) Grave() bool { return rank(r.Level) >= rank(High) }

// maxFindings bounds what is told about one call; the level counts all.
const maxFindings = 50

// maxFiles bounds how many files of one command are looked at: more are grave.
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

// Assess says how risky a call looks on a machine.
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

// named are the files that an input names: all of them, whichever the tool takes.
func named(fields ...string) []string {
	names := slices.DeleteFunc(fields, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return []string{"."}
	}
	return names
}

// risk sums up.
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

// command looks at all that a shell command would run.
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

// simple looks at one command of those in source. It says whether any has written so far, and
// counts their files.
func (n *note) simple(source string, c shell.Command, writes *bool, files *int) {
	for _, d := range c.Doubts {
		n.add(Medium, Unclear, short(c.Text()), d)
	}
	if len(c.Dirs) == 0 {
		n.add(Medium, Unclear, short(c.Text()), "It is unclear which folder it runs in.")
	}
	if strings.ContainsRune(c.Stdin, shell.Hole) && (c.Foreign || len(c.Layers) > 1 || !ordinary(viewOf(c.Args()))) {
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
			n.add(High, Unclear, short(source), "Names more files than Parley can check.")
			break
		}
		n.touched(v, f)
	}
	n.fetched(v, c)
	if c.Name() == "git" {
		n.repository(c, *writes)
	}
}

// repository looks at which repository git would use: the settings of one can make it
// run programs. Only the checkout that the session works in was there before.
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
			n.add(High, Code, short(c.Text()), "Uses another repository, whose settings can make git run programs.")
		case root != at && writes: // what it writes may make a repository of the folder
			n.add(Medium, Unclear, short(c.Text()), "The repository is only known when it runs.")
		}
	}
}

// bomb finds a function that does nothing but start itself twice.
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

// piped looks at a command that runs what others print.
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

// computed looks at a command that runs text that other commands make.
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
