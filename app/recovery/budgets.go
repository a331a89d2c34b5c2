package recovery

import (
	"context"
	"encoding/json"

	"parley/backend/permission/audit"
	"parley/backend/settings"
)

// budgeted are budgets as recorded in the log. Its names do not look like those of secrets, which
// the log would mask.
type budgeted struct {
	DayUSD     float64 `json:"dayUSD"`
	MonthUSD   float64 `json:"monthUSD"`
	DayUnits   int64   `json:"dayUnits"`
	MonthUnits int64   `json:"monthUnits"`
}

// budgetsNote is the key of the budgets recorded last.
const budgetsNote = "budgets"

// NoteBudgets records the user's budgets where they survive the loss of the store.
func (s *Service) NoteBudgets(by string, b settings.Budgets) {
	raw, err := json.Marshal(budgeted{b.BudgetDayUSD, b.BudgetMonthUSD, b.BudgetDayTokens, b.BudgetMonthTokens})
	if err != nil {
		return // plain fields
	}
	if text, known := s.Kept.Noted(budgetsNote); known && text == string(raw) || !known && b == (settings.Budgets{}) {
		return
	}
	if s.Trail.Append(audit.Record{Type: audit.Budgeted, By: by, Message: string(raw)}) != nil {
		return // retried with the next change, and at the next start
	}
	if err := s.Kept.Note(budgetsNote, string(raw)); err != nil {
		s.cfg.Log.Warn("Couldn't note that the budgets are in the audit log", "err", err)
	}
}

// lastBudgets applies the last known budgets while the store is in doubt.
func (s *Service) lastBudgets() error {
	var last settings.Budgets
	found, _, err := s.Trail.List(context.Background(), audit.Filter{Type: audit.Budgeted}, 0, 1)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		var b budgeted
		err = json.Unmarshal([]byte(found[0].Message), &b)
		last = settings.Budgets{BudgetDayUSD: b.DayUSD, BudgetMonthUSD: b.MonthUSD, BudgetDayTokens: b.DayUnits, BudgetMonthTokens: b.MonthUnits}
	} else {
		err = json.Unmarshal([]byte(s.Kept.Last("settings")), &last)
	}
	if err != nil || last == (settings.Budgets{}) {
		return nil //nolint:nilerr // none are known
	}
	raw, err := json.Marshal(last)
	if err != nil {
		return err
	}
	s.Kept.Floor("settings", string(raw))
	return nil
}
