//go:build linux

package border

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// The shell client handles the main task alone: a prompt, a question for the user,
// the answer, and the result.
func TestShellClient(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue(demo.Answer(demo.Text("I make a file."), bash("touch made")), demo.Say("The file is made."), demo.Say("Once more.")))
	run := func(stdin string, args ...string) (code int, stdout, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env, cmd.Dir = append([]string{"PARLEY_URL=" + p.url, "PARLEY_TOKEN=" + p.token}, p.env...), p.path("work")
		var out, err bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &err
		if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
			t.Fatal(e)
		}
		return cmd.ProcessState.ExitCode(), out.String(), err.String()
	}
	code, out, said := run("", "ask", "make a file", "--permission-mode", "default")
	if code != 3 || out != "I make a file.\n" {
		t.Fatalf("%d %q %s", code, out, said)
	}
	// Its output contains the command to type.
	answer := regexp.MustCompile(`(?m)^  parley (.*)$`).FindAllStringSubmatch(said, -1)
	if len(answer) != 2 {
		t.Fatalf("%q", said)
	}
	if code, out, said := run("", strings.Fields(answer[0][1])...); code != 0 || !strings.Contains(out, `"won": true`) {
		t.Fatalf("%d %q %s", code, out, said)
	}
	wait := strings.Fields(answer[1][1])
	if code, out, said := run("", wait...); code != 0 || !strings.HasSuffix(out, "The file is made.\n") {
		t.Fatalf("%d %q %s", code, out, said)
	}
	session := wait[len(wait)-1]
	if code, out, said := run("and again?", "session", "prompt", "--session", session, "--text", "-", "--wait"); code != 0 || out != "Once more.\n" {
		t.Fatalf("%d %q %s", code, out, said)
	}
	if code, out, said := run("", "sessions"); code != 0 || !strings.HasPrefix(out, session) || strings.Count(out, "\n") != 1 {
		t.Fatalf("%d %q %s", code, out, said)
	}
	// The commands started these turns, not a client of the test.
	for _, done := range of[*event.Done](p.watcher, session) {
		p.mu.Lock()
		p.accepted[done.TurnID] = true
		p.mu.Unlock()
	}
}
