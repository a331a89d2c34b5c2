package library

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// keepPlaces is the number of files whose message offsets are cached.
const keepPlaces = 4

// filePlaces are the message offsets of a file.
type filePlaces struct {
	path   string
	places *history.Places
}

// places finds where the messages of a file start. Those of recently used files are
// cached.
func (l *Library) places(ctx context.Context, path string) (*history.Places, error) {
	l.mu.RLock()
	var old *history.Places
	if i := slices.IndexFunc(l.numbered, func(f filePlaces) bool { return f.path == path }); i >= 0 {
		old = l.numbered[i].places
	}
	l.mu.RUnlock()
	found, err := history.Open(path).Places(ctx, old)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := slices.DeleteFunc(l.numbered, func(f filePlaces) bool { return f.path == path })
	l.numbered = append([]filePlaces{{path, found}}, rest[:min(len(rest), keepPlaces-1)]...)
	return found, nil
}

// Numbered returns about limit messages starting at a number, however far back; a
// conversation's first message has number 0. The page may start with an earlier one. Its
// faults are those of [Library.History].
func (l *Library) Numbered(ctx context.Context, id string, number, limit int) (event.History, error) {
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	var at place
	for i, k := range slices.Backward(v.links) {
		if k.path == "" || k.last != "" {
			continue
		}
		p, err := l.places(ctx, k.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return event.History{}, err
		}
		if number < p.Len() || i == 0 {
			end := min(number+limit, p.Len())
			limit = max(1, end-number)
			at.cli = k.cli
			at.cursor, err = history.Open(k.path).Cursor(ctx, p, end)
			if err != nil {
				return event.History{}, err
			}
			break
		}
		number -= p.Len()
	}
	if at.cli == "" {
		return event.History{}, fault.New(fault.NotFound, "The conversation has no file to read from (parameter number).")
	}
	s, err := l.read(ctx, v.links, at, limit)
	if err != nil {
		return event.History{}, err
	}
	if v.over {
		settle(s.messages)
	}
	page := event.History{Messages: s.messages, HasMore: s.more, Seq: v.seq}
	if s.more {
		page.Before = s.next.String()
	}
	l.number(ctx, v, &page)
	return page, nil
}

// number sets how many messages precede a page. If it can't be counted now, it is omitted.
func (l *Library) number(ctx context.Context, v view, page *event.History) {
	page.Total = v.total()
	if !page.HasMore {
		page.Start = new(int)
		return
	}
	to, ok := parsePlace(page.Before)
	if !ok || to.cut != "" {
		return
	}
	sum := 0
	for _, k := range slices.Backward(v.links) {
		if k.path == "" {
			continue
		}
		p, err := l.places(ctx, k.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return
		}
		n := p.Len()
		if k.cli == to.cli && to.cursor != "" {
			if n, err = p.Before(to.cursor); err != nil {
				return
			}
		}
		sum += n
		if k.cli == to.cli {
			page.Start = &sum
			return
		}
	}
}
