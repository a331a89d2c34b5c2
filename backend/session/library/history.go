package library

import (
	"context"
	"os"
	"strings"

	"parley/backend/event"
	"parley/backend/fault"
)

// anchor is where a live session's log starts in the files.
type anchor struct {
	// first was the log's first message when the anchor was created. As long as it
	// still is, the place before the log is known.
	first string
	more  bool
	next  place
}

// logSlack is how many messages beyond the log's length are searched to find where a
// log starts in the files, which contain some messages that logs don't.
const logSlack = 500

// wholeLog exceeds the capacity of a log.
const wholeLog = 10_000

// History returns a page of a session's messages, the newest page first: from a
// live session's log, then from the CLI's files. Its faults are not_found, and
// conflict if a change of the file invalidated the cursor: then reload from the
// newest page.
func (l *Library) History(ctx context.Context, id string, limit int, before string) (event.History, error) {
	inFile := strings.HasPrefix(before, filePrefix)
	if !inFile && l.live.Live(id) {
		page, err := l.live.History(ctx, id, limit, before)
		if err == nil {
			if !page.HasMore {
				l.linkHistory(ctx, id, &page)
			}
			return page, nil
		}
		if l.live.Live(id) {
			return event.History{}, err
		}
	}
	at := place{}
	if inFile {
		var ok bool
		if at, ok = parsePlace(before); !ok {
			return event.History{}, fault.New(fault.Invalid, "The cursor is not valid for this conversation (parameter before).")
		}
	}
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	if before != "" && !inFile {
		// A log cursor of a session that is no longer live.
		if found, ok := v.find(ctx, before); ok {
			at = place{cli: found.cli, cut: before, cursor: found.cursor}
		}
	}
	s, err := l.read(ctx, v.links, at, limit)
	if err != nil {
		return event.History{}, err
	}
	if v.over {
		settle(s.messages)
	}
	l.complete(ctx, id, &s, at == (place{}))
	page := event.History{Messages: s.messages, HasMore: s.more, Seq: v.seq}
	if s.more {
		page.Before = s.next.String()
	}
	if page.Total = v.total(); at == (place{}) && !s.more {
		page.Total = len(s.messages) // that is all
	}
	if at == (place{}) {
		l.noteReading(id, s.context)
		page.Messages = withNotes(page.Messages, l.pendingNotes(id))
		if s.gone && v.begun {
			page.Messages = append(page.Messages, goneNotice(v.links[0].cli))
		}
		if v.interrupted != "" && !l.live.Live(id) {
			page.Messages = append(page.Messages, interruptedNotice(v.interrupted, v.at))
		}
	}
	return page, nil
}

// view is what is needed to read a session's files.
type view struct {
	links       []link
	seq         uint64
	at          int64
	interrupted string
	begun       bool
	// over means that nobody works on the conversation.
	over bool
}

func (l *Library) view(ctx context.Context, id string) (view, error) {
	v, err := l.keptView(id)
	if err == nil && l.live.Live(id) {
		if s, err := l.live.Get(ctx, id); err == nil {
			v.seq = s.LastSeq // the record only gets it now and then
		}
	}
	return v, err
}

func (l *Library) keptView(id string) (view, error) {
	v, err := l.knownView(id)
	v.links = l.locate(v.links)
	return v, err
}

// knownView only uses what the catalog knows of the files.
func (l *Library) knownView(id string) (view, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[id]
	if r == nil {
		r = l.rows[l.claims[id]]
	}
	if r == nil || !r.listed {
		return view{}, notFound(id)
	}
	v := view{links: l.links(r), begun: true}
	if r.rec != nil {
		v.seq, v.at, v.interrupted, v.begun = r.rec.LastSeq, r.rec.LastActivityAt, r.rec.InterruptedTurn, r.rec.Begun
		v.over = !shadow(r.rec) && (v.interrupted != "" || !r.outside)
	}
	return v, nil
}

// total returns the number of messages, 0 if unknown: files are counted in the
// background.
func (v *view) total() int {
	sum := 0
	for _, k := range v.links {
		switch {
		case k.path == "": // the file is gone
		case k.messages < 0 || k.last != "" || sizeOf(k.path) != k.counted: // not counted, partly shown, or longer now
			return 0
		default:
			sum += k.messages
		}
	}
	return sum
}

// sizeOf returns a file's length, -1 if it can't be read.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// linkHistory links a log's last page to the files.
func (l *Library) linkHistory(ctx context.Context, id string, page *event.History) {
	v, err := l.keptView(id)
	if err != nil {
		return
	}
	next, ok := l.beyond(ctx, id, v.links)
	if !ok {
		return
	}
	page.HasMore, page.Before = true, next.String()
	if known := v.total(); known > page.Total {
		page.Total = known
	} else {
		page.Total = 0
	}
}

// beyond finds the place in the files before a live session's log.
func (l *Library) beyond(ctx context.Context, id string, links []link) (place, bool) {
	log, err := l.live.History(ctx, id, wholeLog, "")
	if err != nil || len(log.Messages) == 0 {
		return place{}, false
	}
	l.mu.RLock()
	a, woken := l.anchors[id]
	l.mu.RUnlock()
	first := log.Messages[0].ID
	switch {
	case woken && a.first == first, woken && a.first == "" && log.Total == len(log.Messages):
		return a.next, a.more
	case !woken && log.Total == len(log.Messages):
		return place{}, false // the log has everything
	}
	next, more := logStart(ctx, log.Messages, links)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.anchors[id] = anchor{first: first, more: more, next: next}
	return next, more
}

// settle marks tools without a result that won't get one, because nobody works on
// them.
func settle(messages []event.Message) {
	for i := range messages {
		for _, b := range messages[i].Blocks {
			b.Tool.Cut(event.UseCutOff)
		}
	}
}

// noteReading stores the meter reading at the end of a conversation's file.
func (l *Library) noteReading(id string, reading *event.Context) {
	if reading == nil || l.live.Live(id) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[id]
	if r == nil || r.reading != nil && r.reading.Equal(*reading) {
		return
	}
	r.reading = reading
	if r.rec == nil || !measured(l.contextOf(r.rec)) {
		l.teller.note(id)
	}
}

func goneNotice(cli string) event.Message {
	return event.Message{ID: "notice:gone:" + cli, Role: "notice", Blocks: []event.Block{}, Notice: &event.Notice{
		Kind: "error", Code: string(fault.NotFound), Text: "The conversation's file no longer exists.",
		Hint: "Earlier messages cannot be shown. Send a prompt to find out whether Claude Code still has the conversation.",
	}}
}
