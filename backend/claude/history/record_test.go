//go:build unix

package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
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

var record = flag.Bool("record", false, "record the pairs again with the real CLI")

// To record again: go test ./backend/claude/history -run TestRecordPairs -record
//
// TestRecordPairs lets the real CLI talk to a scripted model and records both
// sides: the prompts it was sent, the frames it printed, and the files it wrote.
// The pairs are the reference for the line projector.
func TestRecordPairs(t *testing.T) {
	if !*record {
		t.Skip("pairs are recorded with -record, after the pinned CLI was raised")
	}
	for _, s := range scenarios() {
		t.Run(s.name, s.record)
	}
}

// scenario drives the real CLI with a scripted model.
type scenario struct {
	name   string
	script demo.Script
	drive  func(*driver)
	mode   string
}

// driver runs the CLI of one scenario, possibly several processes in turn.
type driver struct {
	t        *testing.T
	engine   *claude.Engine
	dir      string
	mode     string
	id       string // of the conversation
	p        *claude.Process
	frames   chan wire.Frame
	answer   func(*wire.CanUseTool) any
	args     []string // additional command line
	prompts  bytes.Buffer
	raw      lineLog
	children sync.WaitGroup
}

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

// mark inserts a line of our own between the frames.
func (d *driver) mark(v any) {
	d.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.raw.Write(append(b, '\n')); err != nil {
		d.t.Fatal(err)
	}
}

func (d *driver) start(resume bool) {
	d.t.Helper()
	p, err := d.engine.Start(d.t.Context(), session.Spec{
		SessionID: "s1", CWD: d.dir, CLISessionID: d.id, Resume: resume, PermissionMode: d.mode,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.p, d.frames = p.(*claude.Process), make(chan wire.Frame, 1<<16)
	d.children.Add(1)
	go func(from <-chan []wire.Frame, to chan<- wire.Frame) {
		defer d.children.Done()
		defer close(to)
		for batch := range from {
			for _, f := range batch {
				to <- f
			}
		}
	}(d.p.Frames(), d.frames)
	if _, err := d.p.Initialized(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *driver) stop() {
	d.t.Helper()
	if err := d.p.Stop(context.Background()); err != nil {
		d.t.Error(err)
	}
	for range d.frames {
	}
	d.children.Wait()
}

// send sends a prompt. It is recorded beside the frames, because the CLI
// doesn't repeat it there.
func (d *driver) send(msg wire.UserMessage) {
	d.t.Helper()
	msg.UUID = uuid.NewString()
	line, err := msg.Encode()
	if err != nil {
		d.t.Fatal(err)
	}
	d.prompts.Write(line)
	if err := d.p.Send(msg); err != nil {
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
				d.t.Fatalf("the CLI ended while waiting for %s: %+v", what, d.p.Exit())
			}
			if q, ok := f.(*wire.ControlRequest); ok && q.CanUseTool != nil && d.answer != nil {
				if err := d.p.Reply(q.RequestID, d.answer(q.CanUseTool)); err != nil {
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

func isQuestion(f wire.Frame) bool { _, ok := f.(*wire.ControlRequest); return ok }

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

// interrupt stops the turn and waits for its result.
func (d *driver) interrupt() {
	d.t.Helper()
	d.mark(map[string]string{"type": "parley", "did": "interrupt"})
	if _, err := d.p.Control(d.t.Context(), wire.Interrupt(false)); err != nil {
		d.t.Fatal(err)
	}
	d.until("result", isResult)
	d.answer = allow
}

func allow(q *wire.CanUseTool) any { return wire.AllowTool(q.Input) }

func (s scenario) record(t *testing.T) {
	path := claudetest.RealCLI(t)
	model, err := demo.Start(demo.Config{Script: s.script, Logger: slog.New(slog.DiscardHandler), Instant: true})
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
	config := filepath.Join(home, ".claude")
	d := &driver{t: t, dir: dir, mode: s.mode, id: uuid.NewString(), answer: allow}
	d.engine = claude.NewEngine(claude.Config{
		CLI:  func(context.Context) (string, error) { return path, nil },
		Env:  append(model.Env(home, config), "TMPDIR="+tmp),
		Home: home, InitializeTimeout: time.Minute,
		Capture: func(session.Spec) io.WriteCloser { return &d.raw },
		Extra: func(session.Spec) ([]string, []string, error) {
			return nil, append([]string{"--permission-prompt-tool=stdio"}, d.args...), nil
		},
	})
	d.start(false)
	s.drive(d)
	d.stop()
	version, err := claude.Version(t.Context(), path, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	pair := map[string][]byte{"prompts.jsonl": d.prompts.Bytes(), "frames.jsonl": d.raw.Bytes()}
	projects := filepath.Join(config, "projects")
	err = filepath.WalkDir(projects, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(projects, name)
		if err != nil {
			return err
		}
		if ext := filepath.Ext(name); ext != ".jsonl" && ext != ".json" {
			return nil
		}
		pair[filepath.ToSlash(filepath.Join("projects", rel))] = body
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pair["version"] = []byte(strconv.Quote(version) + "\n")
	folder := filepath.Join("testdata", "pairs", s.name)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for name, body := range scrub(t, pair, map[string]string{home: "/home/user", dir: "/home/user/project", tmp: "/tmp/user"}) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
