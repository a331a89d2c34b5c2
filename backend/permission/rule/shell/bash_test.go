package shell

import (
	"os/exec"
	"strings"
	"testing"

	"parley/backend/need"
)

// This package must split words the way bash does.
func TestWordsAreThoseOfBash(t *testing.T) {
	bash := need.Program(t, "bash", "bash")
	for _, source := range []string{
		`a b`, `a  'b c'  "d e"`, `a\ b`, `'a'"b"c`, `"a\"b\\c\d"`, `'a\b'`, `a\\b`, `\a\'b`, `""`, `'' x`, `"a
b"`, "a\\\nb", "\"a\\\nb\"", `$'a\tb'`, `$'\x41\101\u00e9'`, `$'it\'s'`, `$'a\\b'`, `$'\e[0m'`, `$'\q'`, `$"hi"`, `a{b,c}d`, `{a,b}{c,d}`, `{a}`, `{,a}`, `a{b,{c,d}}`, `"{a,b}"`, `'{a,b}'`, `\{a,b}`,
		`~`, `~/x`, `a~`, `"~"`, `~/"x y"`, `$HOME`, `"$HOME/x"`, `${HOME}x`, `'$HOME'`, `\$HOME`, `--x=~/y`, `"a$"`, `"\\$"`, `"\\\$x"`, `"a\$b$"`, `"5$ "`, `"\\\\"`, `a$`, `"$"`, `x=~`, `x=~/y`, `of=~/"a b"`, `x=a:~/b`, `x=~:~`, `1x=~`, `x="~"`, `{,a}`, `{"",a}`, `x{,y}`, `a#b`, `#c`, `a=b`, `=`, `!`, `a!b`, `%s`, `$'%s%d'`, `$'\x2'`, `[`, `]`, `a]b`, `"*"`, `'?'`, `\*`,
		`"$(cat <<'E'
a $b "c" \d
  e

E
)"`, `"$(cat <<E
a \$b \\ c
E
)"`, `"a$(cat <<'E'
x
E
)b"`, `$'a'b"c"\d`, `--a="b c"`, `"${HOME}"/y`, "a\tb", `'a
b'`, `"\$x"`, "\"\\`x\"", `"a'b"`, `'a"b'`, `a\"b`, `é ü`, `日本`, `a,b`, `{1,2}x`, `x{1,2`, `-{a,b}`, `{a,"b c"}`, `{a,'b,c'}`, `{a\,b,c}`, `$''`, `a''b`, `"":""`,
	} {
		out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", `f() { printf '%s\0' "$@"; }; HOME=/home/u; f x `+source).Output()
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		script := Read("f x "+source, Env{Dir: "/d", Home: "/home/u"})
		c := script.Commands[len(script.Commands)-1]
		var got []string
		known := len(script.Doubts) == 0
		for _, w := range c.Args()[1:] {
			got = append(got, w.Text)
			known = known && !w.Unknown && !w.Glob
		}
		if !known {
			t.Logf("%s: in doubt %v", source, script.Doubts)
			continue
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("%s: %q, bash says %q", source, got, want)
		}
		// What is written back means the same.
		again := Read(Join(c.Args()), Env{Dir: "/d", Home: "/home/u"})
		var back []string
		for _, w := range again.Commands[0].Args()[1:] {
			back = append(back, w.Text)
		}
		if strings.Join(back, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("%s: written back as %s", source, Join(c.Args()))
		}
	}
}
