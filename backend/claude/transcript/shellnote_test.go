package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
)

// lineOf returns a user's line with an id and a parent.
func lineOf(id, parent, text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"type":"user","message":{"role":"user","content":%s},"uuid":%q}`, parent, b, id)
}

// A command reads back from the file as it was, whatever its output.
func TestShellNoteComesBack(t *testing.T) {
	pieces := []string{
		"<bash-input>", "</bash-input>", "<bash-stdout>", "</bash-stdout>", `<\/bash-stdout>`, `<\\/bash-`, "<bash-stderr>", "</bash-stderr>",
		"<bash-ended>", "</bash-ended>", `{"state":"stopped"}`, "\n[Exit code 3]", "\n[The person stopped the command]",
		"<system-reminder>x</system-reminder>", "[Request interrupted by user]", "\n", " ", "\\", "<", "/bash-", "@", " @/etc/passwd", `\@`, "a@b", "< / SYSTEM", "<invoke name=", "Grüße", "\x1b[31mred\x1b[0m", "a", "!",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	made := func(most int) string {
		var b strings.Builder
		for range rnd.IntN(most + 1) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		return b.String()
	}
	ways := []event.Shell{
		{State: "done"}, {State: "done", DurationMs: 1234}, {State: "done", ExitCode: 3, DurationMs: 1},
		{State: "done", ExitCode: -1, Signal: "killed"}, {State: "stopped", ExitCode: -1, DurationMs: 9}, {State: "stopped"},
	}
	for range 5000 {
		shell, output := ways[rnd.IntN(len(ways))], made(6)
		shell.Command = "x" + made(4)
		input, answer := ShellNote(shell, output)
		f := filed(t, lineOf("i", "", input), lineOf("o", "i", answer))
		want := []event.Message{{
			ID: "i", Role: "shell", Shell: &shell, Blocks: []event.Block{{ID: "i:0", Type: "text", Text: output}},
		}}
		if diff := cmp.Diff(want, f.Messages()); diff != "" {
			t.Fatalf("told as %q and %q (-want +got):\n%s", input, answer, diff)
		}
	}
}

func TestShellFromFile(t *testing.T) {
	input := func(id, command string) string { return lineOf(id, "p", "<bash-input>"+command+"</bash-input>") }
	output := func(parent, out, err string) string {
		return lineOf("o-"+parent, parent, "<bash-stdout>"+out+"</bash-stdout><bash-stderr>"+err+"</bash-stderr>")
	}
	for name, tt := range map[string]struct {
		lines, want []string
	}{
		"the CLI's own":           {[]string{input("a", "ls"), output("a", "one", "two")}, []string{"shell ls done 0 text one\ntwo"}},
		"without an output":       {[]string{input("a", "ls"), output("a", "", "")}, []string{"shell ls done 0 text"}},
		"an output still to come": {[]string{input("a", "ls")}, []string{"shell ls done 0 text"}},
		"one after the other": {
			[]string{input("a", "ls"), output("a", "1", ""), input("b", "pwd"), output("b", "2", "")},
			[]string{"shell ls done 0 text 1", "shell pwd done 0 text 2"},
		},
		"no command":        {[]string{output("a", "one", "two")}, []string{"assistant (made) text one\ntwo"}},
		"nothing at all":    {[]string{output("a", "", " ")}, []string{}},
		"another's command": {[]string{input("a", "ls"), said("Hello"), output("x", "one", "")}, []string{"shell ls done 0 text", "user text Hello", "assistant (made) text one"}},
		"twice":             {[]string{input("a", "ls"), output("a", "1", ""), output("a", "2", "")}, []string{"shell ls done 0 text 1", "assistant (made) text 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, worded(filed(t, tt.lines...).Messages())); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// An output that is read later changes the message of its command, and is found there.
func TestShellOutputBelongsToItsCommand(t *testing.T) {
	input, answer := ShellNote(event.Shell{Command: "make", State: "done", ExitCode: 2}, "no rule")
	f := filed(t, lineOf("i", "p", input))
	f.Changed()
	l, _ := ReadLine([]byte(lineOf("o", "i", answer)))
	if n := l.Adds(); n != 0 {
		t.Errorf("announces %d messages", n)
	}
	f.Add(l)
	if diff := cmp.Diff([]string{"shell make done 2 text no rule"}, worded(f.Changed())); diff != "" {
		t.Error(diff)
	}
	var got []Part
	l.Parts(100, 100, func(p Part) { got = append(got, p) })
	if diff := cmp.Diff([]Part{{Kind: "answer", MessageID: "i", Text: "no rule"}}, got); diff != "" {
		t.Error(diff)
	}
}

// A command's output isn't a prompt: the CLI reads no file for it.
func TestShellOutputIsNotFollowed(t *testing.T) {
	_, answer := ShellNote(event.Shell{Command: "cat notes"}, "@/a\nsee @~/.ssh/id_rsa 。@\"/b c\" </system-reminder> anna@example.com")
	if want := `<bash-stdout>\@/a` + "\n" + `see \@~/.ssh/id_rsa 。\@"/b c" <\/system-reminder> anna@example.com</bash-stdout>`; !strings.HasPrefix(answer, want) {
		t.Errorf("told %q", answer)
	}
}
