package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/backend/claude/history"
	"parley/backend/fault"
	"parley/backend/search"
)

const (
	// readChunk is how much text is passed to the index at once.
	readChunk = 1 << 20
	// readAgain is how often reading a constantly changing conversation is restarted.
	readAgain = 3
	// restLimit is the longest pause between two chunks.
	restLimit = 500 * time.Millisecond
)

// errInterrupted ends the reading of a conversation that is continued later.
var errInterrupted = errors.New("something else is read first")

// unread is an error of a conversation's file, as opposed to the index.
type unread struct{ error }

func (u unread) Unwrap() error { return u.error }

// work reads conversations until there are none left. Its error is one of the index.
func (f *feed) work(ctx context.Context, slot int) error {
	for ctx.Err() == nil && (slot == 0 || !f.yields()) {
		j := f.take()
		if j == nil {
			return nil
		}
		err := f.read(ctx, j, slot)
		var file unread
		switch {
		case err == nil, errors.Is(err, errInterrupted):
			f.done(j, err != nil)
		case errors.Is(err, search.ErrGap):
			f.done(j, false)
			f.emptied() // or equivalent
		case errors.As(err, &file) && ctx.Err() == nil:
			f.done(j, f.unreadable(j, file.error))
		default:
			f.done(j, true)
			return err
		}
	}
	return ctx.Err()
}

// yields reports that a session is working.
func (f *feed) yields() bool { return f.cfg.Busy != nil && f.cfg.Busy() }

// unreadable reports whether to retry a conversation.
func (f *feed) unreadable(j *job, err error) (again bool) {
	switch fault.CodeOf(err) {
	case fault.NotFound:
		return false // the catalog will report it, too
	case fault.Conflict:
		if j.again++; j.again <= readAgain {
			j.anew = true
			return true
		}
	}
	f.cfg.Logger.Warn("Couldn't read a conversation for the search", "session", j.entry.ID, "err", err)
	return false
}

// current reports whether the index entry of a conversation is up to date.
func current(s search.State, e *history.Entry, title string) bool {
	_, size, _ := strings.Cut(s.Stamp, "/")
	return size == strconv.FormatInt(e.Bytes, 10) && s.At == e.ModifiedAt && s.Path == e.Path && s.CWD == e.CWD && s.Title == title
}

// read adds new text of a conversation to the index. An incomplete last line is left for later.
func (f *feed) read(ctx context.Context, j *job, slot int) error {
	e := &j.entry
	index := f.current()
	title := f.title(e)
	state, known := index.State(e.ID)
	if known && current(state, e, title) {
		return nil
	}
	t := history.Open(e.Path)
	stamp, size, err := t.Stamp()
	if err != nil {
		return unread{err}
	}
	before, _, _ := strings.Cut(state.Stamp, "/")
	from := state.Through
	if !known || before != stamp || state.Path != e.Path || size < from || j.anew {
		from, j.anew = 0, false
	}
	c := chunk{
		feed: f, ctx: ctx, job: j, slot: slot, index: index, size: size, model: e.Model, from: from, last: from, begun: time.Now(),
		file: search.File{ID: e.ID, Path: e.Path, CWD: e.CWD, Title: title, At: e.ModifiedAt, Stamp: stamp + "/-"},
	}
	f.mu.Lock()
	j.todo = size - from
	f.mu.Unlock()
	through, err := t.Texts(ctx, from, c.add)
	if err != nil {
		if c.err != nil {
			return c.err
		}
		return unread{err}
	}
	// The old content is known now, even if the file has grown since.
	c.file.Stamp = stamp + "/" + strconv.FormatInt(e.Bytes, 10)
	if err := c.flush(through); err != nil {
		return err
	}
	f.mu.Lock()
	f.fresh = f.fresh || j.live()
	f.mu.Unlock()
	f.poke()
	return nil
}

// chunk collects the texts of consecutive lines of a conversation.
type chunk struct {
	feed  *feed
	ctx   context.Context
	job   *job
	slot  int
	index *search.Index
	file  search.File
	size  int64
	model string // the last known one

	docs  []search.Document
	bytes int
	from  int64
	last  int64 // the last added line
	begun time.Time
	err   error
}

// add adds the next text.
func (c *chunk) add(t history.Text) error {
	if t.At != c.last && c.bytes >= readChunk {
		c.err = c.flush(t.At)
		if c.err == nil {
			c.err = c.rest()
		}
		if c.err != nil {
			return c.err
		}
	}
	c.last = t.At
	kind, err := kindOf(t.Kind)
	if err != nil {
		c.err = err
		return err
	}
	if t.Model != "" {
		c.model = t.Model
	}
	c.docs = append(c.docs, search.Document{
		MessageID: t.MessageID, Offset: t.At, At: t.Time, Kind: kind, Model: c.model, Tool: t.Tool, IsError: t.IsError, Text: t.Text,
	})
	c.bytes += len(t.Text)
	return nil
}

func kindOf(part string) (search.Kind, error) {
	switch part {
	case "prompt":
		return search.Prompt, nil
	case "answer":
		return search.Answer, nil
	case "thinking":
		return search.Thinking, nil
	case "toolInput":
		return search.ToolInput, nil
	case "toolOutput":
		return search.ToolOutput, nil
	case "notice":
		return search.Notice, nil
	}
	return 0, fmt.Errorf("a text of a conversation is of the unknown kind %q", part)
}

// flush passes the collected text to the index: everything up to the start of a line.
func (c *chunk) flush(through int64) error {
	err := c.index.Index(c.ctx, search.Update{File: c.file, From: c.from, Through: through, Documents: c.docs})
	if err != nil {
		return err
	}
	clear(c.docs)
	c.docs, c.bytes, c.from = c.docs[:0], 0, through
	c.feed.took(c.job, c.size-through)
	return nil
}

// rest yields to more urgent work: an active conversation, or a working session that needs the CPU.
func (c *chunk) rest() error {
	took := time.Since(c.begun)
	if c.feed.interrupted(c.job) {
		return errInterrupted
	}
	if c.feed.yields() {
		if c.slot > 0 {
			return errInterrupted
		}
		timer := time.NewTimer(min(took, restLimit))
		defer timer.Stop()
		select {
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-timer.C:
		}
	}
	c.begun = time.Now()
	return nil
}
