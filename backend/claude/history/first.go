package history

import (
	"context"
	"errors"
	"io"

	"parley/backend/claude/transcript"
)

// First returns the first page of the conversation, of at most limit messages. Nothing
// after it is read, so it follows the branch on which the lines of that page end. Its
// errors are those of [Transcript.Page].
func (t *Transcript) First(ctx context.Context, limit int) (Page, error) {
	s, err := t.open()
	if err != nil {
		return Page{}, err
	}
	defer s.Close()
	// A message has at least one line.
	for lines := max(limit, 1); ; lines /= 2 {
		from := cursor{at: s.size, print: s.print}
		left := lines
		_, err := forward(ctx, s, 0, s.size, func(place span, line []byte) error {
			l, _ := transcript.ReadLine(line)
			if l.UUID == "" || l.Sidechain || l.Type != "user" && l.Type != "assistant" {
				return nil
			}
			from.at, from.want = place.next(), l.UUID
			if left--; left == 0 {
				return io.EOF
			}
			return nil
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return Page{}, unreadable(err)
		}
		p, _, err := t.page(ctx, s, from, max(limit, 1), false)
		if err != nil {
			return Page{}, unreadable(err)
		}
		if !p.HasMore || lines <= 1 {
			return p, nil
		}
	}
}
