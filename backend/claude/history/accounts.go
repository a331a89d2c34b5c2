package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/backend/claude/transcript"
	"parley/backend/event"
	"parley/backend/platform/safeopen"
	"parley/backend/usage"
)

// Account is the usage reported by some lines of a conversation. The same lines
// may be reported again, if a file was replaced or its record was lost.
type Account struct {
	// ID and CWD are those of the conversation.
	ID, CWD string
	// Answers is the usage of answers, in line order. An answer may occur more than
	// once.
	Answers []usage.Answer
	// Saved is the final running total of the lines, nil for none, and SavedAt its time
	// in Unix milliseconds.
	Saved   []event.ModelTotal
	SavedAt int64
}

// accountAnswers is how many answers are collected before they are reported.
const accountAnswers = 1024

// accounts collects reported usage. A nil one collects nothing.
type accounts struct {
	tell func(Account) error
	now  Account
	// at is the time of the last answer, changed the file's modification time.
	at, changed int64
}

func newAccounts(s *source, tell func(Account) error) *accounts {
	if tell == nil {
		return nil
	}
	a := &accounts{tell: tell}
	if info, err := s.Stat(); err == nil {
		a.changed = info.ModTime().UnixMilli()
	}
	return a
}

func (a *accounts) add(l *transcript.Line) error {
	if a == nil {
		return nil
	}
	if a.now.CWD == "" {
		a.now.CWD = l.CWD()
	}
	if totals, ok := l.Reported(); ok {
		a.now.Saved, a.now.SavedAt = totals, cmp.Or(a.at, a.changed)
		return a.flush() // totals are ordered
	}
	answer, ok := l.Answer()
	if !ok {
		return nil
	}
	a.at = max(a.at, answer.At)
	// The lines of one answer are nearly consecutive.
	list := a.now.Answers
	for i := len(list) - 1; i >= max(0, len(list)-4); i-- {
		if list[i].Key == answer.Key && usage.Sum(list[i].Tokens) <= usage.Sum(answer.Tokens) {
			list[i].Tokens = answer.Tokens
			return nil
		}
	}
	a.now.Answers = append(list, answer)
	if len(a.now.Answers) < accountAnswers {
		return nil
	}
	return a.flush()
}

// flush reports what was collected.
func (a *accounts) flush() error {
	if a == nil || len(a.now.Answers) == 0 && a.now.Saved == nil {
		return nil
	}
	err := a.tell(a.now)
	a.now = Account{ID: a.now.ID, CWD: a.now.CWD}
	return err
}

// countAgents reads the usage of the conversation's subagents, from where they were
// read last.
func (t *Transcript) countAgents(ctx context.Context, totals *Totals, to *accounts) error {
	if to == nil {
		return nil
	}
	dir := t.agentsFolder()
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		id, ok := agentID(f)
		if !ok {
			continue
		}
		i := slices.IndexFunc(totals.Agents, func(e AgentEnd) bool { return e.ID == id })
		if i < 0 {
			i = len(totals.Agents)
			totals.Agents = append(totals.Agents, AgentEnd{ID: id})
		}
		if err := countAgent(ctx, filepath.Join(dir, f.Name()), &totals.Agents[i].End, to); err != nil {
			return err
		}
	}
	return nil
}

func countAgent(ctx context.Context, path string, end *int64, to *accounts) error {
	f, err := safeopen.Open(path)
	if err != nil {
		return nil //nolint:nilerr // it went away, or nobody may read it
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < *end {
		*end = 0
	}
	g := gatherer{s: &source{File: f, size: info.Size()}}
	*end, err = forward(ctx, f, *end, info.Size(), func(place span, raw []byte) error {
		if l, ok := g.parse(ctx, place, raw); ok {
			return to.add(&l)
		}
		return nil
	})
	return err
}
