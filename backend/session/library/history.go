package library

import (
	"context"
	"os"
	"strings"

	"parley/backend/event"
	"parley/backend/fault"
)

// anchor is where a live session's log begins in the files.
type anchor struct {
	// first is the log's first message when it was made. As long as it is, what comes
	// before is known.
	first string
	more  bool
	next  place
}

// logSlack is how many more messages than its log has are gone through to find where
// a log begins in the files, which have some that logs do not.
const logSlack = 500

// wholeLog is more than a log holds.
const wholeLog = 10_000

// History returns a page of a session's messages, the newest page first: from the
// log of a live session, then from the CLI's files. Its faults are not_found, and
// conflict when the file was changed so that the cursor says nothing any more: then
// the newest page is to be read again.
func (l *Library) History(ctx context.Context, id string, limit int, before string) (event.History, error) {
	inFile := strings.HasPrefix(before, filePrefix)
	if !inFile && l.live.Live(id) {
		page, err := l.live.History(ctx, id, limit, before)
		if err == nil {
			if !page.HasMore {
				l.goOn(ctx, id, &page)
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
			return event.History{}, fault.New(fault.Invalid, "The cursor is not one of this conversation (parameter before).")
		}
	}
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	if before != "" && !inFile {
		// A log's cursor, of a session that is not live any more.
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

// view is what reading a session's files takes.
type view struct {
	links       []link
	seq         uint64
	at          int64
	interrupted string
	begun       bool
	// over says that nobody works on the conversation.
	over bool
}

func (l *Library) view(ctx context.Context, id string) (view, error) {
	v, err := l.keptView(id)
	if err == nil && l.live.Live(id) {
		if s, err := l.live.Get(ctx, id); err == nil {
			v.seq = s.LastSeq // of that, the record is told now and then
		}
	}
	return v, err
}

func (l *Library) keptView(id string) (view, error) {
	v, err := l.knownView(id)
	v.links = l.locate(v.links)
	return v, err
}

// knownView has of the files what the catalog knows.
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

// total counts all messages, 0 when that is unknown: the files are counted beside
// everything else.
func (v *view) total() int {
	sum := 0
	for _, k := range v.links {
		switch {
		case k.path == "": // it is gone
		case k.messages < 0 || k.last != "" || sizeOf(k.path) != k.counted: // not counted, shown in part, or longer now
			return 0
		default:
			sum += k.messages
		}
	}
	return sum
}

// sizeOf is how long a file is, -1 when it cannot be looked at.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// goOn leads a log's last page on into the files.
func (l *Library) goOn(ctx context.Context, id string, page *event.History) {
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

// beyond finds where the files go on before a live session's log.
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
		return place{}, false // the log has it all
	}
	next, more := logStart(ctx, log.Messages, links)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.anchors[id] = anchor{first: first, more: more, next: next}
	return next, more
}

// settle marks the tools that have no result and will not get one: nobody works on
// them any more.
func settle(messages []event.Message) {
	for i := range messages {
		for _, b := range messages[i].Blocks {
			b.Tool.Cut(event.UseCutOff)
		}
	}
}

// noteReading remembers the meter's reading at the end of a conversation, as its file
// tells it.
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
		Hint: "What was said before cannot be shown. The next prompt says whether the CLI still knows the conversation.",
	}}
}
