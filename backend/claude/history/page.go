package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"parley/backend/claude/transcript"
	"parley/backend/event"
)

const (
	// pageBytes ends a page early, at the next message.
	pageBytes = 16 << 20
	// maxAside is how far the continuation of a conversation is searched among
	// lines that were abandoned when a user went back.
	maxAside = 64 << 20
	// maxLosses is how often within a page. Beyond that its links are unusable.
	maxLosses = 4
	// maxAhead is how far after a page the results of its tools are searched.
	maxAhead = 4 << 20
	// maxLead is how far before a page the start of its first turn is searched.
	maxLead = 4 << 20
	// maxFile bounds the size of a page's messages.
	maxFile = 64 << 20
)

// Page is a part of a conversation.
type Page struct {
	// Messages are oldest first. Their turn ids are "".
	Messages []event.Message
	// HasMore reports whether there are older ones; Before is the cursor for them.
	// It stays valid while the file grows.
	HasMore bool
	Before  string
	// Context is the meter reading, nil if the page has none.
	Context *event.Context
	// Model is the model of the last answer, or "".
	Model string
	// TotalCostUSD is the running total if the page has it, or 0.
	TotalCostUSD float64
	// Cuts lists lines that aren't shown in full.
	Cuts []Cut
	// Damaged counts lines that aren't JSON.
	Damaged int
	// Read is how many bytes were read for the page.
	Read int64
}

// Cut is a line that was too long to show in full. [Transcript.Raw] returns it.
type Cut struct {
	// At and Size are its position in the file, in bytes.
	At, Size int64
	// UUID is the line's own id.
	UUID string
	// Left is how many bytes aren't shown.
	Left int64
}

// Raw returns a reader of the JSON at a position in the file. It must be
// closed.
func (t *Transcript) Raw(at, size int64) (io.ReadCloser, error) {
	s, err := t.open()
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(s, at, size), s}, nil
}

// Page returns about limit messages, at least one if there is any: the newest
// ones, or those before a cursor. An answer is never split, and tools have their
// results even if these come much later. Running tools are "pending" on the
// newest page. Its errors are faults: not_found, conflict ([ErrReplaced]),
// invalid for an invalid cursor.
func (t *Transcript) Page(ctx context.Context, limit int, before string) (Page, error) {
	s, err := t.open()
	if err != nil {
		return Page{}, err
	}
	defer s.Close()
	var from cursor
	if before == "" {
		from.print = s.print
		from.at, err = s.whole()
	} else if from, err = parseCursor(before); err == nil {
		err = s.check(from)
	}
	if err != nil {
		return Page{}, unreadable(err)
	}
	p, _, err := t.page(ctx, s, from, max(limit, 1), before == "")
	if err != nil {
		return Page{}, unreadable(err)
	}
	return p, nil
}

// CursorAt returns a cursor whose page ends with the line that starts at an offset,
// such as a search result: the newest message of that page is the line's. The page
// follows the line's branch.
func (t *Transcript) CursorAt(ctx context.Context, at int64) (string, error) {
	s, err := t.open()
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.check(cursor{at: at, print: s.print}); err != nil {
		return "", unreadable(err)
	}
	c := cursor{at: s.size, print: s.print}
	_, err = forward(ctx, s, at, s.size, func(place span, line []byte) error {
		c.at = place.next()
		l, _ := transcript.ReadLine(line)
		c.want = l.UUID
		return io.EOF
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return "", unreadable(err)
	}
	return c.String(), nil
}

// page reads the messages before a cursor. newest means that nothing follows.
func (t *Transcript) page(ctx context.Context, s *source, from cursor, limit int, newest bool) (Page, *transcript.File, error) {
	g := &gatherer{s: s, sidechain: t.parent != "", limit: limit, from: from.at, on: make(map[string]bool)}
	if err := g.gather(ctx, from); err != nil {
		return Page{}, nil, err
	}
	f := transcript.NewFile(t.parent, 2*limit+1000, maxFile)
	for _, p := range g.lead {
		f.Lead(p.line)
	}
	for _, p := range g.picked {
		f.Add(p.line)
	}
	if !newest {
		if err := g.resultsAfter(ctx, f, from.at); err != nil {
			return Page{}, nil, err
		}
		if err := g.whetherOver(ctx, f, from.at); err != nil {
			return Page{}, nil, err
		}
		f.Settle()
	}
	page := Page{
		Messages: f.Messages(), HasMore: g.more,
		Model: f.Model(), TotalCostUSD: f.TotalCost(), Cuts: g.cuts, Damaged: g.damaged, Read: g.read + g.looked,
	}
	if g.more {
		page.Before = g.next.String()
	}
	if reading, ok := f.Context(); ok {
		page.Context = &reading
	}
	return page, f, nil
}

// gatherer collects a page's lines from the end to the start.
type gatherer struct {
	s         *source
	sidechain bool
	limit     int

	picked []pick
	size   int64
	// lead are the lines before the page from the start of the turn that continues in
	// it; leading is true while they are read, led counts their bytes.
	lead    []pick
	leading bool
	led     int64
	aside   []span
	// on are the ids of the lines found to belong to the conversation: a repeated one is
	// skipped.
	on   map[string]bool
	from int64 // where the page ends
	// beyond is true after a beginning of the conversation, until a line is found that isn't
	// repeated in the file; see again.
	beyond bool
	later  map[uint64]bool
	looked int64
	more   bool
	next   cursor

	cuts    []Cut
	damaged int
	read    int64
}

type pick struct {
	span
	line transcript.Line
}

// gather walks back from a cursor until it has enough messages.
func (g *gatherer) gather(ctx context.Context, from cursor) error {
	var trail transcript.Trail[string]
	trail.Resume(from.want)
	count, answer := 0, ""
	// owed: the last picked line is shown with the line before it.
	owed := false
	back := newBackward(g.s, from.at)
	// lost is where the trail's last line starts, if lines were skipped since.
	lost, passed, losses := from.at, false, 0
	cuts, damaged := 0, 0
reading:
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		place, raw, err := back.next()
		atStart := errors.Is(err, io.EOF)
		if err != nil && !atStart {
			return err
		}
		if g.leading && (g.led > maxLead || trail.Want() != "" && passed && lost-place.at > maxLead) {
			g.lead = nil
			break
		}
		if !g.leading && trail.Want() != "" && passed && (atStart || lost-place.at > maxAside) {
			// The continuation of the conversation is missing. What exists is shown
			// rather than lost.
			back, passed = newBackward(g.s, lost), false
			losses++
			trail.Resume("")
			g.beyond = true
			continue
		}
		if atStart {
			break
		}
		g.read += place.size
		if raw != nil && len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		l, ok := g.parse(ctx, place, raw)
		if !ok {
			g.damaged++
			trail.Resume("") // it may have been the line being searched
			g.beyond = true
			continue
		}
		adds := l.Adds()
		starts := adds
		if l.Type == "assistant" && adds > 0 && l.MessageID == answer {
			starts--
		}
		wanted := trail.Want()
		if l.UUID != "" && l.Sidechain == g.sidechain {
			if losses > maxLosses {
				trail.Resume("")
			}
			if g.on[l.UUID] || g.beyond && g.again(ctx, l.UUID) {
				if wanted == "" || wanted == l.UUID { // its copy was shown; it leads to what wasn't
					trail.Take(l.Node(), len(g.aside))
					lost, passed = place.at, false
				}
				continue
			}
			on, found := trail.Take(l.Node(), len(g.aside))
			if !on {
				g.aside = append(g.aside, place)
				passed = true
				continue
			}
			if !g.leading && (starts > 0 && !owed || l.Belongs()) && count > 0 && (count >= g.limit || g.size > pageBytes) {
				g.more, g.next = true, cursor{place.next(), wanted, g.s.print}
				if !g.mayEndHere() {
					break
				}
				g.leading, cuts, damaged = true, len(g.cuts), g.damaged
			}
			g.on[l.UUID] = true
			g.beyond = trail.Want() == "" || l.Compacted
			for _, i := range found {
				g.reread(ctx, g.aside[i])
			}
			if g.leading && l.BeginsTurn() {
				g.pick(place, l)
				break reading
			}
			if trail.Want() != wanted {
				lost, passed = place.at, false
			}
			count += starts
			owed = l.Belongs() || owed && starts == 0
			if l.Type == "assistant" && adds > 0 {
				answer = l.MessageID
			}
		}
		if adds > 0 || l.Type == "user" || l.Type == "cost-state" {
			g.pick(place, l)
		}
	}
	if g.leading { // problems there are reported with the older page
		g.cuts, g.damaged = g.cuts[:cuts], damaged
	}
	inOrder(g.picked)
	inOrder(g.lead)
	return nil
}

func inOrder(picked []pick) {
	slices.SortFunc(picked, func(a, b pick) int { return cmp.Compare(a.at, b.at) })
}

func (g *gatherer) pick(place span, l transcript.Line) {
	if g.leading {
		g.lead = append(g.lead, pick{place, l})
		g.led += min(place.size, maxWhole)
		return
	}
	g.picked = append(g.picked, pick{place, l})
	g.size += min(place.size, maxWhole)
}

// reread picks a line that turned out to be part of the conversation.
func (g *gatherer) reread(ctx context.Context, place span) {
	raw := make([]byte, min(place.size, maxWhole))
	if place.size > maxWhole {
		raw = nil
	} else if _, err := g.s.ReadAt(raw, place.at); err != nil {
		return
	}
	if l, ok := g.parse(ctx, place, raw); ok {
		g.pick(place, l)
	}
}

// parse parses a line, shortening it if it is too long.
func (g *gatherer) parse(ctx context.Context, place span, raw []byte) (transcript.Line, bool) {
	if raw != nil {
		l, ok := transcript.ReadLine(raw)
		if ok {
			return l, true
		}
		// A line that was cut off by a crash has the next one at its end.
		if i := bytes.LastIndex(raw, []byte(`{"parentUuid":`)); i > 0 {
			g.damaged++
			return transcript.ReadLine(raw[i:])
		}
		return l, false
	}
	short, left, err := shorten(ctx, g.s, place)
	if err != nil {
		return transcript.Line{}, false
	}
	l, ok := transcript.ReadLine(short)
	if ok {
		g.cuts = append(g.cuts, Cut{At: place.at, Size: place.size, UUID: l.UUID, Left: left})
	}
	return l, ok
}

// resultsAfter looks after a page for the results of its tools.
func (g *gatherer) resultsAfter(ctx context.Context, f *transcript.File, at int64) error {
	waiting := make(map[string]bool)
	for _, id := range f.Waiting() {
		waiting[id] = true
	}
	if len(waiting) == 0 {
		return nil
	}
	_, err := forward(ctx, g.s, at, g.s.size, func(place span, raw []byte) error {
		l, ok := g.parse(ctx, place, raw)
		if !ok || l.Type != "user" || l.Sidechain != g.sidechain {
			if place.at-at > maxAhead {
				return io.EOF
			}
			return nil
		}
		f.AddResults(l)
		for _, id := range l.Results() {
			delete(waiting, id)
		}
		if len(waiting) == 0 || place.at-at > maxAhead {
			return io.EOF
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
