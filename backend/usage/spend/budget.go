package spend

import (
	"parley/backend/owner"
	"parley/backend/store/model"
	"parley/backend/usage"
)

// Budgets returns how much of the limits is used now.
func (l *Ledger) Budgets(limits usage.Limits) []usage.Budget {
	today := l.Today()
	var rows []usage.Row
	if limits != (usage.Limits{}) {
		l.Rows(func(r usage.Row, _ string) { rows = append(rows, r) })
	}
	return usage.Budgets(rows, limits, today)
}

// Warnings returns the budgets that have reached a level not yet reported in their
// period, and marks them as reported. A changed limit
// counts as a new one.
func (l *Ledger) Warnings(budgets []usage.Budget) []usage.Budget {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []usage.Budget
	for _, b := range budgets {
		level := b.Level()
		w := l.warned[b.Name]
		if w.Period == b.Period && w.Limit == b.Limit && w.Percent >= level || level == 0 {
			continue
		}
		w = model.BudgetWarning{Budget: b.Name, Period: b.Period, Percent: level, Limit: b.Limit}
		l.warned[b.Name] = w
		l.unwarned[b.Name] = w
		owner.Wake(l.wake)
		list = append(list, b)
	}
	return list
}
