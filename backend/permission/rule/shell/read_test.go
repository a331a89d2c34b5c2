package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// said formats the result: each command with its attributes, a doubt as "?".
func said(s Script) string {
	var out []string
	for _, c := range s.Commands {
		line := c.Text()
		for _, a := range c.Assigns {
			line = a.Name + "=" + a.Value.Shape + " " + line
		}
		for _, r := range c.Redirects {
			line += map[bool]string{true: " >", false: " <"}[r.Write] + r.Target.Text
		}
		if c.Stdin != "" {
			line += fmt.Sprintf(" stdin %q", c.Stdin)
		}
		if c.Carrier {
			line += " (carries)"
		}
		if c.Moved || len(c.Dirs) != 1 || c.Dirs[0] != "/d" {
			line += " in " + strings.Join(slices.Sorted(slices.Values(c.Dirs)), ",")
		}
		if c.Pipe > 0 {
			line += fmt.Sprintf(" pipe %d.%d", c.Pipe, c.Stage)
		}
		if len(c.Doubts) > 0 {
			line += " ?"
		}
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	if len(s.Doubts) > 0 {
		out = append(out, "?")
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), string(Unknown), "…")
}

func TestRead(t *testing.T) {
	for source, want := range map[string]string{
		"a b":                               "a b",
		"a; b":                              "a\nb",
		"a && b || c":                       "a\nb\nc",
		"! a":                               "a",
		"a | b | c":                         "a pipe 1.0\nb pipe 1.1\nc pipe 1.2",
		"a | b; c | d":                      "a pipe 1.0\nb pipe 1.1\nc pipe 2.0\nd pipe 2.1",
		"a | (b; c) | d":                    "a pipe 1.0\nb pipe 1.1\nc pipe 1.1\nd pipe 1.2",
		"a |& b":                            "a pipe 1.0\nb pipe 1.1",
		"x=1":                               "x=1 (carries)",
		"x=1 a":                             "x=1 a",
		"x=1 > f":                           "x=1 >f",
		"x=$(a)":                            "a\nx=… (carries)",
		"> f":                               ">f (carries)",
		"{ a; b; } > f":                     ">f (carries)\na\nb",
		"a < f > g 2>> h":                   "a <f >g >h",
		"cat <<E\nx y\nE":                   `cat stdin "x y\n"`,
		"cat <<< 'x y'":                     `cat stdin "x y\n"`,
		"cd e && a":                         "cd e\na in /d/e",
		"cd e; a":                           "cd e\na in /d,/d/e",
		"cd e || a":                         "cd e\na",
		"(cd e && a); b":                    "cd e\na in /d/e\nb",
		"cd $x; a":                          "cd $x ?\na in",
		"cd /; cd ~; cd ../x; a":            "cd /\ncd /home/u in /,/d\ncd ../x in /,/d,/home/u\na in",
		"exit; a":                           "exit\na in",
		"if a; then b; else c; fi":          "a\nb\nc",
		"while a; do b; done":               "a\nb",
		"for x in 1 2; do b; done":          "b",
		"case x in y) a;; *) b;; esac":      "a\nb",
		"f() { a; }; b":                     "a\nb\n?",
		"timeout 5 a":                       "timeout 5 a",
		"sudo -u x a":                       "sudo -u x a",
		"bash -c 'a; b'":                    "bash -c 'a; b' (carries)\na\nb",
		"bash -c \"$x\"":                    "bash -c \"$x\" ?\n?",
		"bash -c *":                         "bash -c *\n?",
		"bash -c a*":                        "bash -c a*\n?",
		"bash x":                            "bash x",
		"bash":                              "bash\n?",
		"bash <<< 'a'":                      "bash stdin \"a\\n\" (carries)\na",
		"a | bash":                          "a pipe 1.0\nbash pipe 1.1\n?",
		"eval 'a b'":                        "eval 'a b' (carries)\na b",
		"echo $(a)":                         "a\necho $(a) ?",
		"echo `a`":                          "a\necho $(a) ?",
		"echo ${x:-$(a)}":                   "a\necho ${x:-$(a)} ?",
		"echo ${x#$(a b {c,d})}":            "a b c d\necho ${x#$(a b {c,d})} ?",
		"echo ${x#{a}":                      "echo ${x#{a} ?\n?",
		"echo <(a)":                         "a\necho /dev/fd/63",
		"find . -exec a {} \\;":             "find . -exec a '{}' ';'\nfind . -exec a {} ?",
		"xargs -I{} a {} b":                 "xargs '-I{}' a {} b … ?",
		"xargs -I % a %x b":                 "xargs -I % a %x b … ?",
		"xargs -0I a a b":                   "xargs -0I a a b … ?",
		"xargs -J@ -n1 a 'x@'":              "xargs -J@ -n1 a x@ … ?",
		"parallel a {.}":                    "parallel a {.} … ?",
		"xargs a":                           "xargs a … ?",
		`a \`:                               "a '\\'",
		`a b\`:                              "a 'b\\'",
		"[[ 1 -eq 1 ]]":                     "",
		"[[ -1 -lt 1 ]] && a":               "a",
		"[[ - -lt 1 ]] && a":                "a\n?",
		"[[ x -eq 1 ]]":                     "?",
		"((1+1)); a":                        "a",
		"((x)); a":                          "a\n?",
		"a; \"":                             "a\n?",
		"if a; then cd e; b; else c; fi; d": "a\ncd e\nb in /d,/d/e\nc\nd in /d,/d/e",
		"if cd e; then b; else c; fi":       "cd e\nb in /d/e\nc",
		"if cd e; then b; fi; c":            "cd e\nb in /d/e\nc in /d,/d/e",
		"cd ''; a":                          "cd ''\na in",
		"cd e*; a":                          "cd e*\na in",
		"cd -; a":                           "cd -\na in",
		"cd +1; a":                          "cd +1\na in",
		"cd; a":                             "cd\na in /d,/home/u",
		"cd a b; c":                         "cd a b\nc in",
		"pushd e; a":                        "pushd e\na in /d,/d/e",
		"pushd; a":                          "pushd\na in",
		"popd; a":                           "popd\na in",
		"cd -- e; a":                        "cd -- e\na in /d,/d/e",
		"[ x":                               "'[' x",
		"a [":                               "a '['",
		"a x[":                              "a x[",
		"a [x":                              "a '[x'",
		"a {1..3}$(b)":                      "b\na {1..3}$(b) ?",
		"a x[bc]d*":                         "a x[bc]d*",
		"a [!x]y?/z[a-c]":                   "a [!x]y?/z[a-c]",
		"bash -s <<< 'a b'":                 "bash -s stdin \"a b\\n\" (carries)\na b",
		"a\u202eb":                          "$'a\\u202eb'\n?",
	} {
		if got := said(Read(source, Env{Dir: "/d", Home: "/home/u"})); got != want {
			t.Errorf("%s\n--- read\n%s\n--- want\n%s", source, got, want)
		}
	}
}

// A script over a limit is in doubt, and one at the limit isn't.
func TestBounds(t *testing.T) {
	nested := func(n int) string {
		s := "a"
		for range n {
			s = "bash -c " + Quote(s)
		}
		return s
	}
	for name, tt := range map[string]struct{ fits, over string }{
		"long":     {"a '" + strings.Repeat("x", maxSource-4) + "'", "a '" + strings.Repeat("x", maxSource-3) + "'"},
		"deep":     {nested(maxDepth), nested(maxDepth + 1)},
		"words":    {"a" + strings.Repeat(" b", maxCount-1), "a" + strings.Repeat(" b", maxCount)},
		"commands": {strings.Repeat("a;", 499), strings.Repeat("a;", maxCommands+1)},
		"braces":   {"a " + strings.Repeat("{a,b}", 8), "a " + strings.Repeat("{a,b}", 9)},
	} {
		for over, source := range map[bool]string{false: tt.fits, true: tt.over} {
			s := Read(source, Env{Dir: "/d"})
			doubt := len(s.Doubts) > 0
			for _, c := range s.Commands {
				doubt = doubt || len(c.Doubts) > 0
			}
			if doubt != over || len(s.Commands) > maxCommands {
				t.Errorf("%s, over %v: %d commands, doubts %q", name, over, len(s.Commands), s.Doubts)
			}
		}
	}
}
