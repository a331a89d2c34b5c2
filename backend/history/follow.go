package history

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"parley/backend/event"
	"parley/backend/transcript"
)

const (
	// followMessages is how many messages a follower keeps, so that late results find
	// their tools.
	followMessages = 200
	// followBytes is how much is read for one update.
	followBytes = 4 << 20
	// followNodes is how many lines a follower knows as a place where the
	// conversation may go on.
	followNodes = 1000
	// A follower looks at the file this often, and less often while nothing happens.
	pollFast, pollSlow = 200 * time.Millisecond, time.Second
)

// Update is what was appended to a conversation.
type Update struct {
	// Messages are the new ones and those that changed, whole, oldest first. One whose
	// id is known replaces the one before.
	Messages []event.Message
	// Page is set when what was known of the conversation is not valid any more: the
	// file was replaced, or the person went back and said something else. It is the
	// newest page, and Messages is empty.
	Page *Page
	// Context and TotalCostUSD are as on a page.
	Context      *event.Context
	TotalCostUSD float64
	// Gone says that the file does not exist any more. It is the last update.
	Gone bool
	// Err says that the file cannot be read. It is the last update.
	Err error
}

// Follow reports what is appended after a page, the newest one, until ctx ends or
// the file is gone; then it closes the channel. A line that is being written is
// waited for. Wake may be nil; what it receives makes the follower look at once.
// The channel holds one update: whoever does not receive is not overrun, and gets
// more at once later.
func (t *Transcript) Follow(ctx context.Context, after Position, wake <-chan struct{}) <-chan Update {
	updates := make(chan Update, 1)
	f := &follower{t: t, at: after.At, print: after.print}
	go func() {
		defer close(updates)
		f.run(ctx, wake, updates)
	}()
	return updates
}

type follower struct {
	t     *Transcript
	at    int64
	print uint64
	// seen is the file as it was looked at last: as long as it stays so, there is
	// nothing to read but perhaps a part of a line.
	seen os.FileInfo
	file *transcript.File
	// leaf is the newest line of the conversation, answer the message that it is a
	// piece of. open holds the lines since the last prompt, which others may follow.
	leaf, answer string
	open         map[string]bool
}

func (f *follower) run(ctx context.Context, wake <-chan struct{}, updates chan<- Update) {
	pause := pollFast
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-timer.C:
		}
		u, more, err := f.look(ctx)
		if err != nil {
			u = &Update{Gone: errors.Is(err, os.ErrNotExist)}
			if !u.Gone {
				u.Err = unreadable(err)
			}
		}
		if ctx.Err() != nil {
			return
		}
		if u != nil {
			select {
			case updates <- *u:
			case <-ctx.Done():
				return
			}
			if u.Gone || u.Err != nil {
				return
			}
		}
		switch {
		case more:
			pause = 0
		case u != nil:
			pause = pollFast
		default:
			pause = min(max(pause*5/4, pollFast), pollSlow)
		}
		timer.Reset(pause)
	}
}

// look reads what is new. It returns nil when nothing is.
func (f *follower) look(ctx context.Context) (u *Update, more bool, err error) {
	info, err := os.Stat(f.t.path)
	if err != nil {
		return nil, false, err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.Size() == f.seen.Size() && info.ModTime().Equal(f.seen.ModTime()) {
		return nil, false, nil
	}
	s, err := f.t.open()
	if err != nil {
		return nil, false, err
	}
	defer s.Close()
	if s.print != f.print && f.print != 0 || s.check(cursor{f.at, "", s.print}) != nil {
		return f.again(ctx, s)
	}
	f.print = s.print
	if f.file == nil {
		if _, err := f.begin(ctx, s, f.at); err != nil {
			return nil, false, err
		}
	}
	reset := false
	read := int64(0)
	at, err := forward(ctx, s, f.at, s.size, func(place span, raw []byte) error {
		if read += place.size; read > followBytes && read > place.size {
			more = true
			return errEnough
		}
		if !f.take(ctx, s, place, raw) {
			reset = true
			return errEnough
		}
		f.at = place.end() + 1
		return nil
	})
	switch {
	case reset:
		return f.again(ctx, s)
	case errors.Is(err, errEnough):
	case err != nil:
		return nil, false, err
	default:
		f.at = at
	}
	if !more {
		f.seen = info
	}
	changed := f.file.Changed()
	if len(changed) == 0 {
		return nil, more, nil
	}
	u = &Update{Messages: changed, TotalCostUSD: f.file.TotalCost()}
	if reading, ok := f.file.Context(); ok {
		u.Context = &reading
	}
	return u, more, nil
}

// errEnough ends a walk through lines early.
var errEnough = errors.New("enough")

// begin reads the last messages before at, as the ground for what follows.
func (f *follower) begin(ctx context.Context, s *source, at int64) (Page, error) {
	page, file, err := f.t.page(ctx, s, cursor{at, "", s.print}, followMessages/4, true)
	if err != nil {
		return Page{}, err
	}
	f.file, f.at, f.print = file, at, s.print
	f.leaf, f.answer, f.open = "", "", make(map[string]bool)
	back := newBackward(s, at)
	for len(f.open) < followNodes {
		_, raw, err := back.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Page{}, err
		}
		l, ok := transcript.ReadLine(raw)
		if !ok || !f.linked(&l) {
			continue
		}
		if f.leaf == "" {
			f.leaf, f.answer = l.UUID, l.MessageID
		}
		if _, ok := l.Prompt(); ok {
			break
		}
		f.open[l.UUID] = true
	}
	f.file.Changed()
	return page, nil
}

// again starts anew with the newest page.
func (f *follower) again(ctx context.Context, s *source) (*Update, bool, error) {
	end, err := s.whole()
	if err != nil {
		return nil, false, err
	}
	page, err := f.begin(ctx, s, end)
	if err != nil {
		return nil, false, err
	}
	return &Update{Page: &page, Context: page.Context, TotalCostUSD: page.TotalCostUSD}, false, nil
}

func (f *follower) linked(l *transcript.Line) bool {
	return l.UUID != "" && l.Sidechain == (f.t.parent != "")
}

// take adds a line. It reports false when the line does not continue what is known.
func (f *follower) take(ctx context.Context, s *source, place span, raw []byte) bool {
	g := gatherer{s: s}
	l, ok := g.parse(ctx, place, raw)
	if !ok {
		return true
	}
	if f.linked(&l) {
		continues := l.Parent == "" || f.leaf == "" || l.Parent == f.leaf || f.open[l.Parent] ||
			len(l.Results()) > 0 || l.MessageID != "" && l.MessageID == f.answer
		if !continues && l.Subtype != "compact_boundary" {
			return false
		}
		f.leaf = l.UUID
		if l.MessageID != "" {
			f.answer = l.MessageID
		}
		if _, ok := l.Prompt(); ok || len(f.open) > followNodes {
			clear(f.open)
		}
		f.open[l.UUID] = true
	}
	f.file.Add(l)
	return true
}
