package library

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/fold"
)

const (
	// promptFiles is how many conversations are searched for prompts.
	promptFiles = 300
	// promptRead is how much is read for one page.
	promptRead = 96 << 20
	// promptBytes is the approximate size of a page's text.
	promptBytes = 2 << 20
)

// Prompts is a page of earlier prompts.
type Prompts struct {
	// Said is newest first, each text once for the local user and once for others.
	Said []SentPrompt
	// Before is the cursor for earlier prompts, "" for none. A page may be empty and
	// still have one.
	Before string
}

// SentPrompt is a prompt and its session.
type SentPrompt struct {
	history.Said
	SessionID string
	// Author is who wrote it in a chat, nil for the local user.
	Author *event.Author
}

// PromptQuery selects prompts.
type PromptQuery struct {
	// SessionID is the session whose prompts come first; those of its workspace
	// follow.
	SessionID string
	// WorkspaceID is the workspace if there is no session.
	WorkspaceID string
	// Words are what a prompt must contain, in any case.
	Words  []string
	Limit  int
	Before string
}

// Prompts returns a session's prompts, newest first, then those of the other sessions
// in its workspace. Its faults are not_found, and invalid for an invalid cursor.
func (l *Library) Prompts(ctx context.Context, q PromptQuery) (Prompts, error) {
	files, err := l.promptFiles(q)
	if err != nil {
		return Prompts{}, err
	}
	at, offset := 0, int64(-1)
	if q.Before != "" {
		cli, from, ok := parseTarget(q.Before)
		if !ok {
			return Prompts{}, fault.New(fault.Invalid, "The cursor is not valid. Use one from the list of prompts (parameter before).")
		}
		if at = slices.IndexFunc(files, func(f promptFile) bool { return f.cli == cli }); at < 0 {
			return Prompts{Said: []SentPrompt{}}, nil // the conversation is gone, and so is its place
		}
		offset = from
	}
	type spoken struct {
		text string
		here bool
	}
	page, seen, size, budget := Prompts{Said: []SentPrompt{}}, map[spoken]bool{}, 0, int64(promptRead)
	for ; at < len(files); at, offset = at+1, -1 {
		f := files[at]
		next, read, err := history.Open(f.path).Prompts(ctx, offset, budget, func(s history.Said) bool {
			if !hasWords(s.Text, q.Words) {
				return true
			}
			said := l.said(s, f.session)
			if what := (spoken{said.Text, said.Author.Own()}); !seen[what] && hasWords(said.Text, q.Words) {
				seen[what] = true
				page.Said = append(page.Said, said)
				size += len(said.Text)
			}
			return len(page.Said) < q.Limit && size < promptBytes
		})
		if ctx.Err() != nil {
			return Prompts{}, ctx.Err()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.cfg.Logger.Warn("Couldn't read the prompts of a conversation", "session", f.session, "err", err)
			continue
		}
		budget -= read
		if next > 0 {
			page.Before = Target(f.cli, next)
			break
		}
		if len(page.Said) >= q.Limit || size >= promptBytes || budget <= 0 {
			if at+1 < len(files) {
				page.Before = Target(files[at+1].cli, maxOffset)
			}
			break
		}
	}
	return page, nil
}

// hasWords reports whether a text contains all of the words, ignoring case and
// form.
func hasWords(text string, words []string) bool {
	folded := fold.Text(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(folded, fold.Text(w)) })
}

// said returns the prompt of a line, without the author line meant for the model.
func (l *Library) said(s history.Said, session string) SentPrompt {
	known, err := l.cfg.Records.Authors([]string{s.ID})
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read the author of a prompt", "session", session, "err", err)
	}
	a, is := known[s.ID]
	if !is {
		return SentPrompt{Said: s, SessionID: session}
	}
	if text, had := strings.CutPrefix(s.Text, a.Lead+"\n"); had && a.Lead != "" {
		s.Text = text
	}
	return SentPrompt{s, session, authorOf(&a.Author)}
}

// maxOffset is beyond the end of every file.
const maxOffset = 1 << 62

// promptFile is a conversation's file that prompts are read from.
type promptFile struct{ session, cli, path string }

// promptFiles returns the files of a session, newest first, then those of the others in
// its workspace, most recently active first.
func (l *Library) promptFiles(q PromptQuery) ([]promptFile, error) {
	l.mu.RLock()
	var first *row
	workspace := q.WorkspaceID
	if q.SessionID != "" {
		first = l.rows[q.SessionID]
		if first == nil || !first.listed {
			l.mu.RUnlock()
			return nil, notFound(q.SessionID)
		}
		workspace = first.workspace
	}
	var rows []*row
	for _, r := range l.rows {
		if r != first && r.listed && r.workspace == workspace && workspace != "" {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(b.key.at, a.key.at), cmp.Compare(a.id, b.id)) })
	rows = rows[:min(len(rows), promptFiles)]
	if first != nil {
		rows = slices.Insert(rows, 0, first)
	}
	links := make([][]link, len(rows))
	for i, r := range rows {
		links[i] = l.links(r)
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	l.mu.RUnlock()
	var files []promptFile
	known := map[string]bool{}
	for i, list := range links {
		if i == 0 && first != nil {
			list = l.locate(list)
		}
		for _, k := range list {
			if k.path != "" && !known[k.cli] {
				known[k.cli] = true
				files = append(files, promptFile{ids[i], k.cli, k.path})
			}
		}
	}
	return files, nil
}
