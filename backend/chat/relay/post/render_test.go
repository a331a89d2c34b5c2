package post

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
)

var update = flag.Bool("update", false, "write the golden files")

// shown renders the result of events. Finished turns are kept.
func shown(in *intake, limit int) string {
	var b strings.Builder
	for _, t := range in.turns {
		for _, d := range t.posts(limit) {
			fmt.Fprintf(&b, "======== %s %s\n%s\n", t.id, d.part, d.text)
		}
	}
	return strings.ReplaceAll(b.String(), "\u200b", "␣")
}

func newIntake() *intake {
	return &intake{folder: "/home/ada/project", shells: map[string]bool{}, who: func(a *event.Author) string {
		if a == nil {
			return "You, in Parley"
		}
		return ""
	}}
}

func TestRender(t *testing.T) {
	ada := &event.Author{Via: "mattermost", Username: "ada", Name: "Ada"}
	bash := func(command string) string { return fmt.Sprintf(`{"command":%q,"description":"x"}`, command) }
	for name, s := range map[string]*script{
		"text":   new(script).begin("t1", "Hello?", ada).say("Hello ", "**there**, @channel.").end("completed"),
		"window": new(script).begin("t1", "What is\nin @here?", nil).say("Nothing.").end("completed"),
		"tools": new(script).begin("t1", "Look", ada).say("I'll look at `main.go`.").
			tool("u1", "Read", `{"file_path":"/home/ada/project/cmd/main.go"}`).
			tool("u2", "Bash", bash("git status\n  --short | head `x`")).
			add(&event.ToolResult{ToolUseID: "u1", Outcome: event.UseDone, Content: []event.ResultContent{{Type: "text", Text: "..."}}, Structured: []byte(`{"type":"text","file":{"numLines":120}}`), DurationMs: 20}).
			result("u2", "Exit code 1\nfatal: not a git repository\n(or any of the parent directories)", true, 412).
			say("It is no repository. I'll make one.").
			tool("u3", "Bash", bash("git init")).result("u3", "done", false, 1500).
			tool("u4", "Edit", `{"file_path":"/etc/hosts","old_string":"a","new_string":"b"}`).
			add(&event.ToolResult{ToolUseID: "u4", Outcome: event.UseDone, Structured: []byte(`{"structuredPatch":[{"lines":["-a","+b","+c"," d"]}]}`)}).
			tool("u5", "mcp__github__create_issue", `{"title":"It fails @all","labels":null}`).result("u5", "ok", false, 0).
			say("Done: the folder is a repository now.\n\n```sh\ngit log").end("completed"),
		"held":    new(script).begin("t1", "Go", ada).tool("u1", "Glob", `{"pattern":"**/*.go","path":"/home/ada/project"}`).result("u1", "", false, 100).say("This is held back"),
		"running": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("sleep 100")).tool("u2", "WebSearch", `{"query":"parley"}`),
		"question": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("ls")).result("u1", "a", false, 100).say("Which one?").
			tool("u2", "AskUserQuestion", `{"questions":[]}`).result("u2", "answered", false, 5000).say("Then the first.").end("completed"),
		"denied": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("rm -rf /")).
			add(&event.PermissionResolved{ToolUseID: "u1", Outcome: "deny"}).ended("u1", event.UseNotRun, event.ReasonDenied).say("Then not.").end("completed"),
		"interrupted": new(script).begin("t1", "Go", ada).say("I be").add(&event.Interrupted{}).end("interrupted"),
		"interrupted-tool": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("make")).add(&event.Interrupted{}).
			ended("u1", event.UseStopped, "").end("interrupted"),
		"not-run": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("make")).tool("u2", "Bash", bash("make test")).
			tool("u3", "Write", `{"file_path":"a.go"}`).tool("u4", "Bash", bash("sleep 9")).tool("u5", "NoSuch", `{}`).tool("u6", "Bash", bash("ls")).
			add(&event.PermissionResolved{ToolUseID: "u1", Outcome: "expired"}).ended("u1", event.UseNotRun, event.ReasonExpired).
			ended("u5", event.UseNotRun, event.ReasonUnavailable).
			add(&event.Interrupted{}).ended("u2", event.UseNotRun, event.ReasonInterrupted).ended("u4", event.UseStopped, "").
			add(&event.PermissionResolved{ToolUseID: "u3", Outcome: "withdrawn"}).end("interrupted"),
		"cut-off": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("make")).tool("u2", "Bash", bash("rm x")).
			ended("u2", event.UseNotRun, event.ReasonInterrupted).ended("u1", event.UseCutOff, "").end("crashed"),
		"error": new(script).begin("t1", "Go", ada).say("Let me see.").
			add(&event.Error{Code: "x", Message: "The service is overloaded [529].", Hint: "Try again in a minute."}).add(&event.Done{Reason: "error"}),
		"retry": new(script).begin("t1", "Go", ada).
			add(&event.Status{Status: "retrying", Retry: &event.Retry{Attempt: 2, MaxRetries: 10, DelayMs: 8000, HTTPStatus: 529}}),
		"compaction": new(script).begin("t1", "/compact", ada).add(&event.Compaction{Phase: "started"}).
			add(&event.Compaction{Phase: "finished", PreTokens: 152_000, PostTokens: 31_400}).end("completed"),
		"steered": new(script).begin("t1", "Go", ada).tool("u1", "Bash", bash("ls")).
			add(&event.UserMessage{Head: event.Head{TurnID: "t2"}, MessageID: "t2", Text: "Faster!"}).
			add(&event.Processing{Head: event.Head{TurnID: "t2"}, PromptID: "pt2", Origin: "prompt"}).
			result("u1", "a", false, 200).tool("u2", "Read", `{"file_path":"a.go"}`).result("u2", "x", false, 0).say("Here.").
			add(&event.Done{Head: event.Head{TurnID: "t2"}, PromptID: "pt2", Reason: "completed"}).end("completed"),
		"autonomous": (&script{turn: "cli-1"}).add(&event.Processing{Origin: "cli"}).say("The build is through.").end("completed"),
		"subagent": new(script).begin("t1", "Go", ada).tool("u1", "Task", `{"description":"Review the code","prompt":"..."}`).
			add(&event.ToolStart{Head: event.Head{ParentToolUseID: "u1"}, ToolUseID: "s1", Name: "Read"}).
			add(&event.ToolStart{Head: event.Head{ParentToolUseID: "u1"}, ToolUseID: "s2", Name: "Grep"}).
			add(&event.TextDelta{Head: event.Head{ParentToolUseID: "u1"}, BlockID: "sb", Text: "not shown"}).
			result("u1", "fine", false, 61_000).say("All is well.").end("completed"),
		"shell": (&script{turn: "s"}).add(&event.ShellUpdate{MessageID: "sh1", Shell: event.Shell{Command: "make test", State: "running"}}).
			add(&event.TextDelta{MessageID: "sh1", BlockID: "sh1:0", Text: "ok\n3 failed\n"}).
			add(&event.ShellUpdate{MessageID: "sh1", Shell: event.Shell{Command: "make test", State: "done", ExitCode: 2, DurationMs: 2300}}),
		"between": new(script).begin("t1", "Go", ada).say("Yes.").end("completed").
			add(&event.Status{Head: event.Head{TurnID: "none"}, Status: "suspended"}),
		"nothing": new(script).begin("t1", "Go", ada).end("completed"),
		"links": new(script).begin("t1", "Go", ada).
			say("See [main.go](cmd/main.go#L3), ![](https://evil.example/?q=1), ![plot](out/plot.png) and [x](javascript:alert(1)).").end("completed"),
	} {
		t.Run(name, func(t *testing.T) {
			in := newIntake()
			for _, e := range s.events {
				in.take(e)
			}
			got := shown(in, 16383)
			path := filepath.Join("testdata", "render", name+".md")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A late result changes its own line and moves nothing.
func TestLateResults(t *testing.T) {
	s := new(script).begin("t1", "Go", &event.Author{})
	for i := range 100 {
		s.tool(fmt.Sprintf("u%d", i), "Bash", fmt.Sprintf(`{"command":"echo %d"}`, i))
	}
	in := newIntake()
	for _, e := range s.events {
		in.take(e)
	}
	before := in.turns[0].posts(16383)
	if len(before) > 4 {
		t.Errorf("there are %d posts", len(before))
	}
	s.events = nil
	for _, i := range []int{99, 3, 50} {
		s.result(fmt.Sprintf("u%d", i), "Exit code 1\n"+strings.Repeat("a long line ", 100), true, 61_000)
	}
	for _, e := range s.events {
		in.take(e)
	}
	after := in.turns[0].posts(16383)
	if len(after) != len(before) {
		t.Fatalf("%d posts became %d", len(before), len(after))
	}
	for i, d := range after {
		if d.part != before[i].part {
			t.Errorf("post %d became %s", i, d.part)
		}
		for n := range 100 {
			line := fmt.Sprintf("`echo %d`", n)
			if strings.Contains(before[i].text, line) != strings.Contains(d.text, line) {
				t.Errorf("%s has moved", line)
			}
		}
	}
	if n := strings.Count(after[0].text, "**exit 1** · 61 s\n```\n"); n != 1 {
		t.Errorf("the first post has %d results", n)
	}
}

// The memory of a turn is bounded, and the thread says that there is more.
func TestBounds(t *testing.T) {
	s := new(script).begin("t1", "Go", &event.Author{})
	for i := range 6 * maxItems {
		s.tool(fmt.Sprintf("u%d", i), "Read", `{"file_path":"a"}`)
		if i < maxItems {
			s.say("Next.")
		}
	}
	s.say("The answer.").end("completed")
	s.begin("t2", "Go", &event.Author{}).say(strings.Repeat("漢字 is not left whole. ", maxText/10)).end("completed")
	in := newIntake()
	for _, e := range s.events {
		in.take(e)
	}
	if n := len(in.turns[0].items); n > 4*maxItems {
		t.Errorf("%d items are held", n)
	}
	if n := in.turns[1].bytes; n > maxText {
		t.Errorf("%d bytes are held", n)
	}
	if all := in.turns[0].posts(16383); !strings.HasPrefix(all[len(all)-1].text, "The answer.") {
		t.Errorf("the last post is %q", all[len(all)-1].text)
	}
	got := shown(in, 16383)
	for _, want := range []string{"more tool uses and texts are in Parley", "The rest of this answer is in Parley"} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}
