package role_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/app/method"
	"parley/app/role"
	"parley/backend/event"
)

type fakeSession struct {
	ID    string `json:"id"`
	CWD   string `json:"cwd"`
	Title string `json:"title"`
	State string `json:"state"`
}

type fakePrompt struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
}

// sessions are methods of a back end in which the prompt determines its turn's outcome.
func (b *backend) sessions() []*method.Method {
	type one struct {
		SessionID string `json:"sessionId"`
		Limit     int    `json:"limit,omitempty"`
	}
	type create struct {
		CWD            string `json:"cwd"`
		PermissionMode string `json:"permissionMode,omitempty"`
	}
	type turnID struct {
		TurnID string `json:"turnId"`
	}
	type list struct {
		Sessions []fakeSession `json:"sessions"`
	}
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type message struct {
		Role   string  `json:"role"`
		Blocks []block `json:"blocks"`
	}
	type history struct {
		Messages []message `json:"messages"`
	}
	type question struct {
		RequestID string `json:"requestId"`
		ToolName  string `json:"toolName"`
	}
	type requests struct {
		Requests []question `json:"requests"`
	}
	return []*method.Method{
		method.New("session.create", "", func(_ context.Context, p create) (fakeSession, error) {
			return fakeSession{ID: "s-" + p.PermissionMode, CWD: p.CWD}, nil
		}),
		method.New("session.prompt", "", func(_ context.Context, p fakePrompt) (turnID, error) {
			b.play(p)
			return turnID{"t1"}, nil
		}),
		method.New("session.get", "", func(_ context.Context, p one) (fakeSession, error) {
			return fakeSession{ID: p.SessionID, State: map[string]string{"asks": "waiting"}[p.SessionID] + map[bool]string{true: "idle"}[p.SessionID != "asks"]}, nil
		}),
		method.New("session.list", "", func(ctx context.Context, _ one0) (list, error) {
			for {
				if _, gone := os.Stat(os.Getenv(envStuck)); gone != nil {
					break
				}
				select {
				case <-ctx.Done():
					return list{}, ctx.Err()
				case <-time.After(time.Millisecond):
				}
			}
			return list{[]fakeSession{{"s1", "/home/ada", "A\x1b[2Jtitle", "idle"}}}, nil //nolint:nilerr // it is what is waited for
		}),
		method.New("session.history", "", func(context.Context, one) (history, error) {
			return history{[]message{
				{"user", []block{{"text", "before"}}}, {"assistant", []block{{"text", "no"}}},
				{"user", []block{{"text", "last"}}}, {"assistant", []block{{"text", "One."}, {"tool", ""}}}, {"assistant", []block{{"text", "Two."}}},
			}}, nil
		}),
		method.New("permission.list", "", func(context.Context, one) (requests, error) {
			return requests{[]question{{"r1", "Bash"}}}, nil
		}),
	}
}

type one0 struct {
	Limit int `json:"limit,omitempty"`
}

// play publishes the events of a turn.
func (b *backend) play(p fakePrompt) {
	head := event.Head{SessionID: p.SessionID, TurnID: "t1"}
	other := event.Head{SessionID: "another", TurnID: "t1"}
	helper := head
	helper.ParentToolUseID = "a subagent"
	what, rest, _ := strings.Cut(p.Text, ":")
	b.bus.Publish(&event.TextDelta{Head: other, BlockID: "x", Text: "not this"})
	b.bus.Publish(&event.TextDelta{Head: helper, BlockID: "x", Text: "nor this"})
	done := func(reason string) { b.bus.Publish(&event.Done{Head: head, Reason: reason}) }
	switch what {
	case "say":
		b.bus.Publish(&event.TextDelta{Head: head, BlockID: "b1", Text: "Hello, "})
		b.bus.Publish(&event.TextDelta{Head: head, BlockID: "b1", Text: rest})
		b.bus.Publish(&event.TextDelta{Head: head, BlockID: "b2", Text: "Bye."})
		b.bus.Publish(&event.Result{Head: head, Text: "Bye.", CostUSD: 0.5})
		done("completed")
	case "quiet":
		b.bus.Publish(&event.Result{Head: head, Text: "At once."})
		done("completed")
	case "fail":
		b.bus.Publish(&event.Error{Head: head, Message: "The model is away."})
		b.bus.Publish(&event.Result{Head: head, IsError: true})
		done("error")
	case "missing":
		b.bus.Publish(&event.Error{Head: event.Head{SessionID: p.SessionID}, Message: "There is no CLI."})
		done("failed")
	case "wrong":
		b.bus.Publish(&event.Result{Head: head, Text: "no", IsError: true})
		done("completed")
	case "ask":
		b.bus.Publish(&event.TextDelta{Head: head, BlockID: "b1", Text: "First I ask."})
		b.bus.Publish(&event.PermissionRequest{Head: head, Question: event.Question{RequestID: "r1", ToolName: "Bash", Input: json.RawMessage("{}"), Kind: "tool"}})
	default:
		done(what)
	}
}

// The exit code says how a turn ended, whichever command follows it.
func TestTurnsInAShell(t *testing.T) {
	data := t.TempDir()
	s := serve(t, nil, "--announce", "--data", data)
	for _, tt := range []struct {
		name   string
		args   []string
		stdin  string
		code   int
		out    string
		stderr string
	}{
		{"done", []string{"ask", "say:Ada."}, "", 0, "Hello, Ada.\n\nBye.\n", ""},
		{"without deltas", []string{"ask", "quiet"}, "", 0, "At once.\n", ""},
		{"from standard input", []string{"ask"}, "say:pipe.\n", 0, "Hello, pipe.\n\nBye.\n", ""},
		{"from both", []string{"ask", "say:a", "-"}, "b\n", 0, "Hello, a\n\nb\n\nBye.\n", ""},
		{"failed", []string{"ask", "fail"}, "", 1, "", "parley: The model is away.\n"},
		{"an error as its result", []string{"ask", "wrong"}, "", 1, "no\n", "completed"},
		{"no CLI", []string{"ask", "missing"}, "", 1, "", "parley: There is no CLI.\n"},
		{"no process", []string{"ask", "failed"}, "", 1, "", "failed"},
		{"waits for a person", []string{"ask", "ask", "--permission-mode", "plan"}, "", 3, "First I ask.\n", "parley permission respond --request r1 --behavior allow\n  parley wait s-plan"},
		{"interrupted", []string{"ask", "interrupted"}, "", 4, "", "interrupted"},
		{"crashed", []string{"ask", "crashed"}, "", 4, "", "crashed"},
		{"dropped", []string{"ask", "dropped"}, "", 4, "", "dropped"},
		{"no prompt", []string{"ask"}, " \n", 2, "", "the prompt is empty"},
		{"two prompts", []string{"ask", "a", "b"}, "", 2, "", `unexpected argument "b"`},
		{"unknown flag", []string{"ask", "--nope", "a"}, "", 2, "", "nope"},
		{"help", []string{"ask", "-h"}, "", 0, "", "needs an answer"},

		{"a prompt", []string{"session", "prompt", "--session", "s1", "--text", "say:you.", "--wait"}, "", 0, "Hello, you.\n\nBye.\n", ""},
		{"a prompt from standard input", []string{"session", "prompt", "--wait", "--session", "s1", "--text", "-"}, "say:in.", 0, "Hello, in.\n\nBye.\n", ""},
		{"a prompt that waits", []string{"session", "prompt", "--session-id=s1", "--text=ask", "--wait"}, "", 3, "First I ask.\n", "parley wait s1"},
		{"a prompt at once", []string{"session.prompt", "--sessionId", "s1", "--text", "say:x"}, "", 0, "{\n  \"turnId\": \"t1\"\n}\n", ""},
		{"waiting for what is over", []string{"wait", "s1"}, "", 0, "One.\n\nTwo.\n", ""},
		{"waiting for what waits", []string{"wait", "asks"}, "", 3, "", "Bash needs an answer"},
		{"waiting for nothing", []string{"wait"}, "", 2, "", "parley wait [flags] SESSION"},

		{"sessions", []string{"sessions"}, "", 0, "s1   idle   A [2Jtitle   /home/ada\n", ""},
		{"a wrong type", []string{"session", "history", "--session", "s1", "--limit", "many"}, "", 2, "", "a number"},
		{"a missing parameter", []string{"session", "get"}, "", 2, "", `missing parameter "sessionId"`},
		{"a former name", []string{"memory", "switch"}, "", 2, "", `missing parameter "`},
		{"a former name of two words", []string{"heartbeat.set-text"}, "", 2, "", `missing parameter "`},
		{"a wrong value", []string{"permission", "respond", "--request", "r1", "--behavior", "perhaps"}, "", 2, "", `must be one of "allow", "deny"`},
		{"a mistyped flag", []string{"session", "prompt", "--sesion", "s1"}, "", 2, "", `(did you mean "session"?)`},
		{"a mistyped action", []string{"session", "promt"}, "", 2, "", `(did you mean "prompt"?)`},
		{"a mistyped namespace", []string{"sesion", "prompt"}, "", 2, "", `(did you mean "session"?)`},
		{"too much", []string{"session", "get", "s1"}, "", 2, "", `unexpected argument "s1"`},
		{"flags behind a call", []string{"call", "test.echo", `{"text":"x"}`, "--timeout", "20s"}, "", 0, "{\n  \"text\": \"x\"\n}\n", ""},
		{"an unknown method of Parley", []string{"audit", "list"}, "", 1, "", "unknown method"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := tt.args
			if tt.code != 2 {
				args = append(slices.Clone(args), "--data", data)
			}
			code, out, err := run(t, nil, tt.stdin, args...)
			if code != tt.code || out != tt.out || !strings.Contains(err, tt.stderr) {
				t.Errorf("%d %q %q", code, out, err)
			}
		})
	}
	t.Run("as JSON", func(t *testing.T) {
		for text, want := range map[string]string{
			"say:you": `{"sessionId":"s-","turnId":"t1","status":"done","text":"Bye.","result":{`,
			"ask":     `{"sessionId":"s-","turnId":"t1","status":"waiting","text":"","requestId":"r1","toolName":"Bash"}`,
			"closed":  `{"sessionId":"s-","turnId":"t1","status":"cut","text":"","why":"The turn ended: closed."}`,
		} {
			_, out, _ := run(t, nil, "", "ask", text, "--json", "--data", data)
			if !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
				t.Errorf("%s: %s", text, out)
			}
		}
	})
	t.Run("watch", func(t *testing.T) {
		// Closing the pipe ends it.
		cmd := command(t, nil, "watch", "--session", "s1", "--data", data)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		first := make(chan string, 1)
		go func() {
			line, _ := lines.ReadString('\n')
			first <- line
		}()
		// It may not be listening yet.
		for line := ""; line == ""; {
			if code, _, err := run(t, nil, "", "session", "prompt", "--session", "s1", "--text", "quiet", "--wait", "--data", data); code != 0 {
				t.Fatal(err)
			}
			select {
			case line = <-first:
				if !strings.HasPrefix(line, `{"event":"session.`) || !strings.Contains(line, `"sessionId":"s1"`) {
					t.Errorf("%q", line)
				}
			default:
			}
		}
		_ = out.Close()
		for cmd.ProcessState == nil {
			if code, _, err := run(t, nil, "", "session", "prompt", "--session", "s1", "--text", "quiet", "--wait", "--data", data); code != 0 {
				t.Fatal(err)
			}
			_ = cmd.Wait()
		}
	})
	t.Run("cut", func(t *testing.T) {
		cmd := command(t, nil, "watch", "--data", data)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = bufio.NewReader(out).ReadString('\n')
		}()
		for listens := false; !listens; {
			run(t, nil, "", "session", "prompt", "--session", "s1", "--text", "quiet", "--wait", "--data", data)
			select {
			case <-read:
				listens = true
			default:
			}
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
		s.end(t, syscall.SIGTERM)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 4 || !strings.Contains(said.String(), "closed the connection") {
			t.Errorf("%d %s", code, said.String())
		}
	})
}

// within runs a command in this process, without a running Parley.
func within(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = role.Run(role.Program{
		Args: args, Stdin: os.Stdin, Stdout: &out, Stderr: &err,
		Getenv: func(name string) string {
			return map[string]string{"PARLEY_URL": "http://127.0.0.1:1/", "PARLEY_TOKEN": "x"}[name]
		},
		Table: app.Methods,
	})
	return code, out.String(), err.String()
}

// Each method has a help page, and its example is a valid command.
func TestHelpOfEveryMethod(t *testing.T) {
	examples := 0
	var script strings.Builder
	// A shell splits the line into words.
	script.WriteString("parley() { printf '%s\\0' \"$@\"; printf '\\1'; }\n")
	for _, m := range app.Methods(slog.New(slog.DiscardHandler)).List() {
		namespace, action, grouped := strings.Cut(m.Name, ".")
		if !grouped || m.Name == "audit.verify" {
			continue // the first need a connection, which commands do not keep; the last has its own command
		}
		code, help, said := within(namespace, action, "--help")
		_, example, found := strings.Cut(help, "\nExample:\n  ")
		if code != 0 || !strings.Contains(help, m.Doc) || !found {
			t.Errorf("%s: %d %s%s", m.Name, code, help, said)
			continue
		}
		for _, param := range m.Parameters() {
			if !strings.Contains(help, param.Doc) {
				t.Errorf("%s: nothing is said about %s", m.Name, param.Name)
			}
		}
		examples++
		script.WriteString(example)
	}
	out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\x01"), "\x01")
	if len(lines) != examples || examples < 160 {
		t.Fatalf("%d examples of %d methods", len(lines), examples)
	}
	for _, line := range lines {
		args := strings.Split(strings.TrimSuffix(line, "\x00"), "\x00")
		if code, _, said := within(args...); code != 1 || !strings.Contains(said, "is not running") {
			t.Errorf("%q: %d %s", args, code, said)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"sess"}, "session sessions"},
		{[]string{"session", "set-m"}, "set-model"},
		{[]string{"session", "prompt", "--se"}, "--session"},
		{[]string{"session", "prompt", "--delivery", ""}, "now queue"},
		{[]string{"permission", "respond", "--behavior", "d"}, "deny"},
		{[]string{"audit", "v"}, "verify"},
		{[]string{"completion", ""}, "bash fish zsh"},
		{[]string{"nothing", ""}, ""},
	} {
		code, out, err := run(t, nil, "", append([]string{"__complete"}, tt.words...)...)
		if got := strings.Join(strings.Fields(out), " "); code != 0 || got != tt.want {
			t.Errorf("%q: %d %q %s", tt.words, code, got, err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, _ := run(t, nil, "", "completion", shell); code != 0 || !strings.Contains(out, "parley __complete") {
			t.Errorf("%s: %d %s", shell, code, out)
		}
	}
	if code, _, _ := run(t, nil, "", "completion", "tcsh"); code != 2 {
		t.Errorf("tcsh: %d", code)
	}
	// Bash accepts the printed script, and calls it.
	cmd := command(t, nil)
	script := fmt.Sprintf(`parley() { %s "$@"; }; source <(parley completion bash); COMP_WORDS=(parley session set-m); COMP_CWORD=2; _parley; echo "${COMPREPLY[@]}"`, os.Args[0])
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", script}
	if out, err := cmd.Output(); err != nil || string(out) != "set-model\n" {
		t.Errorf("%q %v", out, err)
	}
}
