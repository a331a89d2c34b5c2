package app

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/history"
	"parley/backend/session"
	"parley/backend/spend"
	"parley/backend/usage"
)

// accounts is the service behind usage.*. It has the ledger told of what is used: by
// the files, while their messages are counted, and by the results of turns.
type accounts struct {
	accountsConfig
	ledger *spend.Ledger

	mu   sync.Mutex
	live map[string]conversing // by session
}

// conversing is what the account of a session's turn needs.
type conversing struct {
	cli, cwd, forkedFrom string
	aside                bool // no money is spent
}

// accountsConfig is what accounts need. All fields are required.
type accountsConfig struct {
	rehearsal bool
	owner     func(cliSessionID string) (event.Session, bool)
	workspace func(folder string) string
	// name is that of a workspace, false when there is none.
	name    func(workspaceID string) (string, bool)
	get     func(ctx context.Context, sessionID string) (event.Session, error)
	control func(ctx context.Context, sessionID string, body wire.ControlBody) ([]byte, error)
	limits  func() usage.Limits
	reading func() bool
	publish func(event.Event)
}

var _ UsageService = (*accounts)(nil)

// newAccounts ties the accounts to what there is by the time that they are asked.
func (a *App) newAccounts(ledger *spend.Ledger, prefs *preferences) *accounts {
	return &accounts{ledger: ledger, live: make(map[string]conversing), accountsConfig: accountsConfig{
		rehearsal: a.cfg.Rehearsal,
		owner:     func(cli string) (event.Session, bool) { return a.library.Owner(cli) },
		workspace: func(folder string) string { return a.workspaces.Of(folder) },
		name: func(id string) (string, bool) {
			w, err := a.workspaces.Get(id)
			return w.Title, err == nil
		},
		get: func(ctx context.Context, id string) (event.Session, error) { return a.library.Get(ctx, id) },
		control: func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error) {
			return a.registry.Control(ctx, id, body)
		},
		limits: func() usage.Limits {
			b := prefs.get().Budgets
			return usage.Limits{DayUSD: b.BudgetDayUSD, MonthUSD: b.BudgetMonthUSD, DayTokens: b.BudgetDayTokens, MonthTokens: b.BudgetMonthTokens}
		},
		reading: func() bool {
			s := a.reading.status()
			return s.Scanning || s.Counting.Busy
		},
		publish: a.bus.Publish,
	}}
}

// publish lets the accounts see an event before the surfaces do.
func (a *App) publish(e event.Event) {
	a.usage.observe(e)
	a.heartbeats.service.Observe(e)
	a.bus.Publish(e)
}

// maxLive bounds how many sessions are known to run; beyond, they are learned anew.
const maxLive = 10_000

// told takes what a file reports.
func (a *accounts) told(from history.Account) error {
	if err := a.ledger.Told(from.ID, from.CWD, from.Answers); err != nil {
		return err
	}
	if from.Saved != nil {
		a.ledger.Reported(spend.Report{CLISessionID: from.ID, CWD: from.CWD, At: from.SavedAt, Totals: from.Saved, Saved: true})
	}
	return nil
}

// observe takes an event on its way to the surfaces. It waits for nothing.
func (a *accounts) observe(e event.Event) {
	switch e := e.(type) {
	case *event.State:
		a.note(&e.Session)
	case *event.Result:
		a.mu.Lock()
		s, ok := a.live[e.SessionID]
		a.mu.Unlock()
		if ok && !s.aside {
			a.ledger.Reported(spend.Report{CLISessionID: s.cli, CWD: s.cwd, At: e.At, Totals: e.Totals, ForkedFrom: s.forkedFrom})
		}
	}
}

func (a *accounts) note(s *event.Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.State == string(session.Closed) {
		delete(a.live, s.ID)
		return
	}
	before, known := a.live[s.ID]
	if !known && len(a.live) >= maxLive {
		clear(a.live)
	}
	now := conversing{cli: s.CLISessionID, cwd: s.CWD, aside: s.Rehearsal && !a.rehearsal}
	if s.ForkedFrom != nil && (!known || before.cli == now.cli) {
		now.forkedFrom = s.ForkedFrom.CLISessionID // not after a /clear
	}
	a.live[s.ID] = now
}

// changed tells the surfaces, and of budgets that were reached.
func (a *accounts) changed() {
	budgets := a.ledger.Budgets(a.limits())
	a.publish(&event.UsageChanged{Budgets: bordered(budgets), Reached: bordered(a.ledger.Warnings(budgets))})
}

func bordered(budgets []usage.Budget) []event.Budget {
	list := make([]event.Budget, 0, len(budgets))
	for _, b := range budgets {
		list = append(list, event.Budget{Name: b.Name, Period: b.Period, Limit: b.Limit, Used: b.Used, Level: b.Level()})
	}
	return list
}

func (a *accounts) Budgets(context.Context, Empty) (UsageBudgets, error) {
	return UsageBudgets{Budgets: bordered(a.ledger.Budgets(a.limits()))}, nil
}

const (
	usageRows    = 1000
	maxUsageRows = 5000
)

func (a *accounts) Query(_ context.Context, p UsageQueryParams) (UsageReport, error) {
	by, err := groupedBy(p)
	if err != nil {
		return UsageReport{}, err
	}
	var rows []usage.Row
	folders := make(map[string]string) // of conversations
	report := UsageReport{Rows: []UsageRow{}, Today: a.ledger.Today(), Reading: a.reading()}
	a.ledger.Rows(func(r usage.Row, cwd string) {
		if report.Since == "" || r.Day < report.Since {
			report.Since = r.Day
		}
		if (p.From == "" || r.Day >= p.From) && (p.To == "" || r.Day <= p.To) {
			rows = append(rows, r)
			folders[r.SessionID] = cwd
		}
	})
	sessions := a.sessionsOf(folders)
	rows = slices.DeleteFunc(rows, func(r usage.Row) bool {
		s := sessions[r.SessionID]
		return p.SessionID != "" && s.ID != p.SessionID || p.WorkspaceID != "" && s.WorkspaceID != p.WorkspaceID
	})
	known := make(map[string]event.Session, len(sessions))
	for i := range rows {
		s := sessions[rows[i].SessionID]
		rows[i].SessionID, rows[i].WorkspaceID = s.ID, s.WorkspaceID
		known[s.ID] = s
	}
	for _, total := range usage.Group(rows, usage.By{}) {
		report.Total = rowOf(total)
	}
	grouped := usage.Group(rows, by)
	most := min(cmp.Or(p.Limit, usageRows), len(grouped))
	report.More = len(grouped) - most
	first := 0
	if by.Day {
		first = report.More // the newest days stay
	}
	for _, r := range grouped[first : first+most] {
		row := rowOf(r)
		a.describe(&row, known, by)
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

// sessionsOf says whose conversations are: the ones that are not listed have an id and
// a workspace all the same.
func (a *accounts) sessionsOf(folders map[string]string) map[string]event.Session {
	sessions := make(map[string]event.Session, len(folders))
	places := make(map[string]string)
	for cli, cwd := range folders {
		s, ok := a.owner(cli)
		if !ok {
			if _, known := places[cwd]; !known {
				places[cwd] = a.workspace(cwd)
			}
			s = event.Session{ID: cli}
			s.WorkspaceID, s.Origin = places[cwd], originGone
		}
		sessions[cli] = s
	}
	return sessions
}

// originGone marks a conversation that is not listed.
const originGone = "gone"

// describe adds names.
func (a *accounts) describe(r *UsageRow, known map[string]event.Session, by usage.By) {
	if by.Session {
		s := known[r.SessionID]
		r.Title, r.Gone = s.Title, s.Origin == originGone
	}
	if by.Workspace {
		r.Workspace, _ = a.name(r.WorkspaceID)
	}
}

func rowOf(r usage.Row) UsageRow {
	return UsageRow{
		Day: r.Day, SessionID: r.SessionID, WorkspaceID: r.WorkspaceID, Model: r.Model,
		Answers: r.Answers, Tokens: r.Tokens, CostUSD: r.CostUSD, Unpriced: r.Unpriced(),
	}
}

// groupedBy checks a query.
func groupedBy(p UsageQueryParams) (by usage.By, err error) {
	for _, name := range p.GroupBy {
		switch name {
		case "day":
			by.Day = true
		case "session":
			by.Session = true
		case "workspace":
			by.Workspace = true
		case "model":
			by.Model = true
		default:
			return by, fault.New(fault.Invalid, "groupBy lists day, session, workspace and model; %q is none of them.", name)
		}
	}
	for name, day := range map[string]string{"from": p.From, "to": p.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return by, fault.New(fault.Invalid, "A day is written as 2006-01-02 (parameter %s).", name)
		}
	}
	if p.Limit < 0 || p.Limit > maxUsageRows {
		return by, fault.New(fault.Invalid, "limit must be 0 to %d.", maxUsageRows)
	}
	return by, nil
}
