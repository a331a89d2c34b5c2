package tmux

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecordedScreens parses the real CLI's screens (TestRealCLI -update records
// them).
func TestRecordedScreens(t *testing.T) {
	names, err := filepath.Glob("testdata/screens/*.txt")
	if err != nil || len(names) < 9 {
		t.Fatalf("%d screens (%v)", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s := lookAt(string(raw), 200)
			s.Text = ""
			got, err := json.MarshalIndent(s, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".txt") + ".json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("read otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookAt(t *testing.T) {
	rule := ruled()
	dialog := "\n 1. Yes\n" + rule + "\n Bash command\n\n rm it\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel"
	tests := map[string]struct {
		text  string
		state State
		whole bool
		said  string
	}{
		"nothing":                             {"", Unknown, false, ""},
		"a shell":                             {"$ ls\nfile\n$ ", Unknown, false, ""},
		"idle":                                {idleScreen("Done.", "", "? for shortcuts"), Idle, false, "Done."},
		"idle, with a draft":                  {idleScreen("Done.", "1. Yes\n  2. No", "? for shortcuts"), Idle, false, "Done."},
		"idle, talking of permission":         {idleScreen("Do you want to proceed? approve permission\n\n  ❯ 1. Yes\n    2. No\n\n  Esc to cancel", "", ""), Idle, false, "Do you want to proceed? approve permission\n\n❯ 1. Yes\n  2. No\n\nEsc to cancel"},
		"idle, quoting a spinner":             {idleScreen("It says\n  ✻ Thinking… (3s · esc to interrupt)", "", ""), Idle, false, "It says\n✻ Thinking… (3s · esc to interrupt)"},
		"an error":                            {idleScreen("API Error: 529 overloaded", "", ""), Errored, false, "API Error: 529 overloaded"},
		"an older error":                      {idleScreen("API Error: 529\n\n❯ again\n\n● Done.", "", ""), Idle, false, "Done."},
		"working":                             {workingScreen("Reading", "✻ Thinking… (12s · ↓ 3 tokens)"), Working, false, "Reading"},
		"working, the status line is another": {strings.Replace(workingScreen("Reading", "· Thinking… (1m 2s)"), "⏸ manual mode on · esc to interrupt", "12:00 my own line", 1), Working, false, "Reading"},
		"permission":                          {dialog, Permission, true, ""},
		"permission, cut above":               {strings.Replace(dialog, rule, "", 1), Permission, false, ""},
		"permission, scrolled":                {dialog + "\n ↑ 30 more lines", Permission, false, ""},
		// Text above was made to look like a composer, or like another question.
		"permission, after a false composer": {rule + "\n❯ \n" + rule + "\n" + dialog, Permission, true, ""},
		"permission, with a false line":      {strings.Replace(dialog, " rm it\n", " rm it\n "+rule+"\n harmless\n", 1), Permission, true, ""},
		"permission, nothing is chosen":      {strings.Replace(dialog, "❯", " ", 1), Unknown, false, ""},
		"other options":                      {rule + "\nWhich colour?\n\n❯ 1. Red\n     like fire\n  2. Blue\n  3. Type something.\n" + rule + "\n  4. Chat about this\n\nEnter to select", Question, true, ""},
		"no numbers":                         {rule + "\n Trust it?\n\n ❯ No, exit\n   Yes\n\n Enter to confirm · Esc to cancel", Question, true, ""},
		"a screen of another width":          {strings.ReplaceAll(dialog, rule, strings.Repeat("─", 120)), Permission, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := lookAt(tt.text, 200)
			if s.State != tt.state || s.Whole != tt.whole || s.Said != tt.said {
				t.Errorf("state %s, whole %v, said %q of\n%s", s.State, s.Whole, s.Said, s.Text)
			}
		})
	}
	if s := lookAt(strings.Replace(dialog, " rm it\n", " rm it\n "+rule+"\n harmless\n", 1), 200); !strings.Contains(s.Asked, "rm it") {
		t.Errorf("a line in a command hides it: %q", s.Asked)
	}
}

func TestFingerprint(t *testing.T) {
	of := func(text string) string { return lookAt(text, 200).Fingerprint }
	one := of(askScreen("make test"))
	if one == "" || one != of("\nsomething else above\n"+askScreen("make test")) {
		t.Error("the same question has another fingerprint")
	}
	if one != of(strings.NewReplacer("❯ 1.", "  1.", "  2.", "❯ 2.").Replace(askScreen("make test"))) {
		t.Error("what is chosen makes another question")
	}
	for name, other := range map[string]string{
		"command": askScreen("make tests"),
		"option":  strings.Replace(askScreen("make test"), "3. No", "3. Never", 1),
	} {
		if of(other) == one {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
}

func TestTyped(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "",
		"\x1b[39m❯\u00a0\x1b[7m \x1b[0m":    "",
		"\x1b[39m❯\u00a0my text\x1b[7m ":    "my text",
		"❯ \x1b[7mT\x1b[0;2mry this\x1b[0m": "",
		"❯ \x1b[38;5;246mtry this\x1b[39m":  "",
		"❯ \x1b[38;2;1;2;3mtry\x1b[0m mine": "mine",
		"❯ \x1b[48;5;22mmine\x1b[49m":       "mine",
		"❯ plain":                           "plain",
	} {
		if got := typed(line); got != want {
			t.Errorf("typed(%q) = %q, want %q", line, got, want)
		}
	}
}

func FuzzLookAt(f *testing.F) {
	for _, s := range []string{askScreen("x"), idleScreen("x", "y", "z"), workingScreen("x", "✻ A… (1s)")} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := lookAt(text, 200)
		if (s.Fingerprint != "") != (s.State == Permission || s.State == Question) {
			t.Errorf("fingerprint %q of %s", s.Fingerprint, s.State)
		}
		if s.State == Permission && s.Yes() == 0 {
			t.Error("a permission that cannot be given")
		}
		if len([]rune(s.Said)) > maxSaid {
			t.Error("too much was said")
		}
	})
}

func TestParsePanes(t *testing.T) {
	const m = "|x|"
	rec := func(fields ...string) string { return m + strings.Join(fields, m) + m + "\n" }
	out := rec("%1", "12", "80", "/dev/pts/1", "0", "1", "0", "a||| b", "/tmp/new\nline|||") +
		rec("%2", "13", "80", "/dev/pts/2", "0", "0", "1", "dead", "/") +
		rec("%3", "none", "80", "", "0", "0", "0", "bad", "/") +
		rec("%4", "14", "100", "/dev/pts/4", "2", "0", "0", "last", "/")
	got := parsePanes(out, m, 9)
	want := []rawPane{
		{id: "%1", pid: 12, width: 80, tty: "/dev/pts/1", window: "0", index: "1", session: "a||| b", folder: "/tmp/new\nline|||"},
		{id: "%4", pid: 14, width: 100, tty: "/dev/pts/4", window: "2", index: "0", session: "last", folder: "/"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(rawPane{})); diff != "" {
		t.Error(diff)
	}
	if list := parsePanes("", m, 9); list != nil {
		t.Error(list)
	}
}

func TestIsCLI(t *testing.T) {
	tests := map[string]struct {
		name string
		argv []string
		want bool
	}{
		"its own name":          {"claude", nil, true},
		"its program":           {"x", []string{"/home/you/.local/bin/claude", "-c"}, true},
		"a script":              {"node", []string{"/usr/bin/node", "--flag", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}, true},
		"a link to a script":    {"node", []string{"node", "/usr/local/bin/claude"}, true},
		"where the person says": {"mine", []string{"/opt/mine"}, true},
		"an editor with a file": {"vim", []string{"vim", "claude"}, false},
		"grep":                  {"grep", []string{"grep", "claude"}, false},
		"another script":        {"node", []string{"node", "server.js", "claude"}, false},
		"like it":               {"claude-watch", []string{"claude-watch"}, false},
		"a kernel thread":       {"kworker", nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isCLI(process{name: tt.name, argv: func() []string { return tt.argv }}, "/opt/mine"); got != tt.want {
				t.Error(got)
			}
		})
	}
}
