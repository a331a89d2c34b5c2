package spend

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/event"
	"parley/backend/store/model"
	"parley/backend/usage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps records like a store: atomically, and only what was written.
type memory struct {
	mu      sync.Mutex
	usage   map[string]model.Usage
	answers map[string]map[int]model.CountedAnswers
	warned  map[string]model.BudgetWarning
	full    bool // the disk is
}

func newMemory() *memory {
	return &memory{usage: map[string]model.Usage{}, answers: map[string]map[int]model.CountedAnswers{}, warned: map[string]model.BudgetWarning{}}
}

func (m *memory) Usage() (list []model.Usage, _ error) {
	for _, u := range m.usage {
		list = append(list, u)
	}
	return list, nil
}

func (m *memory) Warned() (list []model.BudgetWarning, _ error) {
	for _, w := range m.warned {
		list = append(list, w)
	}
	return list, nil
}

func (m *memory) Answers(id string, yield func(model.CountedAnswers)) error {
	for owner, chunks := range m.answers {
		if id == "" || id == owner {
			for _, a := range chunks {
				yield(a)
			}
		}
	}
	return nil
}

// accounts counts the written accounts.
func (m *memory) accounts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.usage)
}

func (m *memory) Write(c Changes) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return errors.New("disk full")
	}
	for _, id := range c.Forget {
		delete(m.answers, id)
	}
	for _, u := range c.Usage {
		m.usage[u.CLISessionID] = u
	}
	for _, a := range c.Answers {
		if m.answers[a.CLISessionID] == nil {
			m.answers[a.CLISessionID] = map[int]model.CountedAnswers{}
		}
		m.answers[a.CLISessionID][a.Chunk] = a
	}
	for _, w := range c.Warned {
		m.warned[w.Budget] = w
	}
	return nil
}

// noon is the time at which tests run.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T, m *memory) *Ledger {
	t.Helper()
	l, err := Open(Config{Records: m, Changed: func() {}, Logger: slog.New(slog.DiscardHandler), Now: noon, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func flush(t *testing.T, l *Ledger) {
	t.Helper()
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
}

func tell(t *testing.T, l *Ledger, id string, answers ...usage.Answer) {
	t.Helper()
	if err := l.Told(id, "/home/user/"+id, answers); err != nil {
		t.Fatal(err)
	}
}

// answer is an answer with 100 tokens of input.
func answer(key uint64, day, out int) usage.Answer {
	return usage.Answer{
		Key: key, Model: "opus", At: noon().AddDate(0, 0, day).UnixMilli(),
		Tokens: event.Usage{InputTokens: 10, CacheReadTokens: 60, CacheCreationTokens: 30, OutputTokens: int64(out)},
	}
}

// rows are the ledger's rows, grouped.
func rows(l *Ledger, by usage.By) []usage.Row {
	var all []usage.Row
	l.Rows(func(r usage.Row, _ string) { all = append(all, r) })
	return usage.Group(all, by)
}
