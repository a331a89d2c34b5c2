package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/usage"
)

var update = flag.Bool("update", false, "write the golden files anew")

// captures returns the recorded output of the real CLI, by name: this package's
// own recordings, and those of the CLI's package.
func captures(t testing.TB) map[string][]byte {
	t.Helper()
	found := make(map[string][]byte)
	for _, pattern := range []string{"testdata/captures/*.jsonl", "../claudetest/testdata/captures/*.jsonl"} {
		paths, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(body) > 0 {
				found[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = body
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("no captures were found")
	}
	return found
}

// stage plays the session's owner: it calls the projector, adds turns and
// numbers, and keeps everything in a log.
type stage struct {
	p      *Projector
	log    *Log
	events []event.Event
	turn   int
	inTurn bool
	// windows is the shared knowledge of windows, for a handover.
	windows *usage.Windows
}

func newStage() *stage { return &stage{p: NewProjector(), log: NewLog(10_000, 64<<20)} }

func (s *stage) take(events ...event.Event) {
	for _, e := range events {
		h := e.Header()
		h.Seq = uint64(len(s.events)) + 1
		h.TurnID = fmt.Sprintf("turn-%d", s.turn)
		s.events = append(s.events, e)
		s.log.Apply(e)
	}
}

func (s *stage) frame(f wire.Frame) {
	switch f := f.(type) {
	case *wire.CommandLifecycle:
		if f.State == "started" {
			s.take(&event.UserMessage{MessageID: f.CommandUUID, Text: "(a prompt)"})
		}
	case *wire.Init:
		s.inTurn = true
	case *wire.ControlResponse:
		// The CLI confirms an interrupt. The owner stopped everything before that.
		if s.inTurn && bytes.Contains(f.Response, []byte("still_queued")) {
			s.take(s.p.Stop()...)
			s.take(&event.Interrupted{})
		}
	case *wire.Result:
		s.take(s.p.Frame(f)...)
		s.take(s.p.EndTurn()...)
		reason := "completed"
		if Interrupted(f) {
			reason = "interrupted"
		}
		s.take(&event.Done{Reason: reason})
		s.turn, s.inTurn = s.turn+1, false
		return
	}
	s.take(s.p.Frame(f)...)
}

func (s *stage) play(t testing.TB, capture []byte) {
	t.Helper()
	for line := range bytes.Lines(capture) {
		f, err := wire.Decode(line)
		if err != nil {
			t.Fatalf("%v: %.80s", err, line)
		}
		s.frame(f)
	}
}

func (s *stage) jsonLines(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, e := range s.events {
		if err := enc.Encode(map[string]any{e.EventName(): e}); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestCapturesGiveTheseEvents compares the projector's events with the golden file.
// After a new recording, run it with -update and review the diff.
func TestCapturesGiveTheseEvents(t *testing.T) {
	for name, capture := range captures(t) {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.play(t, capture)
			golden(t, filepath.Join("testdata", "golden", name+".events.jsonl"), s.jsonLines(t))
			page, err := json.MarshalIndent(s.log.Page(1000, "").Messages, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "golden", name+".messages.json"), append(page, '\n'))
			checkBlocks(t, s.events)
			for _, m := range s.log.Page(1000, "").Messages {
				for _, b := range m.Blocks {
					if b.Open {
						t.Errorf("block %s is open after everything ended", b.ID)
					}
				}
			}
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// checkBlocks checks that every opened block was closed once, after it was opened,
// and that nothing was added between its end and a new opening.
func checkBlocks(t testing.TB, events []event.Event) {
	t.Helper()
	open, ended := make(map[string]bool), make(map[string]int)
	opens := func(id string) {
		if id == "" || strings.HasPrefix(id, ":") {
			t.Errorf("a block without a message: %q", id)
		}
		open[id] = true
	}
	for i, e := range events {
		switch e := e.(type) {
		case *event.TextDelta:
			opens(e.BlockID)
		case *event.ThinkingStart:
			opens(e.BlockID)
		case *event.ToolStart:
			opens(e.BlockID)
		case *event.ThinkingDelta:
			if !open[e.BlockID] {
				t.Errorf("event %d: thinking in block %s, which is not there", i, e.BlockID)
			}
		case *event.ToolInput:
			if !open[e.BlockID] {
				t.Errorf("event %d: input in block %s, which is not there", i, e.BlockID)
			}
		case *event.BlockEnd:
			if !open[e.BlockID] {
				t.Errorf("event %d: block %s ends before it opens", i, e.BlockID)
			}
			ended[e.BlockID]++
		}
	}
	for id := range open {
		if ended[id] != 1 {
			t.Errorf("block %s was closed %d times", id, ended[id])
		}
	}
}
