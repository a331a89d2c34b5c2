package history

import (
	"context"
	"errors"
	"io"
	"sort"

	"parley/backend/claude/transcript"
)

// Places are the offsets of a conversation's messages in its file, so that they can be
// read by number. They result from reading the whole file once, and are valid until the
// file changes.
type Places struct {
	size  int64
	print uint64
	// lines are the offsets of the first lines of the messages.
	lines []int64
}

// Len returns the number of messages.
func (p *Places) Len() int { return len(p.lines) }

// Places finds where the messages start. Old is the previous result, or nil; it is
// returned if the file didn't change.
func (t *Transcript) Places(ctx context.Context, old *Places) (*Places, error) {
	s, err := t.open()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if old != nil && old.size == s.size && old.print == s.print {
		return old, nil
	}
	var nodes []node
	var at []int64
	g := gatherer{s: s}
	_, err = forward(ctx, s, 0, s.size, func(place span, raw []byte) error {
		l, ok := g.parse(ctx, place, raw)
		if ok && l.UUID != "" && l.Sidechain == (t.parent != "") {
			nodes = append(nodes, newNode(&l))
			at = append(at, place.at)
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	p := &Places{size: s.size, print: s.print}
	taken, _, _ := onTrail(nodes, nil)
	answer := uint64(0)
	for _, i := range taken {
		var starts int
		starts, answer = nodes[i].starts(answer)
		for range starts {
			p.lines = append(p.lines, at[i])
		}
	}
	return p, nil
}

// Before returns how many messages precede a cursor.
func (p *Places) Before(at string) (int, error) {
	c, err := parseCursor(at)
	if err != nil {
		return 0, err
	}
	return sort.Search(len(p.lines), func(i int) bool { return p.lines[i] >= c.at }), nil
}

// Cursor returns the cursor of the page that ends before the message with a number, or with
// that one if both are from one line: "" for the newest page, if no message has that
// number.
func (t *Transcript) Cursor(ctx context.Context, p *Places, number int) (string, error) {
	number = max(number, 0)
	for number > 0 && number < len(p.lines) && p.lines[number] == p.lines[number-1] {
		number++
	}
	if number >= len(p.lines) {
		return "", nil
	}
	s, err := t.open()
	if err != nil {
		return "", err
	}
	defer s.Close()
	c := cursor{at: p.lines[number], print: s.print}
	if p.print != s.print {
		return "", unreadable(ErrReplaced)
	}
	if err := s.check(c); err != nil {
		return "", unreadable(err)
	}
	_, err = forward(ctx, s, c.at, s.size, func(_ span, line []byte) error {
		l, _ := transcript.ReadLine(line)
		c.want = l.Parent
		return io.EOF
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return "", unreadable(err)
	}
	return c.String(), nil
}
