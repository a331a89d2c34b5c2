package spend

import (
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/usage"
)

func totals(usd float64, tokens int64) []event.ModelTotal {
	return []event.ModelTotal{{Model: "opus", USD: usd, Tokens: tokens}}
}

func TestCostIsWhatTotalsGrowBy(t *testing.T) {
	live := func(id string, usd float64) Report {
		return Report{CLISessionID: id, Totals: totals(usd, int64(usd*1000))}
	}
	saved := func(id string, usd float64) Report {
		r := live(id, usd)
		r.Saved = true
		return r
	}
	forked := func(id, from string, usd float64) Report {
		r := live(id, usd)
		r.ForkedFrom = from
		return r
	}
	tests := []struct {
		name    string
		reports []Report
		copied  string // a conversation that starts with answers of another one
		want    float64
	}{
		{name: "turn by turn", reports: []Report{live("a", 1), live("a", 1.5), live("a", 1.5)}, want: 1.5},
		{name: "the file says the same again", reports: []Report{live("a", 1), saved("a", 1), live("a", 2), saved("a", 2)}, want: 2},
		{name: "the file knows of work after the last turn", reports: []Report{live("a", 1), saved("a", 1.25)}, want: 1.25},
		{name: "a file that is read again from the beginning", reports: []Report{saved("a", 1), saved("a", 3), saved("a", 1), saved("a", 3)}, want: 3},
		{name: "what was begun in a terminal goes on here", reports: []Report{saved("a", 4), live("a", 5)}, want: 5},
		{name: "a CLI that was killed goes on from what it had saved", reports: []Report{live("a", 1), saved("a", 1), live("a", 3), live("a", 1.5)}, want: 3.5},
		{name: "a CLI that was killed before it saved anything", reports: []Report{live("a", 3), live("a", 0.5)}, want: 3.5},
		{name: "a fork begins with the other one's total", reports: []Report{live("a", 4), saved("a", 4), forked("b", "a", 5)}, want: 5},
		{name: "a fork of what has no total", reports: []Report{live("a", 4), forked("b", "a", 1)}, want: 5},
		{name: "a file that was copied from another", reports: []Report{saved("a", 4), saved("b", 5), saved("b", 6)}, copied: "b", want: 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory()
			l := open(t, m)
			if tt.copied != "" {
				tell(t, l, "x", answer(1, 0, 5))
				tell(t, l, tt.copied, answer(1, 0, 5))
			}
			for _, r := range tt.reports {
				l.Reported(r)
				flush(t, l)
				l = open(t, m)
			}
			got := rows(l, usage.By{})[0]
			if math.Abs(got.CostUSD-tt.want) > 1e-9 {
				t.Errorf("cost = %v, want %v", got.CostUSD, tt.want)
			}
			if got.Priced != int64(tt.want*1000) {
				t.Errorf("it stands for %d tokens, want %v", got.Priced, tt.want*1000)
			}
		})
	}
}

func TestBudgetsAreToldOfOnceInAPeriod(t *testing.T) {
	m := newMemory()
	l := open(t, m)
	limits := usage.Limits{DayUSD: 10, MonthTokens: 1000}
	reached := func() (list []string) {
		for _, b := range l.Warnings(l.Budgets(limits)) {
			list = append(list, b.Name+" "+b.Period+" "+map[int]string{80: "near", 100: "over"}[b.Level()])
		}
		return list
	}
	spend := func(usd float64) { l.Reported(Report{CLISessionID: "a", Totals: totals(usd, 0)}) }
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing yet", func() { spend(7.9) }, nil},
		{"near", func() { spend(8) }, []string{"day-usd 2026-11-21 near"}},
		{"still near", func() { spend(9) }, nil},
		{"after a start", func() { flush(t, l); l = open(t, m) }, nil},
		{"over", func() { spend(10) }, []string{"day-usd 2026-11-21 over"}},
		{"more", func() { spend(50) }, nil},
		{"another limit", func() { limits.DayUSD = 60 }, []string{"day-usd 2026-11-21 near"}},
		{"straight over", func() { tell(t, l, "a", answer(1, -3, 5000)) }, []string{"month-tokens 2026-11 over"}},
		{"last month does not count", func() { limits.MonthTokens = 6000; tell(t, l, "a", answer(2, -30, 5000)) }, []string{"month-tokens 2026-11 near"}},
		{"the next day", func() { l.cfg.Now = func() time.Time { return noon().AddDate(0, 0, 1) }; spend(109) }, []string{"day-usd 2026-11-22 near"}},
	}
	for _, step := range steps {
		step.do()
		if diff := cmp.Diff(step.want, reached()); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestWritesALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		l := open(t, m)
		var told atomic.Int32
		l.cfg.Changed = func() { told.Add(1) }
		l.Start()
		tell(t, l, "a", answer(1, 0, 5))
		time.Sleep(writeAfter / 2)
		synctest.Wait()
		if m.accounts() != 0 {
			t.Error("written at once")
		}
		time.Sleep(writeAfter)
		synctest.Wait()
		if m.accounts() != 1 || told.Load() != 1 {
			t.Errorf("%d accounts written, told %d times", m.accounts(), told.Load())
		}
		tell(t, l, "b", answer(2, 0, 5))
		if err := l.Close(); err != nil || m.accounts() != 2 {
			t.Errorf("closed with %d accounts: %v", m.accounts(), err)
		}
	})
}
