package transcript

import (
	"bytes"
	"encoding/json"
	"testing"

	"parley/backend/claude/wire"
	"parley/backend/usage"
)

// handsOver makes a new projector and a new log continue with the old ones' state.
func (s *stage) handsOver(t testing.TB) {
	t.Helper()
	p, err := s.p.HandOver()
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.log.HandOver(10_000, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	windows := s.windows
	s.p, s.log = NewProjector(), NewLog(10_000, 64<<20)
	s.p.Share(windows, "")
	if err := s.p.TakeOver(p); err != nil {
		t.Fatal(err)
	}
	if err := s.log.TakeOver(l); err != nil {
		t.Fatal(err)
	}
}

// All recordings of the real CLI give the same events and messages when handed over
// after each frame.
func TestHandOver(t *testing.T) {
	for name, capture := range captures(t) {
		t.Run(name, func(t *testing.T) {
			undisturbed, s := newStage(), newStage()
			s.windows = usage.NewWindows(nil, nil)
			s.p.Share(s.windows, "")
			undisturbed.play(t, capture)
			for line := range bytes.Lines(capture) {
				f, err := wire.Decode(line)
				if err != nil {
					t.Fatal(err)
				}
				s.frame(f)
				s.handsOver(t)
			}
			if want, got := undisturbed.jsonLines(t), s.jsonLines(t); !bytes.Equal(want, got) {
				t.Errorf("the events differ:\n%s\nwant:\n%s", got, want)
			}
			want, _ := json.Marshal(undisturbed.log.Page(10_000, ""))
			if got, _ := json.Marshal(s.log.Page(10_000, "")); !bytes.Equal(want, got) {
				t.Errorf("the messages differ:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// Only the end of a long log is handed over, with the number of earlier messages.
func TestHandOverOfTheEnd(t *testing.T) {
	s := newStage()
	for name, capture := range captures(t) {
		if name == "chat" || name == "parallel" || name == "edit" {
			s.play(t, capture)
		}
	}
	total := s.log.Page(1, "").Total
	state, err := s.log.HandOver(2, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	next := NewLog(10, 64<<20)
	if err := next.TakeOver(state); err != nil {
		t.Fatal(err)
	}
	if page := next.Page(10, ""); len(page.Messages) != 2 || page.Total != total {
		t.Errorf("%d messages of %d, want 2 of %d", len(page.Messages), page.Total, total)
	}
	for _, broken := range []string{`[]`, `{"messages":[null]}`, `{"threads":{"a":{"blocks":7}}}`} {
		_ = NewProjector().TakeOver(json.RawMessage(broken)) // it only must not panic
		_ = NewLog(1, 1).TakeOver(json.RawMessage(broken))
	}
}
