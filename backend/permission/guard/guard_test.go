package guard

import (
	"encoding/json"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

func machine() rule.Engine {
	links := map[string]string{"/home/u/proj/d/out": "../../.ssh/id_rsa", "/home/u/proj/link": "/etc", "/home/u/proj/key": "../.ssh/id_rsa", "/home/u/proj/notes": "../other/notes"}
	return rule.Engine{Home: "/home/u", Readlink: func(name string) (string, error) { return links[name], nil }, Folder: func(dir string) (names, folders []string, all bool) {
		for name := range links {
			if path.Dir(name) == dir {
				names = append(names, path.Base(name))
			}
		}
		if dir == "/home/u/proj" {
			folders = []string{"src", "d"}
		}
		return names, folders, dir != "/home/u/proj/huge"
	}, Checkout: func(dir string) string {
		switch {
		case strings.HasPrefix(dir, "/home/u/proj/nested"):
			return "/home/u/proj/nested"
		case strings.HasPrefix(dir, "/home/u/proj/bare"), !strings.HasPrefix(dir, "/home/u/proj"):
			return ""
		}
		return "/home/u/proj"
	}}
}

// fieldOf returns the field of a tool's input that the table sets.
func fieldOf(tool string) string {
	switch tool {
	case "Read", "Edit", "Write":
		return "file_path"
	case "Grep":
		return "path"
	case "Glob":
		return "pattern"
	case "WebFetch":
		return "url"
	}
	return "command"
}

func callOf(t testing.TB, text string) rule.Call {
	t.Helper()
	call := rule.Call{Tool: "Bash", CWD: "/home/u/proj"}
	value := text
	switch {
	case strings.HasPrefix(text, "@{"):
		var raw struct {
			Tool  string
			Input json.RawMessage
		}
		if err := json.Unmarshal([]byte(text[1:]), &raw); err != nil {
			t.Fatal(err)
		}
		call.Tool, call.Input = raw.Tool, raw.Input
		return call
	case text[0] == '@':
		call.Tool, value, _ = strings.Cut(text[1:], " ")
	case text[0] == '"':
		if s, err := strconv.Unquote(text); err == nil {
			value = s
		}
	}
	call.Input, _ = json.Marshal(map[string]string{fieldOf(call.Tool): value})
	return call
}

type expected struct {
	number      int
	level, kind string
	text        string
}

func table(t testing.TB) []expected {
	t.Helper()
	raw, err := os.ReadFile("testdata/risks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []expected
	for i, s := range strings.Split(string(raw), "\n") {
		if s == "" || s[0] == '#' {
			continue
		}
		f := strings.SplitN(s, " ", 3)
		if len(f) != 3 {
			f = append(f, "")
		}
		out = append(out, expected{i + 1, f[0], f[1], f[2]})
	}
	return out
}

func TestAssess(t *testing.T) {
	all := table(t)
	for _, l := range all {
		got := Assess(machine(), callOf(t, l.text))
		kinds := ""
		for _, k := range got.Kinds {
			kinds += " " + string(k)
		}
		ok := string(got.Level) == l.level
		if l.kind == "-" {
			ok = ok && kinds == ""
		} else {
			ok = ok && strings.Contains(kinds+" ", " "+l.kind+" ")
		}
		if !ok {
			t.Errorf("line %d: %s: %s%s, want %s %s: %+v", l.number, l.text, got.Level, kinds, l.level, l.kind, got.Findings)
		}
		for _, f := range got.Findings {
			if f.Why == "" || f.Level == Low || rank(f.Level) > rank(got.Level) {
				t.Errorf("line %d: %s: finding %+v of %s", l.number, l.text, f, got.Level)
			}
		}
	}
	t.Logf("%d calls", len(all))
}

// FuzzAssess checks that a low command is fully parsed and, according to the
// parser alone, contains nothing that is never low.
func FuzzAssess(f *testing.F) {
	for _, l := range table(f) {
		if l.text != "" && l.text[0] != '@' {
			f.Add(l.text)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		input, err := json.Marshal(map[string]string{"command": source})
		if err != nil || strings.ToValidUTF8(source, "") != source {
			t.Skip()
		}
		got := Assess(machine(), rule.Call{Tool: "Bash", Input: input, CWD: "/home/u/proj"})
		if len(got.Findings) > maxFindings || rank(got.Level) < 0 {
			t.Fatalf("%q: %+v", source, got)
		}
		if got.Level != Low {
			return
		}
		script := shell.Read(source, shell.Env{Dir: "/home/u/proj", Home: "/home/u"})
		if len(script.Doubts) > 0 {
			t.Errorf("%q is low, and in doubt: %v", source, script.Doubts)
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(source), "")
		if err != nil {
			t.Fatalf("%q is low, and cannot be read: %v", source, err)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				switch name := call.Args[0].Lit(); name {
				case "rm", "sudo", "curl", "wget", "dd", "ssh", "nc", "python3", "node", "npm", "make", "crontab", "chmod", "kill", "shred", "docker":
					if len(call.Args) > 1 && !strings.HasSuffix(call.Args[1].Lit(), "version") && !strings.HasSuffix(call.Args[1].Lit(), "help") {
						t.Errorf("%q is low, and runs %s", source, name)
					}
				}
			}
			return true
		})
	})
}

// Everything that rules would have to ask about in detail has a level above low
// if it can't be parsed, also for unknown tools.
func TestUnknownIsNeverLow(t *testing.T) {
	for _, call := range []rule.Call{
		{Tool: "Bash", Input: json.RawMessage(`{}`)},
		{Tool: "Bash", Input: json.RawMessage(`[]`)},
		{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`)}, // in an unknown folder
		{Tool: "Bash", Input: json.RawMessage(`{"command":"` + strings.Repeat("ls;", 600) + `"}`), CWD: "/x"},
		{Tool: "Read", Input: json.RawMessage(`{"file_path":"x"}`)},
		{Tool: "SomethingNew", Input: json.RawMessage(`{}`), CWD: "/x"},
	} {
		if got := Assess(rule.Engine{}, call); got.Level == Low || len(got.Findings) == 0 {
			t.Errorf("%s %.40s: %+v", call.Tool, call.Input, got)
		}
	}
}

// No command is too short to assess.
func TestShortCommands(t *testing.T) {
	names := map[string]bool{"trap": true, "eval": true, "bash": true, "let": true, "coproc": true, "install": true, "xargs": true, "env": true, "sudo": true, "flock": true, "parallel": true, "watch": true}
	for _, p := range programs {
		for name := range strings.FieldsSeq(p.names) {
			names[strings.ReplaceAll(name, ".", " ")] = true
		}
	}
	for _, line := range running {
		for name := range strings.FieldsSeq(line.programs) {
			names[strings.ReplaceAll(name, ".", " ")] = true
		}
	}
	for name := range names {
		for _, tail := range []string{"", " -", " --", " -v", " -n", " x", " -- x", " -e", " -C", " ''", " > x", " < x", " $x", " *", " -o x", " x y", " x y z", " --x=y", " =", " -exec"} {
			call := bashCall(t, name+tail)
			Assess(machine(), call)
			someRules(t).Decide(call, time.Time{})
			machine().Suggest(call)
		}
	}
}

// Whichever of its fields a tool uses for the file, none is overlooked.
func TestAllFieldsCount(t *testing.T) {
	for _, tool := range []string{"Read", "Write", "NotebookEdit"} {
		call := rule.Call{Tool: tool, CWD: "/home/u/proj", Input: []byte(`{"file_path":"/etc/passwd","notebook_path":"/../../home/u/proj/x"}`)}
		if got := Assess(machine(), call); got.Level == Low {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

// An excessively nested input isn't taken for harmless, and passes no rule.
func TestDeepInput(t *testing.T) {
	deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	for _, input := range []string{deep, `{"command":"ls","more":` + deep + `}`, strings.Repeat(`{"command":`, 200_000), `{"command":` + deep + `}`} {
		for _, tool := range []string{"Bash", "Read", "Write", "mcp__x__y"} {
			call := rule.Call{Tool: tool, Input: json.RawMessage(input), CWD: "/home/u/proj"}
			if got := Assess(machine(), call); got.Level == Low {
				t.Errorf("%s %.30s… is %s", tool, input, got.Level)
			}
			if v := machine().Decide([]rule.Rule{{Effect: rule.Allow, Tool: tool, Pattern: "ls:*", Scope: rule.Global}}, call, time.Time{}); v.Effect == rule.Allow {
				t.Errorf("%s %.30s… is allowed", tool, input)
			}
		}
	}
}
