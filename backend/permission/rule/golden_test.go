package rule

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
)

// machine is the computer described in testdata/verdicts.txt.
func machine() Engine {
	links := map[string]string{
		"/home/u/proj/link": "/etc", "/home/u/proj/key": "../.ssh/id_rsa", "/home/u/proj/in": "src",
		"/home/u/proj/loop": "loop", "/home/u/proj/wild": "/home/u/proj/link/x", "/tmp/up": "/home/u/proj",
	}
	return Engine{Home: "/home/u", Readlink: func(name string) (string, error) {
		if name == "/home/u/proj/shut/x" {
			return "", errors.New("shut")
		}
		return links[name], nil
	}, Folder: func(dir string) (names, folders []string, all bool) {
		for name := range links {
			if path.Dir(name) == dir {
				names = append(names, path.Base(name))
			}
		}
		if dir == "/home/u/proj" {
			folders = []string{"src", "shut"}
		}
		return names, folders, dir != "/home/u/proj/shut"
	}}
}

// golden is one line of the table.
type golden struct {
	line  int
	group string
	rules []Rule
	want  Effect
	text  string
	call  Call
}

func goldens(t testing.TB) []golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	var rules []Rule
	group := ""
	for i, line := range strings.Split(string(raw), "\n") {
		effect := map[string]Effect{"+": Allow, "?": Ask, "-": Deny}[line[:min(1, len(line))]]
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			group, rules = line[3:], nil
		case effect != "":
			text, err := strconv.Unquote(`"` + strings.ReplaceAll(line[2:], `"`, `\"`) + `"`)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			r, err := Parse(text, effect)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			r.Scope, r.Source, r.ID = Global, Person, text
			rules = append(rules[:len(rules):len(rules)], r)
		case line[0] == '!':
			rules = append(rules[:len(rules):len(rules)], Reserved(line[2:])...)
		default:
			want, text, ok := strings.Cut(line, " ")
			if !ok {
				t.Fatalf("line %d: no call", i+1)
			}
			text = strings.TrimPrefix(text, strings.Repeat(" ", 5-len(want)))
			out = append(out, golden{i + 1, group, rules, Effect(want), text, callOf(t, text)})
		}
	}
	return out
}

func callOf(t testing.TB, text string) Call {
	t.Helper()
	call := Call{Tool: "Bash", CWD: "/home/u/proj"}
	field, value := "command", text
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
		_, field = kindOf(call.Tool)
		if call.Tool == "WebSearch" {
			field = "query"
		}
		if value == "" {
			field = "none"
		}
	case text[0] == '"':
		var err error
		if value, err = strconv.Unquote(text); err != nil {
			value = text
		}
	}
	call.Input, _ = json.Marshal(map[string]string{field: value})
	return call
}

func TestVerdicts(t *testing.T) {
	all := goldens(t)
	if len(all) < 750 {
		t.Fatalf("only %d verdicts", len(all))
	}
	for _, g := range all {
		got := machine().Decide(g.rules, g.call, time.Now())
		if got.Effect != g.want {
			t.Errorf("line %d (%s): %s: %s, want %s: %s %+v", g.line, g.group, g.text, got.Effect, g.want, got.Why, got.Parts)
		}
		if got.Why == "" || got.Effect == Deny && len(got.Matched) == 0 || got.Effect == Allow && !allAllow(got) {
			t.Errorf("line %d: %s: not a whole verdict: %+v", g.line, g.text, got)
		}
	}
	t.Logf("%d verdicts", len(all))
}

func allAllow(v Verdict) bool {
	if len(v.Matched) == 0 {
		return false
	}
	for _, p := range v.Parts {
		if p.Effect != Allow {
			return false
		}
	}
	return true
}
