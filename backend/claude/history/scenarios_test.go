//go:build unix

package history_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/demo"
)

func bashPart(command string) demo.Part {
	return demo.Tool("Bash", map[string]string{"command": command, "description": "Run a command"})
}

func withAgents(q *demo.Queue, replies ...demo.Reply) *demo.Queue {
	q.PushAgent(replies...)
	return q
}

// onePixel is a PNG of one black pixel.
func onePixel() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.Bytes()
}

// rename sets a title in the CLI's own file, which Parley never does.
type rename struct {
	wire.Subtype
	Title string `json:"title"`
}

func scenarios() []scenario {
	bash := func(command string) demo.Reply {
		return demo.Answer(demo.Text("I run it."), bashPart(command))
	}
	agent := func(background bool) demo.Reply {
		return demo.Use("Task", map[string]any{
			"description": "Look around", "prompt": "Look around.", "subagent_type": "general-purpose", "run_in_background": background,
		})
	}
	textGate, toolGate := demo.NewGate(), demo.NewGate()
	return slices.Concat([]scenario{
		{name: "chat", script: demo.NewQueue(demo.Think("A greeting.", "Hello there."), demo.Say("And again.")), drive: func(d *driver) {
			d.turn("hi")
			d.turn("again")
		}},
		{name: "bash", script: demo.NewQueue(bash("touch made.txt && ls"), demo.Say("It is made.")), drive: func(d *driver) { d.turn("make it") }},
		{name: "bash_denied", script: demo.NewQueue(bash("touch made.txt"), demo.Say("Then not.")), drive: func(d *driver) {
			d.answer = func(*wire.CanUseTool) any { return wire.DenyTool("Not in this folder.") }
			d.turn("make it")
		}},
		{name: "bash_failed", script: demo.NewQueue(bash("ls /no/such/folder"), demo.Say("It failed.")), drive: func(d *driver) { d.turn("look") }},
		{name: "edit", script: demo.NewQueue(
			demo.Use("Write", map[string]string{"file_path": "a.txt", "content": "one\ntwo\n"}),
			demo.Use("Edit", map[string]string{"file_path": "a.txt", "old_string": "two", "new_string": "three"}),
			demo.Say("Edited."),
		), drive: func(d *driver) { d.turn("edit") }},
		{name: "question", script: demo.NewQueue(
			demo.Use("AskUserQuestion", json.RawMessage(`{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"Warm"},{"label":"Blue","description":"Cool"}]}]}`)),
			demo.Say("Blue it is."),
		), drive: func(d *driver) {
			d.answer = func(q *wire.CanUseTool) any {
				return wire.AllowTool(json.RawMessage(strings.TrimSuffix(string(q.Input), "}") + `,"answers":{"Which colour?":"Blue"}}`))
			}
			d.turn("ask me")
		}},
		{name: "plan", mode: "plan", script: demo.NewQueue(
			demo.Use("ExitPlanMode", map[string]string{"plan": "# Plan\n\n1. Do it."}),
			demo.Use("ExitPlanMode", map[string]string{"plan": "# Plan\n\n1. Do it well."}),
			demo.Say("I begin."),
		), drive: func(d *driver) {
			first := true
			d.answer = func(q *wire.CanUseTool) any {
				if first {
					first = false
					return wire.DenyTool("Say how.")
				}
				return wire.AllowTool(q.Input)
			}
			d.turn("plan it")
		}},
		{name: "parallel", script: demo.NewQueue(
			demo.Answer(bashPart("echo one"), bashPart("echo two"), bashPart("cat /no/such/file")), demo.Say("All done."),
		), drive: func(d *driver) { d.turn("all at once") }},
		{name: "subagent", script: withAgents(demo.NewQueue(agent(false), demo.Say("The agent is back."), demo.Say("Noted.")),
			bash("echo from the agent"), demo.Say("I looked around.")), drive: func(d *driver) { d.turn("send an agent") }},
		{name: "subagent_background", script: withAgents(demo.NewQueue(
			agent(true), demo.Say("The agent is on its way."), demo.Say("The agent is back."),
		), bash("sleep 0.5; echo from the agent"), demo.Say("I looked around.")), drive: func(d *driver) {
			d.turn("send an agent")
			d.until("the turn that the CLI begins", isResult)
		}},
		{name: "bash_background", script: demo.NewQueue(
			demo.Use("Bash", map[string]any{"command": "sleep 1; echo finished", "description": "Wait", "run_in_background": true}),
			demo.Say("It runs."), demo.Say("It has finished."),
		), drive: func(d *driver) {
			d.turn("in the background")
			d.until("the turn that the CLI begins", isResult)
		}},
	}, []scenario{
		{name: "compact", script: demo.NewRules().When(demo.Any, demo.Say(strings.Repeat("A long answer. ", 5))).
			WhenKind(demo.Compact, demo.Say("<analysis>Short.</analysis><summary>They talked.</summary>")), drive: func(d *driver) {
			for _, text := range []string{"one", "two", "three"} {
				d.turn(text)
			}
			d.turn("/compact")
			d.turn("four")
		}},
		{name: "compact_failed", script: demo.NewQueue(), drive: func(d *driver) {
			d.turn("/context")
			d.turn("/compact")
		}},
		{name: "clear", script: demo.NewQueue(demo.Say("Before."), demo.Say("After.")), drive: func(d *driver) {
			d.turn("one")
			d.turn("/clear")
			d.turn("two")
		}},
		{name: "context", script: demo.NewQueue(demo.Say("Hello.")), drive: func(d *driver) {
			d.turn("hi")
			d.turn("/context")
		}},
		{name: "command", script: demo.NewQueue(demo.Say("Greeted.")), drive: func(d *driver) {
			dir := filepath.Join(d.dir, ".claude", "commands")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				d.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "greet.md"), []byte("---\ndescription: Greets\n---\nGreet $ARGUMENTS politely.\n"), 0o600); err != nil {
				d.t.Fatal(err)
			}
			d.stop()
			d.id = uuid.NewString()
			d.start(false)
			d.turn("/greet the world")
			d.turn("/no-such-command now")
		}},
		{name: "mention", script: demo.NewQueue(demo.Say("I read it.")), drive: func(d *driver) {
			if err := os.WriteFile(filepath.Join(d.dir, "note.txt"), []byte("A note.\n"), 0o600); err != nil {
				d.t.Fatal(err)
			}
			d.turn("look at @note.txt please")
		}},
		{name: "resume", script: demo.NewQueue(demo.Say("Before."), demo.Say("After.")), drive: func(d *driver) {
			d.turn("one")
			d.stop()
			d.start(true)
			d.turn("two")
		}},
		{name: "rewound", script: demo.NewQueue(demo.Say("Before."), demo.Say("Wrong."), demo.Say("Right.")), drive: func(d *driver) {
			var leaf string
			d.send(wire.UserMessage{Text: "one"})
			d.until("answer", func(f wire.Frame) bool {
				if a, ok := f.(*wire.Assistant); ok {
					leaf = a.UUID
				}
				return isResult(f)
			})
			d.turn("a wrong turn")
			d.stop()
			d.mark(map[string]string{"type": "parley", "did": "rewind", "leaf": leaf})
			d.args = []string{"--resume-session-at=" + leaf}
			d.start(true)
			d.turn("the right turn")
		}},
		{name: "forked", script: demo.NewQueue(demo.Say("Before."), bash("echo one"), demo.Say("Done."), demo.Say("After.")), drive: func(d *driver) {
			d.turn("one")
			d.turn("two")
			d.stop()
			d.mark(map[string]string{"type": "parley", "did": "fork"})
			d.args = []string{"--fork-session"}
			d.start(true)
			d.turn("three")
		}},
		{name: "renamed", script: demo.NewQueue(demo.Say("Hello.")), drive: func(d *driver) {
			d.turn("hi")
			if _, err := d.p.Control(d.t.Context(), rename{wire.Subtype{Subtype: "rename_session"}, "A chosen title"}); err != nil {
				d.t.Fatal(err)
			}
		}},
		{name: "retry", script: demo.NewQueue(
			demo.Fail(529, "Overloaded"), demo.Fail(500, "Broken"), demo.Say("There it is."),
		), drive: func(d *driver) { d.turn("hi") }},
		{name: "api_error", script: demo.NewQueue(demo.Fail(400, "The request is odd."), demo.Say("Better now.")), drive: func(d *driver) {
			d.turn("hi")
			d.turn("again")
		}},
		{name: "stream_cut", script: demo.NewQueue(demo.Say("This is cut off").Cut(), demo.Say("This is whole.")), drive: func(d *driver) { d.turn("hi") }},
	}, []scenario{
		{name: "interrupt_text", script: demo.NewQueue(
			demo.Answer(demo.Text("Once upon ").Wait(textGate).More("a time")), demo.Say("Still here."),
		), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "tell"})
			d.until("delta", isDelta)
			d.interrupt()
			d.turn("again")
		}},
		{name: "interrupt_question", script: demo.NewQueue(bash("touch made.txt"), demo.Say("Still here.")), drive: func(d *driver) {
			d.answer = nil
			d.send(wire.UserMessage{Text: "make it"})
			d.until("question", isQuestion)
			d.interrupt()
			d.turn("again")
		}},
		{name: "interrupt_asking", script: demo.NewQueue(demo.Answer(bashPart("touch a"), bashPart("touch b"), bashPart("touch c")), demo.Say("Still here.")), drive: func(d *driver) {
			d.answer = nil
			d.send(wire.UserMessage{Text: "make them"})
			d.until("all of them", isLast)
			d.interrupt()
			d.turn("again")
		}},
		{name: "interrupt_behind", script: demo.NewQueue(
			demo.Answer(bashPart("touch runs; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done"), bashPart("touch b"), bashPart("touch c")), demo.Say("Still here."),
		), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "run them"})
			d.until("question", isQuestion)
			d.runs()
			d.interrupt()
			d.turn("again")
		}},
		{name: "dont_ask", mode: "dontAsk", script: demo.NewQueue(bash("touch made.txt"), demo.Say("Then not.")), drive: func(d *driver) { d.turn("make it") }},
		{name: "no_such_tool", script: demo.NewQueue(demo.Use("NoSuch", map[string]string{"a": "b"}), demo.Say("Then not.")), drive: func(d *driver) { d.turn("use it") }},
		{name: "closed_asking", script: demo.NewQueue(demo.Answer(bashPart("touch a"), bashPart("touch b")), demo.Say("Still here.")), drive: func(d *driver) {
			d.answer = nil
			d.send(wire.UserMessage{Text: "make them"})
			d.until("all of them", isLast)
			d.mark(map[string]string{"type": "parley", "did": "interrupt"})
			d.stop()
			d.answer = allow
			d.start(true)
			d.turn("again")
		}},
		{name: "interrupt_tool", script: demo.NewQueue(bash("touch runs; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done"), demo.Say("Still here.")), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "run"})
			d.until("question", isQuestion)
			d.runs()
			d.interrupt()
			d.turn("again")
		}},
		{name: "image", script: demo.NewQueue(
			demo.Use("Read", map[string]string{"file_path": "dot.png"}), demo.Say("A dot."),
		), drive: func(d *driver) {
			dot := onePixel()
			if err := os.WriteFile(filepath.Join(d.dir, "dot.png"), dot, 0o600); err != nil {
				d.t.Fatal(err)
			}
			d.send(wire.UserMessage{Text: "what is it", Images: []wire.Image{{MediaType: "image/png", Data: dot}}})
			d.until("result", isResult)
		}},
		{name: "steering", script: demo.NewQueue(bash("touch made.txt; sleep 0.5; echo done"), demo.Say("Both heard."), demo.Say("The last.")), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "run it"})
			d.until("question", isQuestion)
			d.send(wire.UserMessage{Text: "and hurry"})
			d.until("result", isResult)
			d.turn("bye")
		}},
		{name: "queued", script: demo.NewQueue(
			demo.Answer(demo.Text("First ").Wait(toolGate).More("answer.")), demo.Say("Second answer."),
		), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "one"})
			d.until("delta", isDelta)
			d.send(wire.UserMessage{Text: "two"})
			d.until("queued", func(f wire.Frame) bool {
				c, ok := f.(*wire.CommandLifecycle)
				return ok && c.State == "queued"
			})
			toolGate.Open()
			d.until("first result", isResult)
			d.until("second result", isResult)
		}},
		{name: "thinking_empty", script: demo.NewQueue(demo.Answer(demo.Thinking(""), demo.Text("No comment."))), drive: func(d *driver) { d.turn("hi") }},
	})
}

// isLast reports whether a message was streamed to its end.
func isLast(f wire.Frame) bool {
	e, ok := f.(*wire.StreamEvent)
	if !ok {
		return false
	}
	_, ok = e.Event.(*wire.MessageDelta)
	return ok
}

// runs waits until the command that creates a file of this name is running.
func (d *driver) runs() {
	d.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(d.dir, "runs")); err == nil {
			return
		}
	}
	d.t.Fatal("the command did not begin")
}
