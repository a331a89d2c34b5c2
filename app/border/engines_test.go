//go:build linux

package border

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/demo"
	"parley/backend/event"
)

// scenario is a user's scenario that must look the same with either
// engine.
type scenario struct {
	name   string
	script func() demo.Script
	// params are additional parameters of the session.
	params m
	play   func(s *conversation)
}

func scenarios() []scenario {
	queue := func(replies ...demo.Reply) func() demo.Script {
		return func() demo.Script { return demo.NewQueue(replies...) }
	}
	see := demo.Say("I see.")
	return []scenario{
		{"chat", queue(
			demo.Answer(demo.Thinking("Let me look."), demo.Text("I look first.\n"), demo.Tool("Read", m{"file_path": "note.txt"})),
			demo.Say("The note says hello."), demo.Say("Still here.")), nil, playChat},
		{"allow", queue(demo.Answer(bash("touch made && echo fine")), see), nil, func(s *conversation) {
			s.ask("make it", m{"behavior": "allow"})
			s.must(s.exists("made"), "the command ran")
		}},
		{"deny", queue(demo.Answer(bash("touch made")), see), nil, func(s *conversation) {
			s.ask("make it", m{"behavior": "deny", "message": "not on my watch"})
			s.must(!s.exists("made"), "the command did not run")
		}},
		{"edit", queue(demo.Answer(bash("touch original")), see), nil, func(s *conversation) {
			s.ask("make it", m{"behavior": "allow", "updatedInput": m{"command": "touch edited"}})
			s.must(s.exists("edited") && !s.exists("original"), "the edited command ran")
		}},
		{"remember", queue(demo.Answer(bash("echo again >> count")), demo.Answer(bash("echo again >> count")),
			demo.Answer(bash("echo other >> count")), see), nil, playRemember},
		{"guard", queue(demo.Answer(bash("touch a.txt")), demo.Use("Write", m{"file_path": "made.txt", "content": "made\n"}),
			demo.Answer(bash("rm -rf sub")), demo.Answer(bash("echo x > /etc/parley-test")), see), m{"guard": "static"}, playGuard},
		{"write a file", queue(demo.Use("Write", m{"file_path": "made.txt", "content": "made\n"}),
			demo.Use("Edit", m{"file_path": "made.txt", "old_string": "made", "new_string": "changed", "replace_all": false}), see), nil, func(s *conversation) {
			s.ask("make it", m{"behavior": "allow"}, m{"behavior": "allow"})
		}},
		{"question", queue(demo.Use("AskUserQuestion", m{"questions": []m{
			{"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": []m{
				{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}}},
			{"question": "Which sides?", "header": "Sides", "multiSelect": true, "options": []m{
				{"label": "Front", "description": "seen"}, {"label": "Back", "description": "hidden"}}},
		}}), demo.Say("Thank you.")), nil, func(s *conversation) {
			s.ask("paint it", m{"behavior": "allow", "answers": m{"Which colour?": "Mauve", "Which sides?": []string{"Front", "Back"}}})
			heard, _ := s.p.lastRequest().Result("AskUserQuestion")
			s.must(strings.Contains(heard.Text, "Mauve") && strings.Contains(heard.Text, "Front, Back"), "the model heard "+heard.Text)
		}},
		{"plan", func() demo.Script { return demo.ScriptFunc(planner) }, m{"permissionMode": "plan"}, func(s *conversation) {
			s.ask("plan it", m{"behavior": "deny", "message": "too long"}, m{"behavior": "allow"})
			s.ask("go on", m{"behavior": "allow"})
			s.must(s.exists("built"), "the plan was carried out")
		}},
		{"image", queue(demo.Say("A dot.")), nil, playImage},
		{"commands", func() demo.Script {
			return demo.NewRules().
				When(demo.Contains("one"), demo.Say("First answer.")).
				When(demo.Contains("two"), demo.Say("Second answer.")).
				When(demo.Contains("three"), demo.Say("Third answer."))
		}, nil, func(s *conversation) {
			for _, text := range []string{"one", "two", "/compact", "three", "/clear", "one"} {
				s.turn(text)
			}
		}},
		{"subagent", func() demo.Script {
			return demo.NewRules().
				When(demo.Contains("delegate"), demo.Use("Agent", m{"description": "look", "prompt": "look around",
					"subagent_type": "general-purpose", "run_in_background": false}), demo.Say("Delegated.")).
				WhenAgent(demo.Any, demo.Answer(demo.Text("I look. "), bash("touch looked")), demo.Say("All quiet."))
		}, nil, func(s *conversation) {
			s.ask("delegate", m{"behavior": "allow"})
			s.must(s.exists("looked"), "the subagent's command ran")
		}},
		{"background task", queue(demo.Use("Bash", m{"command": "sh wait.sh", "run_in_background": true}),
			demo.Say("It runs."), demo.Say("Meanwhile."), demo.Say("It is over.")), nil, playBackground},
		{"errors", func() demo.Script {
			return demo.NewRules().
				When(demo.Contains("broken"), demo.Fail(529, "Overloaded").Final()).
				When(demo.Contains("stranger"), demo.Fail(403, "Who are you?").Final()).
				When(demo.Any, demo.Say("Fine."))
		}, nil, func(s *conversation) {
			s.done(s.prompt("broken?"), "error")
			s.done(s.prompt("stranger?"), "error")
			s.turn("and now?")
		}},
		{"retry", queue(demo.Fail(529, "Overloaded"), demo.Say("At last.")), nil, func(s *conversation) {
			s.turn("busy?")
		}},
		{"failing tool", queue(demo.Answer(bash("touch made; exit 3")), see), nil, func(s *conversation) {
			s.ask("make it", m{"behavior": "allow"})
		}},
		{"interrupt a text", func() demo.Script {
			return demo.NewRules().
				When(demo.Contains("text"), demo.Answer(demo.Text("so far so good ").Wait(demo.NewGate()).More("never"))).
				When(demo.Any, demo.Say("All right."))
		}, nil, func(s *conversation) {
			turn := s.prompt("text")
			s.hears(turn, "so far so good ")
			s.interrupt(turn)
			s.turn("well?")
		}},
		{"interrupt a question", queue(demo.Answer(bash("touch made")), demo.Say("What instead?")), nil, func(s *conversation) {
			turn := s.prompt("make it")
			q := s.question()
			s.spoken()
			s.interrupt(turn)
			s.must(s.resolved(q).Outcome == "withdrawn", "the question was withdrawn")
			s.turn("hello?")
			s.must(!s.exists("made"), "the command did not run")
		}},
		{"interrupt a tool", queue(demo.Answer(bash("sh endless.sh")), demo.Say("What instead?")), nil, func(s *conversation) {
			s.write("endless.sh", endless)
			turn := s.prompt("run it")
			s.answer(s.question(), m{"behavior": "allow"})
			pollFile(s.p.t, s.dir+"/begun")
			s.interrupt(turn)
			s.turn("hello?")
		}},
		{"a server asks", queue(demo.Use("mcp__census__count", m{}), see), nil, playCensus},
		{"model and mode", queue(demo.Say("One."), demo.Use("Write", m{"file_path": "made.txt", "content": "x"}), see), nil, func(s *conversation) {
			s.turn("hello")
			call[m](s.c, "session.setModel", m{"sessionId": s.id, "model": "claude-sonnet-5"})
			call[m](s.c, "session.setPermissionMode", m{"sessionId": s.id, "mode": "acceptEdits"})
			s.turn("write it")
			s.must(s.exists("made.txt"), "the file was written without a question")
		}},
	}
}

// With either engine, users see the same.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			seen := map[string][]string{}
			for _, engine := range engines() {
				t.Run(engine, func(t *testing.T) { seen[engine] = sc.run(t, engine) })
			}
			if t.Failed() {
				return
			}
			if diff := cmp.Diff(seen["cli"], seen["sdk"]); diff != "" {
				t.Errorf("the engines differ (-cli +sdk):\n%s", diff)
			}
		})
	}
}

// run plays the scenario and returns the seen events.
func (sc scenario) run(t *testing.T, engine string) []string {
	script, usage := sc.script(), demo.Usage{Input: 10, CacheRead: 4000, CacheCreation: 500, Output: 60}
	p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
		// Otherwise it depends on the size of the request, which differs: one
		// engine has an additional tool.
		return script.Reply(r).Usage(usage)
	}))
	params := m{"engine": engine}
	maps.Copy(params, sc.params)
	s := p.openWith(params)
	if got := s.record().Engine; got != engine {
		t.Fatalf("engine %q", got)
	}
	sc.play(s)
	return s.essence()
}

// spoken waits until the model has ended its message: a question may come before that.
func (s *conversation) spoken() {
	s.p.t.Helper()
	end := await(s.c, s.id, "the end of a block", func(*event.BlockEnd) bool { return true })
	await(s.c, s.id, "what the message cost", func(e *event.ContextUpdate) bool { return e.Seq > end.Seq })
}

// ask sends a prompt and gives these answers to the following questions.
func (s *conversation) ask(text string, answers ...m) {
	s.p.t.Helper()
	turn := s.prompt(text)
	for _, answer := range answers {
		q := s.question()
		s.checkExtras(q)
		s.answer(q, answer)
	}
	s.done(turn, "completed")
}

// checkExtras checks the fields of a question that only one engine has.
func (s *conversation) checkExtras(q *event.PermissionRequest) {
	s.p.t.Helper()
	knows := len(q.Suggestions) > 0
	if want := s.record().Engine == "sdk" && q.Kind == "tool"; knows != want {
		s.p.t.Errorf("%s: suggestions %s", q.ToolName, q.Suggestions)
	}
}

func (s *conversation) must(is bool, what string) {
	s.p.t.Helper()
	if !is {
		s.p.t.Errorf("not so: %s%s", what, tail(s.c.all(), s.id))
	}
}

func playChat(s *conversation) {
	s.write("note.txt", "hello")
	s.turn("what is in the note?")
	s.turn("and now?")
}

func playRemember(s *conversation) {
	turn := s.prompt("count")
	s.answer(s.question(), m{"behavior": "allow", "remember": true})
	s.asked++ // the second one is answered by the remembered rule
	s.answer(s.question(), m{"behavior": "allow"})
	s.done(turn, "completed")
	if got := pollFile(s.p.t, s.dir+"/count"); got != "again\nagain\nother\n" {
		s.p.t.Errorf("the commands wrote %q", got)
	}
	questions := of[*event.PermissionRequest](s.c, s.id)
	if len(questions) != 3 || s.resolved(questions[1]).By != "rule" {
		s.p.t.Errorf("%d questions", len(questions))
	}
}

// playGuard checks that safe calls are allowed, and others are asked about with the known facts.
func playGuard(s *conversation) {
	turn := s.prompt("make it")
	for _, file := range []string{"a.txt", "made.txt"} {
		q := s.question()
		end := s.resolved(q)
		s.must(q.Decided == "guard" && end.By == "guard" && end.Outcome == "allow", "the guard let "+file+" pass")
		s.must(q.BlockedPath == "", "nobody says that "+file+" is outside")
	}
	for range 2 {
		q := s.question()
		s.must(q.Decided == "" && q.Risk != nil && q.Risk.Level != "low" && len(q.Risk.Findings) > 0, "it was asked about, with what is risky")
		s.answer(q, m{"behavior": "deny"})
	}
	s.done(turn, "completed")
	s.must(s.exists("a.txt") && s.exists("made.txt"), "what passed ran")
}

func playImage(s *conversation) {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	s.done(s.promptWith(m{"text": "what is this?", "attachments": []m{{"name": "dot.png", "mediaType": "image/png", "data": png}}}), "completed")
}

func playBackground(s *conversation) {
	s.write("wait.sh", "echo > begun; while [ ! -e go ]; do sleep 0.05; done; echo went")
	s.ask("run it", m{"behavior": "allow"})
	pollFile(s.p.t, s.dir+"/begun")
	s.turn("and you?")
	s.write("go", "")
	own := await(s.c, s.id, "a turn of the CLI's own", func(e *event.Processing) bool { return e.Origin == "cli" })
	s.done(own.TurnID, "completed")
	await(s.c, s.id, "the task's end", func(e *event.TaskUpdate) bool { return e.Status == "completed" })
}

// census is an MCP server that asks the user a question when its tool is called.
const census = `#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
  *'"method":"initialize"'*) version=$(printf '%s' "$line" | sed 's/.*"protocolVersion":"\([^"]*\)".*/\1/')
    say '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"'"$version"'","capabilities":{"tools":{}},"serverInfo":{"name":"census","version":"1"}}}' ;;
  *'"method":"tools/list"'*) say '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"count","inputSchema":{"type":"object","properties":{}}}]}}' ;;
  *'"method":"tools/call"'*) call=$id
    say '{"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"string","enum":["person","cat"]}},"required":["name","kind"]}}}' ;;
  *'"id":"ask"'*) case "$line" in *'"name":"Ada"'*) text=counted ;; *) text=gone ;; esac
    say '{"jsonrpc":"2.0","id":'"$call"',"result":{"content":[{"type":"text","text":"'$text'"}]}}' ;;
  esac
done
`

// A user's own MCP server asks a question: it looks like one
// of the model.
func playCensus(s *conversation) {
	server := s.p.path("home/census.sh")
	if err := os.WriteFile(server, []byte(census), 0o700); err != nil {
		s.p.t.Fatal(err)
	}
	config, err := json.Marshal(m{"mcpServers": m{"census": m{"type": "stdio", "command": server}}})
	if err != nil {
		s.p.t.Fatal(err)
	}
	if err := os.MkdirAll(s.p.path("home/.claude"), 0o700); err != nil {
		s.p.t.Fatal(err)
	}
	if err := os.WriteFile(s.p.path("home/.claude/.claude.json"), config, 0o600); err != nil {
		s.p.t.Fatal(err)
	}
	turn := s.prompt("count me")
	s.answer(s.question(), m{"behavior": "allow"})
	q := s.question()
	s.must(q.Kind == "question" && q.ToolName == "mcp__census" && q.TurnID == turn, "the server's question is one")
	s.answer(q, m{"behavior": "allow", "answers": m{"Who are you? — name": "Ada", "kind": "cat"}})
	s.done(turn, "completed")
	heard, _ := s.p.lastRequest().Result("mcp__census__count")
	s.must(heard.Text == "counted", "the model heard "+heard.Text)
}
