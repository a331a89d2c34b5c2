package history

import (
	"context"

	"parley/backend/transcript"
)

const (
	// maxText is the longest text that is handed out to be searched.
	maxText = 256 << 10
	// maxTools is how many tool uses are remembered until their output came.
	maxTools = 10_000
)

// Text is a text of a conversation that somebody may look for.
type Text struct {
	transcript.Part
	// At is where the text's line begins. [Transcript.CursorAt] leads there.
	At int64
	// Time is when it was said, in Unix milliseconds, or 0.
	Time int64
	// Model is the model that said it, or "".
	Model string
}

// Texts calls fn for every text from an offset on, a line's beginning, and returns
// the offset to go on from when the file has grown. Turns that were given up when a
// person went back are among them. Of texts over 256 KiB there is the beginning.
func (t *Transcript) Texts(ctx context.Context, from int64, fn func(Text) error) (through int64, err error) {
	s, err := t.open()
	if err != nil {
		return from, err
	}
	defer s.Close()
	if err := s.check(cursor{at: from, print: s.print}); err != nil {
		return from, unreadable(err)
	}
	g := gatherer{s: s}
	messages := make(map[string]string) // by tool use
	through, err = forward(ctx, s, from, s.size, func(place span, raw []byte) error {
		l, ok := g.parse(ctx, place, raw)
		if !ok {
			return nil
		}
		var failed error
		l.Parts(maxText, func(p transcript.Part) {
			switch p.Kind {
			case "toolInput":
				if len(messages) >= maxTools {
					clear(messages)
				}
				messages[p.ToolUseID] = p.MessageID
			case "toolOutput":
				p.MessageID = messages[p.ToolUseID]
				delete(messages, p.ToolUseID)
			}
			if failed == nil {
				failed = fn(Text{Part: p, At: place.at, Time: l.At(), Model: l.Model()})
			}
		})
		return failed
	})
	if err != nil {
		return through, unreadable(err)
	}
	return through, nil
}
