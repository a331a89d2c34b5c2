package usage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/app/feature"
	"parley/backend/claude/history"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/settings"
	"parley/backend/store/schema"
	"parley/backend/usage"
	"parley/backend/usage/spend"
)

// Service implements usage.*. It feeds the ledger: from the files, while their messages are
// counted, and from the results of turns.
type Service struct {
	cfg    Config
	ledger *spend.Ledger
	// Windows are the known sizes of the models' context windows.
	Windows *usage.Windows

	now  func() time.Time
	mu   sync.Mutex
	live map[string]conversing // by session
	told map[string]PlanLimits // by profile
}

// conversing is what accounting for a session's turn needs.
type conversing struct {
	cli, cwd, forkedFrom string
	aside                bool // costs no money
}

// Config has the dependencies of accounting. All fields are required.
type Config struct {
	DB        *schema.DB
	Scripted  bool
	Owner     func(cliSessionID string) (event.Session, bool)
	Workspace func(folder string) string
	// Name is a workspace's name, false if it does not exist.
	Name func(workspaceID string) (string, bool)
	// Get is a session as its owner has it, after everything its CLI has reported.
	Get     func(ctx context.Context, sessionID string) (event.Session, error)
	Control func(ctx context.Context, sessionID string, body wire.ControlBody) ([]byte, error)
	// Settings have the user's budgets.
	Settings func() settings.Values
	// Reading is what reads conversations on disk; it is made later.
	Reading func() interface{ Busy() bool }
	Publish func(event.Event)
	Log     *slog.Logger
}

// New reads the accounts. If it succeeds, Close must be called.
func New(cfg Config) (*Service, error) {
	a := newService(cfg)
	var err error
	if a.ledger, err = spend.Open(spend.Config{Records: records{cfg.DB}, Changed: a.changed, Logger: cfg.Log}); err != nil {
		return nil, err
	}
	if a.Windows, err = openWindows(cfg.DB, cfg.Log); err != nil {
		return nil, errors.Join(err, a.ledger.Close())
	}
	return a, nil
}

func newService(cfg Config) *Service {
	return &Service{live: make(map[string]conversing), told: make(map[string]PlanLimits), now: time.Now, cfg: cfg}
}

// Start starts writing the accounts.
func (a *Service) Start() { a.ledger.Start() }

// Close writes what is not written yet.
func (a *Service) Close() error { return a.ledger.Close() }

// maxLive bounds how many running sessions are cached; beyond it, they are looked up again.
const maxLive = 10_000

// Told records a file's report.
func (a *Service) Told(from history.Account) error {
	if err := a.ledger.Told(from.ID, from.CWD, from.Answers); err != nil {
		return err
	}
	if from.Saved != nil {
		a.ledger.Reported(spend.Report{CLISessionID: from.ID, CWD: from.CWD, At: from.SavedAt, Totals: from.Saved, Saved: true})
	}
	return nil
}

// Observe handles an event on its way to the surfaces. It never blocks.
func (a *Service) Observe(e event.Event) {
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

func (a *Service) note(s *event.Session) {
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
	now := conversing{cli: s.CLISessionID, cwd: s.CWD, aside: s.Scripted && !a.cfg.Scripted}
	if s.ForkedFrom != nil && (!known || before.cli == now.cli) {
		now.forkedFrom = s.ForkedFrom.CLISessionID // not after a /clear
	}
	a.live[s.ID] = now
}

// changed notifies the surfaces, also about budgets that were reached.
func (a *Service) changed() {
	budgets := a.ledger.Budgets(limitsOf(a.cfg.Settings().Budgets))
	a.cfg.Publish(&event.UsageChanged{Budgets: bordered(budgets), Reached: bordered(a.ledger.Warnings(budgets))})
}

func bordered(budgets []usage.Budget) []event.Budget {
	list := make([]event.Budget, 0, len(budgets))
	for _, b := range budgets {
		list = append(list, event.Budget{Name: b.Name, Period: b.Period, Limit: b.Limit, Used: b.Used, Level: b.Level()})
	}
	return list
}

func (a *Service) Budgets(context.Context, feature.Empty) (UsageBudgets, error) {
	return UsageBudgets{Budgets: bordered(a.ledger.Budgets(limitsOf(a.cfg.Settings().Budgets)))}, nil
}

const (
	usageRows    = 1000
	maxUsageRows = 5000
)

func (a *Service) Query(_ context.Context, p UsageQueryParams) (UsageReport, error) {
	by, err := groupedBy(p)
	if err != nil {
		return UsageReport{}, err
	}
	var rows []usage.Row
	folders := make(map[string]string) // by conversation
	report := UsageReport{Rows: []UsageRow{}, Today: a.ledger.Today(), Reading: a.cfg.Reading().Busy()}
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
		first = report.More // keep the newest days
	}
	for _, r := range grouped[first : first+most] {
		row := rowOf(r)
		a.describe(&row, known, by)
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

// sessionsOf finds the conversations' sessions: unlisted ones still have an id and a workspace.
func (a *Service) sessionsOf(folders map[string]string) map[string]event.Session {
	sessions := make(map[string]event.Session, len(folders))
	places := make(map[string]string)
	for cli, cwd := range folders {
		s, ok := a.cfg.Owner(cli)
		if !ok {
			if _, known := places[cwd]; !known {
				places[cwd] = a.cfg.Workspace(cwd)
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
func (a *Service) describe(r *UsageRow, known map[string]event.Session, by usage.By) {
	if by.Session {
		s := known[r.SessionID]
		r.Title, r.Gone = s.Title, s.Origin == originGone
	}
	if by.Workspace {
		r.Workspace, _ = a.cfg.Name(r.WorkspaceID)
	}
}

func rowOf(r usage.Row) UsageRow {
	return UsageRow{
		Day: r.Day, SessionID: r.SessionID, WorkspaceID: r.WorkspaceID, Model: r.Model,
		Answers: r.Answers, Tokens: r.Tokens, CostUSD: r.CostUSD, Unpriced: r.Unpriced(),
	}
}

// groupedBy validates a query.
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
			return by, fault.New(fault.Invalid, "groupBy cannot be %q; use day, session, workspace or model.", name)
		}
	}
	for name, day := range map[string]string{"from": p.From, "to": p.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return by, fault.New(fault.Invalid, "Enter a day as YYYY-MM-DD (parameter %s).", name)
		}
	}
	if p.Limit < 0 || p.Limit > maxUsageRows {
		return by, fault.New(fault.Invalid, "limit must be 0 to %d.", maxUsageRows)
	}
	return by, nil
}

// limitsOf are the limits a user set.
func limitsOf(b settings.Budgets) usage.Limits {
	return usage.Limits{DayUSD: b.BudgetDayUSD, MonthUSD: b.BudgetMonthUSD, DayTokens: b.BudgetDayTokens, MonthTokens: b.BudgetMonthTokens}
}
