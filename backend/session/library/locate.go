package library

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// Target identifies a place in a conversation for search results: the line that
// starts at an offset of the file.
func Target(cliSessionID string, at int64) string {
	return cliSessionID + "@" + strconv.FormatInt(at, 10)
}

func parseTarget(target string) (cli string, at int64, ok bool) {
	i := strings.LastIndexByte(target, '@')
	if i <= 0 {
		return "", 0, false
	}
	at, err := strconv.ParseInt(target[i+1:], 10, 64)
	return target[:i], at, err == nil && at >= 0
}

// Locate returns the page that ends with a place in a conversation, a target or a
// message, however far back. Its cursor leads to earlier messages, as in
// [Library.History]. Its faults are not_found, and conflict if the file changed
// since the target was created.
func (l *Library) Locate(ctx context.Context, id, target, messageID string, limit int) (event.History, error) {
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	if target != "" {
		return l.atTarget(ctx, v, target, limit)
	}
	if l.live.Live(id) {
		page, ok, err := l.inLog(ctx, id, messageID, limit)
		if ok || err != nil {
			return page, err
		}
	}
	found, ok := v.find(ctx, messageID)
	if !ok {
		return event.History{}, fault.New(fault.NotFound, "The message is not in the conversation (parameter messageId).")
	}
	if v.over {
		settle(found.page.Messages)
	}
	end := found.index + 1
	start := max(0, end-limit)
	page := event.History{Messages: found.page.Messages[start:end], Seq: v.seq}
	if found.page.HasMore {
		page.HasMore, page.Before = true, place{cli: found.cli, cursor: found.page.Before}.String()
	} else {
		v.earlier(found.cli, &page)
	}
	l.number(ctx, v, &page)
	if start > 0 {
		page.HasMore, page.Before = true, place{cli: found.cli, cut: page.Messages[0].ID, cursor: found.cursor}.String()
		page.Total = v.total()
		if page.Start != nil {
			*page.Start += start
		}
	}
	return page, nil
}

// First returns the first page of a conversation, however long it is. Its faults are
// those of [Library.History].
func (l *Library) First(ctx context.Context, id string, limit int) (event.History, error) {
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	if l.live.Live(id) {
		log, err := l.live.History(ctx, id, wholeLog, "")
		if err != nil {
			return event.History{}, err
		}
		if _, more := l.beyond(ctx, id, v.links); !more && !log.HasMore {
			log.Messages = log.Messages[:min(limit, len(log.Messages))]
			return log, nil
		}
	}
	for _, k := range slices.Backward(v.links) {
		if k.path == "" {
			continue
		}
		p, err := history.Open(k.path).First(ctx, limit)
		if err != nil {
			return event.History{}, err
		}
		if v.over {
			settle(p.Messages)
		}
		page := event.History{Messages: p.Messages, HasMore: p.HasMore, Seq: v.seq}
		if p.HasMore {
			page.Before = place{cli: k.cli, cursor: p.Before}.String()
		}
		if page.Messages == nil {
			page.Messages = []event.Message{}
		}
		page.Total, page.Start = v.total(), new(int)
		return page, nil
	}
	return l.History(ctx, id, limit, "")
}

// earlier links a page that is a file's first to the file before.
func (v *view) earlier(cli string, page *event.History) {
	i := slices.IndexFunc(v.links, func(k link) bool { return k.cli == cli })
	if i >= 0 && i+1 < len(v.links) {
		page.HasMore, page.Before = true, place{cli: v.links[i+1].cli}.String()
	}
}

func (l *Library) atTarget(ctx context.Context, v view, target string, limit int) (event.History, error) {
	cli, at, ok := parseTarget(target)
	if !ok {
		return event.History{}, fault.New(fault.Invalid, "The target is not valid. Use one from a search result (parameter target).")
	}
	i := slices.IndexFunc(v.links, func(k link) bool { return k.cli == cli && k.path != "" })
	if i < 0 {
		return event.History{}, fault.New(fault.NotFound, "The target is not in this conversation (parameter target).")
	}
	t := history.Open(v.links[i].path)
	cursor, err := t.CursorAt(ctx, at)
	if err != nil {
		return event.History{}, err
	}
	p, err := t.Page(ctx, limit, cursor)
	if err != nil {
		return event.History{}, err
	}
	page := event.History{Messages: p.Messages, Seq: v.seq}
	if page.Messages == nil {
		page.Messages = []event.Message{}
	}
	if p.HasMore {
		page.HasMore, page.Before = true, place{cli: cli, cursor: p.Before}.String()
	} else {
		v.earlier(cli, &page)
	}
	l.number(ctx, v, &page)
	return page, nil
}

// inLog looks for a message in a live session's log.
func (l *Library) inLog(ctx context.Context, id, messageID string, limit int) (event.History, bool, error) {
	log, err := l.live.History(ctx, id, wholeLog, "")
	if err != nil {
		return event.History{}, false, err
	}
	i := indexOf(log.Messages, messageID)
	if i < 0 {
		return event.History{}, false, nil
	}
	before := ""
	if i+1 < len(log.Messages) {
		before = log.Messages[i+1].ID
	}
	page, err := l.History(ctx, id, limit, before)
	total := page.Total
	if v, err := l.knownView(id); err == nil {
		total = max(total, v.total())
	}
	if err == nil && page.HasMore && total > 0 {
		start := max(1, total-len(log.Messages)+i+1-len(page.Messages))
		page.Start = &start
	} else if err == nil && !page.HasMore {
		page.Start = new(int)
	}
	return page, err == nil, err
}

// hit is where a message was found.
type hit struct {
	cli, cursor string
	page        history.Page
	index       int
}

// find looks for a message in the files, newest first.
func (v *view) find(ctx context.Context, messageID string) (h hit, ok bool) {
	for _, k := range v.links {
		if k.path == "" {
			continue
		}
		stopped, err := walk(ctx, k.path, "", searchBack, func(p *history.Page, cursor string) bool {
			i := indexOf(p.Messages, messageID)
			if i >= 0 {
				h = hit{k.cli, cursor, *p, i}
			}
			return i < 0
		})
		if stopped && err == nil {
			return h, true
		}
	}
	return hit{}, false
}

// logStart finds a log's oldest messages in the files, and so the place before
// them.
func logStart(ctx context.Context, log []event.Message, links []link) (next place, more bool) {
	ids := make(map[string]bool, len(log))
	oldest := ""
	for i := range log {
		ids[log[i].ID] = true
		if oldest == "" && log[i].Role != "notice" {
			oldest = log[i].ID
		}
	}
	left := len(log) + logSlack
	for i, k := range links {
		if k.path == "" || left <= 0 {
			continue
		}
		met := false
		stopped, _ := walk(ctx, k.path, "", left, func(p *history.Page, cursor string) bool {
			left -= len(p.Messages)
			n := slices.IndexFunc(p.Messages, func(m event.Message) bool { return ids[m.ID] })
			if n < 0 {
				return true
			}
			met = true
			switch {
			case n > 0:
				next, more = place{cli: k.cli, cut: p.Messages[n].ID, cursor: cursor}, true
			case p.HasMore:
				next, more = place{cli: k.cli, cursor: p.Before}, true
			default:
				next, more = before(links[i+1:])
			}
			return !slices.ContainsFunc(p.Messages, func(m event.Message) bool { return m.ID == oldest })
		})
		if stopped {
			return next, more
		}
		if !met && i == 0 && i+1 == len(links) {
			break
		}
	}
	return next, more
}
