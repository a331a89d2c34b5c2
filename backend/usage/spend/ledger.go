package spend

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/backend/event"
	"parley/backend/owner"
	"parley/backend/store/model"
	"parley/backend/usage"
)

const (
	// maxAnswers bounds the remembered answers, about 40 bytes each.
	maxAnswers = 2_000_000
	// maxSessions bounds the conversations.
	maxSessions = 100_000
	// writeAfter is how long changes are collected before they are written.
	writeAfter = time.Second
)

// Records keeps the ledger.
type Records interface {
	// Usage returns all conversations' accounts, Warned all given warnings.
	Usage() ([]model.Usage, error)
	Warned() ([]model.BudgetWarning, error)
	// Answers calls yield for all records of a conversation's answers; "" is for all
	// conversations.
	Answers(cliSessionID string, yield func(model.CountedAnswers)) error
	// Write stores all or nothing.
	Write(Changes) error
}

// Changes are to be stored.
type Changes struct {
	Usage   []model.Usage
	Answers []model.CountedAnswers
	Warned  []model.BudgetWarning
	// Forget lists conversations whose answers are no longer remembered.
	Forget []string
}

func (c *Changes) empty() bool {
	return len(c.Usage)+len(c.Answers)+len(c.Warned)+len(c.Forget) == 0
}

// Config configures a ledger. All fields but Now and Zone are required.
type Config struct {
	Records Records
	// Changed is called after a write, on a goroutine of the ledger.
	Changed func()
	Logger  *slog.Logger
	// Now and Zone are the clock and the user's time zone; nil means the system's.
	Now  func() time.Time
	Zone *time.Location
}

// Ledger keeps accounts. Its methods may be called from any goroutine.
type Ledger struct {
	cfg Config

	wake    chan struct{}
	quit    chan struct{}
	running sync.WaitGroup
	once    sync.Once

	// writing is held while records are read or written; it comes before mu.
	writing sync.Mutex

	mu       sync.Mutex
	sessions map[string]*account // by the CLI's id
	counted  map[uint64]uint32   // output tokens of each answer; the highest bit: with input
	recalled bool                // counted was loaded
	warned   map[string]model.BudgetWarning
	unwarned map[string]model.BudgetWarning // to be written
	dirty    map[string]bool
	forget   []string
	version  uint64
}

// account is the account of one conversation.
type account struct {
	model.Usage
	rows  map[rowKey]int // index into Rows
	fresh []byte         // of answers, to be written
	chunk []byte         // the newest record of answers, nil when the next starts a new one
}

type rowKey struct{ day, model string }

// Open loads the accounts. The remembered answers are loaded when the first
// ones are added.
func Open(cfg Config) (*Ledger, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	l := &Ledger{
		cfg: cfg, wake: make(chan struct{}, 1), quit: make(chan struct{}), sessions: make(map[string]*account),
		counted: make(map[uint64]uint32), warned: make(map[string]model.BudgetWarning),
		unwarned: make(map[string]model.BudgetWarning), dirty: make(map[string]bool),
	}
	kept, err := cfg.Records.Usage()
	if err != nil {
		return nil, err
	}
	for _, u := range kept {
		a := &account{Usage: u, rows: make(map[rowKey]int, len(u.Rows))}
		for i, r := range u.Rows {
			a.rows[rowKey{r.Day, r.Model}] = i
		}
		l.sessions[u.CLISessionID] = a
	}
	warned, err := cfg.Records.Warned()
	if err != nil {
		return nil, err
	}
	for _, w := range warned {
		l.warned[w.Budget] = w
	}
	return l, nil
}

// Start starts writing changes.
func (l *Ledger) Start() { l.running.Go(l.write) }

// Close writes pending changes and ends the goroutine.
func (l *Ledger) Close() error {
	l.once.Do(func() { close(l.quit) })
	l.running.Wait()
	return l.Flush()
}

func (l *Ledger) write() {
	for {
		select {
		case <-l.quit:
			return
		case <-l.wake:
		}
		select {
		case <-l.quit:
			return
		case <-time.After(writeAfter):
		}
		if err := l.Flush(); err != nil {
			l.cfg.Logger.Warn("Couldn't save usage records", "err", err)
		}
		if err := l.makeRoom(maxAnswers, maxAnswers/10*9); err != nil {
			l.cfg.Logger.Warn("Couldn't delete old usage records", "err", err)
		}
		l.cfg.Changed()
	}
}

// touch marks an account to be written. The caller holds mu.
func (l *Ledger) touch(id string) {
	l.dirty[id] = true
	l.version++
	owner.Wake(l.wake)
}

// Flush writes all pending changes. If it fails, nothing is lost, and
// it is retried with the next change.
func (l *Ledger) Flush() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	c := Changes{Warned: slices.Collect(maps.Values(l.unwarned)), Forget: slices.Clone(l.forget)}
	taken := make(map[string]int, len(l.dirty))
	for id := range l.dirty {
		a := l.sessions[id]
		taken[id] = len(a.fresh)
		u := a.Usage
		u.Rows, u.Totals, u.Saved = slices.Clone(a.Rows), slices.Clone(a.Totals), slices.Clone(a.Saved)
		var answers []model.CountedAnswers
		answers, u.Chunks = a.chunks()
		c.Answers = append(c.Answers, answers...)
		c.Usage = append(c.Usage, u)
	}
	clear(l.dirty)
	l.mu.Unlock()
	if c.empty() {
		return nil
	}
	err := l.cfg.Records.Write(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		for id := range taken {
			l.dirty[id] = true
		}
		owner.Wake(l.wake)
		return err
	}
	for _, answers := range c.Answers {
		l.sessions[answers.CLISessionID].chunk = answers.Counted
	}
	for _, u := range c.Usage {
		a := l.sessions[u.CLISessionID]
		a.Chunks, a.fresh = u.Chunks, slices.Clone(a.fresh[taken[u.CLISessionID]:])
	}
	for _, w := range c.Warned {
		if l.unwarned[w.Budget] == w {
			delete(l.unwarned, w.Budget)
		}
	}
	l.forget = nil // only the writer adds to it
	return nil
}

// Version changes with every change of the result of [Ledger.Rows].
func (l *Ledger) Version() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Rows calls yield for everything that was used, in no order: the row's SessionID is the
// CLI's id of the conversation, and its folder comes with it.
func (l *Ledger) Rows(yield func(r usage.Row, cwd string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, a := range l.sessions {
		for _, r := range a.Rows {
			yield(usage.Row{
				Day: r.Day, SessionID: id, Model: r.Model, Answers: r.Answers, CostUSD: r.CostUSD, Priced: r.Priced,
				Tokens: event.Usage{
					InputTokens: r.Tokens.Input, CacheReadTokens: r.Tokens.CacheRead,
					CacheCreationTokens: r.Tokens.CacheCreation, OutputTokens: r.Tokens.Output,
				},
			}, a.CWD)
		}
	}
}

// Today is the user's day, as 2006-01-02.
func (l *Ledger) Today() string { return l.day(l.cfg.Now().UnixMilli()) }

// day is the user's day of a time in milliseconds; 0 is now.
func (l *Ledger) day(at int64) string {
	when := time.UnixMilli(at)
	if at <= 0 {
		when = l.cfg.Now()
	}
	return when.In(l.cfg.Zone).Format(time.DateOnly)
}

// account returns a conversation's account, nil when there are too many. The caller
// holds mu.
func (l *Ledger) account(id, cwd string) *account {
	a := l.sessions[id]
	if a == nil {
		if id == "" || len(l.sessions) >= maxSessions {
			return nil
		}
		a = &account{Usage: model.Usage{CLISessionID: id}, rows: make(map[rowKey]int)}
		l.sessions[id] = a
	}
	if a.CWD == "" {
		a.CWD = cwd
	}
	return a
}

// row returns the row of a day and a model, creating it if necessary.
func (a *account) row(day, name string) *model.UsageRow {
	key := rowKey{day, name}
	i, ok := a.rows[key]
	if !ok {
		i = len(a.Rows)
		a.rows[key] = i
		a.Rows = append(a.Rows, model.UsageRow{Day: day, Model: name})
	}
	return &a.Rows[i]
}
