package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"parley/backend/claude/transcript"
)

// Said is what a user said to the model, or had run ("!" and the command).
type Said struct {
	// ID is the line's, for a prompt that of its turn.
	ID   string
	Text string
	// Time is in Unix milliseconds, or 0.
	Time int64
	// At is where the line begins. It leads to what was said before.
	At int64
}

// Prompts calls fn for what a user said before an offset, the newest first; a
// negative one stands for the end. It continues until fn returns false, and reads about
// bytes at most. It returns the offset to go on before, 0 for none. Turns that were
// given up when a user went back are among it. The errors are faults, as of Page.
func (t *Transcript) Prompts(ctx context.Context, before, bytesAtMost int64, fn func(Said) bool) (next, read int64, err error) {
	s, err := t.open()
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	if before < 0 || before > s.size {
		before = s.size
	}
	back := newBackward(s, before)
	for {
		if err := ctx.Err(); err != nil {
			return back.end, before - back.end, err
		}
		if before-back.end >= bytesAtMost {
			return back.end, before - back.end, nil
		}
		place, raw, err := back.next()
		if errors.Is(err, io.EOF) {
			return 0, before, nil
		}
		if err != nil {
			return back.end, before - back.end, unreadable(err)
		}
		// Most lines are answers and what tools printed.
		if !bytes.Contains(raw, []byte(`"user"`)) || bytes.Contains(raw, []byte(`"tool_use_id"`)) {
			continue
		}
		l, ok := transcript.ReadLine(raw)
		if !ok || l.Type != "user" {
			continue
		}
		more := true
		l.Parts(maxText, 1, func(p transcript.Part) {
			if p.Kind != "prompt" || !more {
				return
			}
			text := p.Text
			if command, shell := strings.CutPrefix(text, "! "); shell {
				text = "!" + command
			}
			more = fn(Said{ID: l.UUID, Text: text, Time: l.At(), At: place.at})
		})
		if !more {
			return back.end, before - back.end, nil
		}
	}
}
