//go:build unix

package claudetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/demo"
	"parley/backend/session"
)

var record = flag.Bool("record", false, "record the captures again with the real CLI")

// scenario drives the real CLI with a scripted model.
type scenario struct {
	name   string
	script demo.Script
	drive  func(*driver)
	mode   string
	// slow keeps the model's pauses.
	slow bool
}

// driver is a CLI being recorded.
type driver struct {
	*claude.Process
	t      *testing.T
	dir    string
	answer func(*wire.CanUseTool) any
	frames chan wire.Frame
}

func (d *driver) send(msg wire.UserMessage) {
	d.t.Helper()
	msg.UUID = uuid.NewString()
	if err := d.Send(msg); err != nil {
		d.t.Fatal(err)
	}
}

// until answers questions and waits for a frame.
func (d *driver) until(what string, match func(wire.Frame) bool) {
	d.t.Helper()
	limit := time.After(10 * time.Minute)
	for {
		select {
		case f, ok := <-d.frames:
			if !ok {
				d.t.Fatalf("the CLI ended while waiting for %s: %+v", what, d.Exit())
			}
			if q, ok := f.(*wire.ControlRequest); ok && q.CanUseTool != nil && d.answer != nil {
				if err := d.Reply(q.RequestID, d.answer(q.CanUseTool)); err != nil {
					d.t.Fatal(err)
				}
			}
			if match(f) {
				return
			}
		case <-limit:
			d.t.Fatalf("no %s", what)
		}
	}
}

func isResult(f wire.Frame) bool { _, ok := f.(*wire.Result); return ok }

func isDelta(f wire.Frame) bool {
	e, ok := f.(*wire.StreamEvent)
	if !ok {
		return false
	}
	_, ok = e.Event.(*wire.BlockDelta)
	return ok
}

// turn sends a prompt and waits for its result.
func (d *driver) turn(text string) {
	d.t.Helper()
	d.send(wire.UserMessage{Text: text})
	d.until("result of "+text, isResult)
}

func allow(q *wire.CanUseTool) any { return wire.AllowTool(q.Input) }

type lineLog struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lineLog) Close() error { return nil }

func (s scenario) record(t *testing.T) {
	path := claudetest.RealCLI(t)
	model, err := demo.Start(demo.Config{Script: s.script, Logger: slog.New(slog.DiscardHandler), Instant: !s.slow})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, dir, tmp := filepath.Join(root, "home"), filepath.Join(root, "project"), filepath.Join(root, "tmp")
	for _, d := range []string{home, dir, tmp} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var raw lineLog
	engine := claude.NewEngine(claude.Config{
		CLI:     func(context.Context) (string, error) { return path, nil },
		Env:     append(model.Env(home, filepath.Join(home, ".claude")), "TMPDIR="+tmp),
		Home:    home,
		Capture: func(session.Spec) io.WriteCloser { return &raw },
		Extra: func(session.Spec) ([]string, []string, error) {
			return nil, []string{"--permission-prompt-tool=stdio"}, nil
		},
	})
	p, err := engine.Start(t.Context(), session.Spec{
		SessionID: "s1", CWD: dir, CLISessionID: uuid.NewString(), PermissionMode: s.mode,
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{Process: p.(*claude.Process), t: t, dir: dir, answer: allow, frames: make(chan wire.Frame, 1<<16)}
	go func() {
		defer close(d.frames)
		for batch := range d.Frames() {
			for _, f := range batch {
				d.frames <- f
			}
		}
	}()
	defer func() {
		_ = d.Stop(context.Background())
		for range d.frames {
		}
	}()
	if _, err := d.Initialized(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.drive(d)
	if err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range d.frames {
	}
	version, err := claude.Version(t.Context(), path, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(raw.String()), "\n")
	writeCapture(t, s.name, version, lines, map[string]string{
		home: "/home/user", dir: "/home/user/project", tmp: "/tmp/user",
	})
}

func scenarios() []scenario {
	bash := func(command string) demo.Reply {
		return demo.Answer(demo.Text("I run it."), bashPart(command))
	}
	textGate, toolGate := demo.NewGate(), demo.NewGate()
	return []scenario{
		{name: "chat", script: demo.NewQueue(demo.Think("A greeting.", "Hello there."), demo.Say("And again.")), drive: func(d *driver) {
			d.turn("hi")
			d.turn("again")
		}},
		{name: "bash_allowed", script: demo.NewQueue(bash("touch made.txt && ls"), demo.Say("It is made.")), drive: func(d *driver) { d.turn("make it") }},
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
		{name: "subagent", script: withAgents(demo.NewQueue(
			demo.Use("Task", map[string]any{"description": "Look around", "prompt": "Look around.", "subagent_type": "general-purpose", "run_in_background": false}),
			demo.Say("The agent is back."), demo.Say("Noted."),
		), bash("echo from the agent"), demo.Say("I looked around.")), drive: func(d *driver) {
			d.turn("send an agent")
		}},
		{name: "subagent_background", script: withAgents(demo.NewQueue(
			demo.Use("Task", map[string]any{"description": "Look around", "prompt": "Look around.", "subagent_type": "general-purpose", "run_in_background": true}),
			demo.Say("The agent is on its way."), demo.Say("The agent is back."),
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
		{name: "retry", script: demo.NewQueue(
			demo.Fail(529, "Overloaded"), demo.Fail(500, "Broken"), demo.Say("There it is."),
		), drive: func(d *driver) { d.turn("hi") }},
		{name: "api_error", script: demo.NewQueue(demo.Fail(400, "The request is odd."), demo.Say("Better now.")), drive: func(d *driver) {
			d.turn("hi")
			d.turn("again")
		}},
		{name: "stream_cut", script: demo.NewQueue(demo.Say("This is cut off").Cut(), demo.Say("This is whole.")), drive: func(d *driver) { d.turn("hi") }},
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
			d.until("question", func(f wire.Frame) bool { _, ok := f.(*wire.ControlRequest); return ok })
			d.interrupt()
			d.turn("again")
		}},
		{name: "interrupt_tool", script: demo.NewQueue(bash("touch runs; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done"), demo.Say("Still here.")), drive: func(d *driver) {
			d.send(wire.UserMessage{Text: "run"})
			d.until("question", func(f wire.Frame) bool { _, ok := f.(*wire.ControlRequest); return ok })
			for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(d.dir, "runs")); err == nil {
					break
				}
			}
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
			d.until("question", func(f wire.Frame) bool { _, ok := f.(*wire.ControlRequest); return ok })
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
	}
}

func bashPart(command string) demo.Part {
	return demo.Tool("Bash", map[string]string{"command": command, "description": "Run a command"})
}

func withAgents(q *demo.Queue, replies ...demo.Reply) *demo.Queue {
	q.PushAgent(replies...)
	return q
}

// interrupt stops the turn and waits for its result.
func (d *driver) interrupt() {
	d.t.Helper()
	if _, err := d.Control(d.t.Context(), wire.Interrupt(false)); err != nil {
		d.t.Fatal(err)
	}
	d.until("result", isResult)
	d.answer = allow
}

// onePixel is a PNG of one black pixel.
func onePixel() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.Bytes()
}

func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("captures are recorded with -record")
	}
	for _, s := range scenarios() {
		t.Run(s.name, s.record)
	}
}
