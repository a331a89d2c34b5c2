package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// link is one file of a session's conversation.
type link struct {
	cli, path string
	// last is the last message that counts, "" for all: a fork without its own file
	// shares that of its origin.
	last string
	// messages is their number, -1 if not counted, and counted the file's length at that
	// time.
	messages int
	counted  int64
	// folder and scripted determine where to look for the file.
	folder   string
	scripted bool
}

// links returns the files of a row's conversation, the current one first, then those
// from before each /clear. The caller holds mu, and calls locate after releasing it.
func (l *Library) links(r *row) []link {
	if r.rec == nil {
		return []link{l.link(r.id, "", false)}
	}
	var list []link
	if f := r.rec.ForkedFrom; f != nil && !r.rec.Begun {
		shared := l.link(f.CLISessionID, r.rec.CWD, r.rec.Scripted)
		shared.last = f.MessageID
		list = append(list, shared)
	}
	for i, id := range cliIDs(r.rec) {
		if i == 0 && len(list) > 0 {
			continue
		}
		list = append(list, l.link(id, r.rec.CWD, r.rec.Scripted))
	}
	return list
}

// link returns a conversation's file, as far as the catalog knows it. The caller
// holds mu.
func (l *Library) link(cli, folder string, scripted bool) link {
	if e := l.entry(cli); e != nil {
		return link{cli: cli, path: e.Path, messages: e.Messages, counted: e.Counted}
	}
	return link{cli: cli, messages: -1, folder: folder, scripted: scripted}
}

// locate looks on disk for files that the catalog doesn't know yet. That may take
// long on a network folder, so the caller must not hold mu.
func (l *Library) locate(list []link) []link {
	for i := range list {
		k := &list[i]
		if k.path != "" || k.folder == "" || k.cli == "" {
			continue
		}
		root := l.cfg.Root(k.scripted)
		if root == "" {
			continue
		}
		k.path = filepath.Join(root, history.FolderName(k.folder), k.cli+".jsonl")
		if _, err := os.Stat(k.path); err != nil {
			k.path = filepath.Join(root, history.FolderName(realPath(k.folder)), k.cli+".jsonl")
		}
	}
	return list
}

func realPath(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}

// place is where to read older messages from: in the file of a CLI conversation,
// before a cursor of that file, and before the message cut if set. The zero place
// is the end of the current file.
type place struct {
	cli, cut, cursor string
}

// filePrefix distinguishes file cursors from log cursors, which are message ids.
const filePrefix = "file/"

func (p place) String() string { return filePrefix + p.cli + "/" + p.cut + "/" + p.cursor }

func parsePlace(s string) (place, bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) != 4 || parts[0]+"/" != filePrefix {
		return place{}, false
	}
	return place{cli: parts[1], cut: parts[2], cursor: parts[3]}, true
}

// stretch is a part of a conversation.
type stretch struct {
	messages []event.Message
	// more is set if there is something before it, starting at next.
	more bool
	next place
	// context is the meter reading, if the stretch is the end of the conversation and has
	// one.
	context *event.Context
	// gone means that the current file doesn't exist.
	gone bool
}

// read reads about limit messages before a place. Missing files are skipped.
func (l *Library) read(ctx context.Context, links []link, at place, limit int) (stretch, error) {
	i := 0
	if at != (place{}) {
		for i < len(links) && links[i].cli != at.cli {
			i++
		}
		if i == len(links) {
			return stretch{}, fault.New(fault.Conflict, "The conversation has a new ID. Reload it from the end.")
		}
	}
	var s stretch
	for ; i < len(links); i++ {
		k := links[i]
		at.cli = k.cli
		if at.cut == "" && at.cursor == "" {
			at.cut = k.last
		}
		page, err := readPage(ctx, k, at, limit)
		if errors.Is(err, fs.ErrNotExist) {
			s.gone = s.gone || i == 0
			at = place{}
			continue
		}
		if err != nil {
			return s, err
		}
		s.messages = page.Messages
		switch {
		case i > 0:
			settle(s.messages)
		case at.cut == "" && at.cursor == "":
			s.context = page.Context
		}
		if i > 0 && at.cut == "" && at.cursor == "" {
			s.messages = append(s.messages, clearedNotice(k.cli))
		}
		if page.HasMore {
			s.more, s.next = true, place{cli: k.cli, cursor: page.Before}
		} else {
			s.next, s.more = before(links[i+1:])
		}
		if len(s.messages) > 0 || !s.more {
			break
		}
		if page.HasMore { // the whole page was cut off
			at, i = s.next, i-1
			continue
		}
		at = place{}
	}
	if s.messages == nil {
		s.messages = []event.Message{}
	}
	l.sign(s.messages)
	l.ascribe(s.messages)
	l.conclude(s.messages)
	return s, nil
}

// before returns where older messages are: in the first of the remaining links
// that has a file.
func before(links []link) (next place, more bool) {
	for _, k := range links {
		if k.path == "" {
			continue
		}
		if _, err := os.Stat(k.path); err == nil {
			return place{cli: k.cli}, true
		}
	}
	return place{}, false
}

// readPage reads from one file. If the message that the place or the link ends with
// isn't on the page, it is searched for.
func readPage(ctx context.Context, k link, at place, limit int) (history.Page, error) {
	if k.path == "" {
		return history.Page{}, fs.ErrNotExist
	}
	page, err := history.Open(k.path).Page(ctx, limit, at.cursor)
	if err != nil || at.cut == "" {
		return page, err
	}
	keep := 0
	if at.cut == k.last && at.cursor == "" {
		keep = 1 // it is the end, and belongs to it
	}
	if n := indexOf(page.Messages, at.cut); n >= 0 {
		page.Messages = page.Messages[:n+keep]
		return page, nil
	}
	found := false
	_, err = walk(ctx, k.path, at.cursor, searchBack, func(p *history.Page, _ string) bool {
		n := indexOf(p.Messages, at.cut)
		if found = n >= 0; found {
			page = *p
			page.Messages = page.Messages[:n+keep]
		}
		return !found
	})
	if err == nil && !found {
		err = fault.New(fault.Conflict, "This position in the conversation no longer exists. Reload the conversation from the end.")
	}
	return page, err
}

const (
	// searchBack bounds how many messages are searched to find one.
	searchBack = 20_000
	walkPage   = 200
	walkPages  = 400
)

// walk goes back through a file, page by page, until visit returns false or about
// limit messages were seen. It reports whether visit stopped it.
func walk(ctx context.Context, path, cursor string, limit int, visit func(p *history.Page, cursor string) bool) (stopped bool, err error) {
	seen := 0
	for range walkPages {
		p, err := history.Open(path).Page(ctx, min(walkPage, limit), cursor)
		if err != nil {
			return false, err
		}
		if !visit(&p, cursor) {
			return true, nil
		}
		seen += len(p.Messages)
		if !p.HasMore || seen >= limit {
			break
		}
		cursor = p.Before
	}
	return false, nil
}

func indexOf(list []event.Message, id string) int {
	for i := range list {
		if list[i].ID == id {
			return i
		}
	}
	return -1
}

func clearedNotice(cli string) event.Message {
	return event.Message{ID: "notice:cleared:" + cli, Role: "notice", Blocks: []event.Block{}, Notice: &event.Notice{Kind: "cleared"}}
}
