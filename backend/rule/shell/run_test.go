package shell

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripts makes up scripts of the programs p, q and r, which do nothing but say that
// they ran; q fails.
type scripts struct{ *rand.Rand }

func (s scripts) pick(list ...func() string) string { return list[s.IntN(len(list))]() }

func (s scripts) one(list ...string) string { return list[s.IntN(len(list))] }

func (s scripts) name() string {
	return s.one("p", "q", "r", "p", "q", `'p'`, `\p`, `"q"`, `$'\x70'`, `p""`)
}

func (s scripts) word(depth int) string {
	plain := func() string {
		return s.one("a", "b", "'c d'", `"e"`, `f\ g`, "{h,i}", "j{k,l}m", "~", "~/x", "$HOME", "--n=1", "''", "{,o}", "$'p\\tq'", "k=~/v")
	}
	if depth <= 0 {
		return plain()
	}
	return s.pick(plain, plain, plain,
		func() string { return `"$(` + s.stmt(depth-1) + `)"` },
		func() string { return "$(" + s.stmt(depth-1) + ")" },
		func() string { return "<(" + s.stmt(depth-1) + ")" },
		func() string { return `"${U:-$(` + s.stmt(depth-1) + `)}"` },
		func() string { return s.one("$U", `"$U"`, "*.t", "a*", "$((1+2))", "{1..3}", `"$@"`) },
		func() string { return "\"$(cat <<'E'\n" + s.one("$(p)", "x y", "`q`") + "\nE\n)\"" },
	)
}

func (s scripts) simple(depth int) string {
	words := []string{s.name()}
	for range s.IntN(3) {
		words = append(words, s.word(depth))
	}
	text := strings.Join(words, " ")
	switch s.IntN(12) {
	case 0:
		return "V=1 " + text
	case 1:
		return "V=$(" + s.simple(0) + ") " + text
	case 2:
		return text + " > /dev/null"
	case 3:
		return text + " 2>&1"
	case 4:
		return s.one("timeout 5 ", "nice -n 1 ", "env A=1 ", "env -u A B=2 ", "command ", "timeout -k 1 5s nice ", "env -- ", "time -p ", "nohup ", "stdbuf -oL ") + text
	}
	return text
}

func (s scripts) stmt(depth int) string {
	if depth <= 0 {
		return s.simple(0)
	}
	d := depth - 1
	sub := func() string { return s.stmt(d) }
	quoted := func() string { return Quote(s.stmt(d)) }
	simple := func() string { return s.simple(d) }
	return s.pick(simple, simple, simple,
		func() string { return sub() + "; " + sub() },
		func() string { return sub() + " && " + sub() },
		func() string { return sub() + " || " + sub() },
		func() string { return sub() + " | " + sub() },
		func() string { return sub() + "\n" + sub() },
		func() string { return "(" + sub() + ")" },
		func() string { return "{ " + sub() + "; }" },
		func() string { return "! " + simple() },
		func() string { return "if " + sub() + "; then " + sub() + "; else " + sub() + "; fi" },
		func() string { return "for i in 1 2; do " + sub() + "; done" },
		func() string { return "while " + sub() + "; do " + sub() + "; break; done" },
		func() string { return "case x in x) " + sub() + ";; *) " + sub() + ";; esac" },
		func() string { return simple() + " & wait" },
		func() string { return "eval " + quoted() },
		func() string {
			return s.one("bash -c ", "sh -c ", "bash -ec ", "timeout 5 bash -c ", "env bash -c ") + quoted()
		},
		func() string { return "bash <<'EE'\n" + sub() + "\nEE\n" },
		func() string { return "bash <<< " + quoted() },
		func() string { return "cat <<EE\n$(" + simple() + ")\nEE\n" },
		func() string { return "echo x | xargs " + s.one("p", "q -n", "r 'a b'") },
		func() string { return "find . -maxdepth 0 -exec p {} x \\;" },
		func() string {
			return "cd " + s.one("d", "d/e", "nowhere", "..", "./d", "$U", "d/..", "~") + s.one(" && ", "; ", " || ") + sub()
		},
		func() string { return "pushd d > /dev/null && " + sub() },
		func() string { return "f() { " + sub() + "; }; f" },
		func() string { return "trap " + quoted() + " EXIT" },
		func() string { return `[[ -n "$(` + sub() + `)" ]] && ` + sub() },
		func() string { return "(exec " + s.one("p", "q") + " a)" },
		func() string { return "cd d && bash -c " + quoted() },
		func() string { return sub() + " && exit 3; " + sub() },
	)
}

// What bash runs must be among what was read: nothing may pass unseen.
func TestLongNothingRunsUnseen(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many scripts")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	root := t.TempDir()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	bin, work, home := root+"/bin", root+"/work", root+"/home"
	for _, dir := range []string{bin, work + "/d/e", home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, status := range map[string]int{"p": 0, "q": 1, "r": 0} {
		// One write for each run: they run beside each other.
		text := fmt.Sprintf("#!%s\n[ $# -eq 0 ] || printf -v all '\\x1f%%s' \"$@\"\nprintf '%%s' \"$PWD\"$'\\x1f'%s\"$all\"$'\\x1e' >> \"$LOG\"\nexit %d\n", bash, name, status)
		if err := os.WriteFile(bin+"/"+name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := scripts{rand.New(rand.NewPCG(1, 2))}
	certain, ran := 0, 0
	for i := range scriptsToRun {
		log := fmt.Sprintf("%s/log%d", root, i) // each its own: something may still run behind
		source := s.stmt(3)
		script := Read(source, Env{Dir: work, Home: home})
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", source)
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home, "LOG=" + log}
		// Whoever has an end of this pipe is waited for, also in the background.
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		cmd.WaitDelay = 5 * time.Second
		_ = cmd.Run() // it may well fail
		raw, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if len(script.Doubts) > 0 {
			continue
		}
		certain++
		for record := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x1e"), "\x1e") {
			if record == "" {
				continue
			}
			ran++
			dir, argv, _ := strings.Cut(record, "\x1f")
			if !slices.ContainsFunc(script.Commands, func(c Command) bool { return c.explains(dir, argv) }) {
				t.Errorf("%s\nran %q in %s, which was not seen:", source, argv, strings.TrimPrefix(dir, root))
				for _, c := range script.Commands {
					t.Logf("  %s in %q", c.Text(), c.Dirs)
				}
			}
		}
	}
	t.Logf("%d of %d scripts without a doubt ran %d programs", certain, scriptsToRun, ran)
	if certain < scriptsToRun/3 || ran < certain {
		t.Error("too little was looked at")
	}
}

const scriptsToRun = 250

// explains says whether a command may be what ran in a folder.
func (c Command) explains(dir, argv string) bool {
	if len(c.Dirs) > 0 && !slices.Contains(c.Dirs, dir) {
		return false
	}
	var b strings.Builder
	for i, w := range c.Args() {
		shape := regexp.QuoteMeta(w.Shape)
		if i > 0 {
			shape = "\x1f" + shape
		}
		if w.Unknown || w.Process { // it may be several words, or none
			shape = "(" + strings.ReplaceAll(shape, string(Hole), "(?s:.*)") + ")?"
		}
		if w.Process {
			shape = "\x1f/dev/fd/[0-9]+"
		}
		b.WriteString(strings.ReplaceAll(shape, string(Hole), "(?s:.*)"))
	}
	ok, err := regexp.MatchString("^"+b.String()+"$", argv)
	return err == nil && ok
}
