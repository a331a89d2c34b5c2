package usage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

func TestGroup(t *testing.T) {
	row := func(day, session, workspace, model string, out int64, usd float64) usage.Row {
		return usage.Row{Day: day, SessionID: session, WorkspaceID: workspace, Model: model,
			Answers: 1, Tokens: event.Usage{InputTokens: 10, OutputTokens: out}, CostUSD: usd, Priced: 10 + out}
	}
	rows := []usage.Row{
		row("2026-11-02", "a", "w", "opus", 1, 0.5), row("2026-11-01", "a", "w", "haiku", 2, 0.25), row("2026-11-02", "b", "v", "opus", 40, 1),
	}
	sum := func(r usage.Row, answers, out int64, usd float64) usage.Row {
		r.Answers, r.Tokens, r.CostUSD, r.Priced = answers, event.Usage{InputTokens: 10 * answers, OutputTokens: out}, usd, 10*answers+out
		return r
	}
	tests := []struct {
		name string
		by   usage.By
		want []usage.Row
	}{
		{"everything", usage.By{}, []usage.Row{sum(usage.Row{}, 3, 43, 1.75)}},
		{"days in their order", usage.By{Day: true}, []usage.Row{sum(usage.Row{Day: "2026-11-01"}, 1, 2, 0.25), sum(usage.Row{Day: "2026-11-02"}, 2, 41, 1.5)}},
		{"models, the largest first", usage.By{Model: true}, []usage.Row{sum(usage.Row{Model: "opus"}, 2, 41, 1.5), sum(usage.Row{Model: "haiku"}, 1, 2, 0.25)}},
		{"sessions and workspaces", usage.By{Session: true, Workspace: true}, []usage.Row{
			sum(usage.Row{SessionID: "b", WorkspaceID: "v"}, 1, 40, 1), sum(usage.Row{SessionID: "a", WorkspaceID: "w"}, 2, 3, 0.75),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, usage.Group(rows, tt.by)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
	if got := usage.Group(nil, usage.By{}); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestUnpriced(t *testing.T) {
	for _, tt := range []struct{ tokens, priced, want int64 }{
		{1000, 0, 1000}, {1000, 1000, 0}, {1000, 1200, 0}, {1000, 990, 0}, {1000, 900, 100}, {0, 0, 0}, {1, 0, 1},
	} {
		r := usage.Row{Tokens: event.Usage{InputTokens: tt.tokens}, Priced: tt.priced}
		if got := r.Unpriced(); got != tt.want {
			t.Errorf("%d of %d tokens priced: %d are not, want %d", tt.priced, tt.tokens, got, tt.want)
		}
	}
}

func TestBudgets(t *testing.T) {
	rows := []usage.Row{
		{Day: "2026-10-31", CostUSD: 100, Tokens: event.Usage{InputTokens: 1000}},
		{Day: "2026-11-01", CostUSD: 3, Tokens: event.Usage{CacheReadTokens: 30}},
		{Day: "2026-11-21", CostUSD: 8, Tokens: event.Usage{OutputTokens: 70}},
	}
	got := usage.Budgets(rows, usage.Limits{DayUSD: 10, MonthUSD: 11, MonthTokens: 126}, "2026-11-21")
	want := []usage.Budget{
		{Name: "day-usd", Period: "2026-11-21", Limit: 10, Used: 8},
		{Name: "month-usd", Period: "2026-11", Limit: 11, Used: 11},
		{Name: "month-tokens", Period: "2026-11", Limit: 126, Used: 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("budgets (-want +got):\n%s", diff)
	}
	for i, level := range []int{usage.BudgetNear, usage.BudgetOver, 0} {
		if got[i].Level() != level {
			t.Errorf("%s is at %d, want %d", got[i].Name, got[i].Level(), level)
		}
	}
}
