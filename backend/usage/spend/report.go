package spend

import (
	"slices"

	"parley/backend/event"
	"parley/backend/store/model"
)

// Report is a running total that the CLI reports for a conversation.
type Report struct {
	CLISessionID, CWD string
	// At is the time of the report in Unix milliseconds; 0 is now.
	At int64
	// Totals are the totals of each model.
	Totals []event.ModelTotal
	// ForkedFrom is the conversation whose total this one started with, "" for none.
	ForkedFrom string
	// Saved is true for a total from the conversation's file, false for one
	// that a running CLI reports.
	Saved bool
}

// Reported records a total. Its increase over the last one was spent.
func (l *Ledger) Reported(r Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(r.CLISessionID, r.CWD)
	if a == nil || len(r.Totals) == 0 {
		return
	}
	totals := make([]model.ModelTotal, len(r.Totals))
	for i, t := range r.Totals {
		totals[i] = model.ModelTotal(t)
	}
	base := a.Totals
	switch {
	case r.Saved && base == nil && a.Shared:
		base = totals // it is unknown how much of it belongs to another conversation
	case r.Saved && !grew(base, totals):
		base = totals // an old one
	case base == nil && r.ForkedFrom != "":
		if from := l.sessions[r.ForkedFrom]; from != nil {
			base = from.Saved
		}
	}
	if !r.Saved && !grew(base, totals) {
		// The CLI continued from its last saved total, or restarted the count.
		base = a.Saved
		if !grew(base, totals) {
			base = nil
		}
	}
	if r.Saved {
		a.Saved = totals
	}
	if !r.Saved || grew(a.Totals, totals) {
		a.Totals = totals
	}
	day := l.day(r.At)
	for _, t := range totals {
		before := totalOf(base, t.Model)
		usd, tokens := max(0, t.USD-before.USD), max(0, t.Tokens-before.Tokens)
		if usd > 0 || tokens > 0 {
			row := a.row(day, t.Model)
			row.CostUSD += usd
			row.Priced += tokens
		}
	}
	l.touch(a.CLISessionID)
}

// grew reports whether no model's total went down.
func grew(before, after []model.ModelTotal) bool {
	const least = 1e-12 // sums of floats
	for _, b := range before {
		if totalOf(after, b.Model).USD < b.USD-least {
			return false
		}
	}
	return true
}

func totalOf(totals []model.ModelTotal, name string) model.ModelTotal {
	i := slices.IndexFunc(totals, func(t model.ModelTotal) bool { return t.Model == name })
	if i < 0 {
		return model.ModelTotal{}
	}
	return totals[i]
}
