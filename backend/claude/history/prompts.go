package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"parley/backend/claude/transcript"
)

// Said is a user's prompt or shell command ("!" and the command).
type Said struct {
	// ID is the line's, for a prompt its turn's.
	ID   string
	Text string
	// Time is in Unix milliseconds, or 0.
	Time int64
	// At is where the line starts. It is the cursor for earlier prompts.
	At int64
}

// Prompts calls fn for a user's prompts before an offset, newest first; a negative
// offset means the end. It continues until fn returns false, and reads about bytes at
// most. It returns the offset to continue before, 0 for none. Turns that were abandoned
// when a user went back are included. The errors are faults, as of Page.
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
		// Most lines are answers and tool outputs.
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
