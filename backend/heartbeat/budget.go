package heartbeat

import (
	"fmt"
	"time"

	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// day returns the day in the user's time zone.
func (s *Service) day(now time.Time) string { return now.In(s.cfg.Zone).Format(time.DateOnly) }

// spent returns a heartbeat's usage today and this month.
func (s *Service) spent(h *model.HeartbeatState, now time.Time) (day, month model.Totals) {
	today := s.day(now)
	if h.Day == today {
		day = h.DaySpent
	}
	if len(h.Day) == len(today) && h.Day[:7] == today[:7] {
		month = h.MonthSpent
	}
	return day, month
}

// spend adds a run's usage.
func (s *Service) spend(h *model.HeartbeatState, b *model.HeartbeatRun, now time.Time) {
	day, month := s.spent(h, now)
	h.Day = s.day(now)
	h.DaySpent, h.MonthSpent = sumSpent(day, b), sumSpent(month, b)
}

func sumSpent(s model.Totals, b *model.HeartbeatRun) model.Totals {
	return model.Totals{Runs: s.Runs + 1, Turns: s.Turns + b.Turns, Tokens: s.Tokens + b.Tokens, CostUSD: s.CostUSD + b.CostUSD}
}

// broke returns which budget a heartbeat has used up, "" for none.
func (s *Service) broke(j *job, now time.Time) string {
	day, month := s.spent(j.heart, now)
	for _, b := range []struct {
		what  string
		limit *plan.Limit
		spent model.Totals
	}{{"day", j.Spec.Budgets.Day, day}, {"month", j.Spec.Budgets.Month, month}} {
		if b.limit == nil {
			continue
		}
		l := *b.limit
		// Reaching the limit counts as used up.
		if l.Turns > 0 && b.spent.Turns >= l.Turns || l.Tokens > 0 && b.spent.Tokens >= l.Tokens || l.USD > 0 && b.spent.CostUSD >= l.USD {
			return fmt.Sprintf("Its budget per %s is used up: %d turns, %d tokens, and $%.2f.", b.what, b.spent.Turns, b.spent.Tokens, b.spent.CostUSD)
		}
	}
	return ""
}

// bound is a limit on a run's usage.
type bound struct {
	// of names the limit, after "at".
	of string
	plan.Limit
}

// bounds returns its budget, and the rest of the daily and monthly ones.
func (s *Service) bounds(j *job, now time.Time) []bound {
	day, month := s.spent(j.heart, now)
	b := j.Spec.Budgets
	var all []bound
	for _, one := range []bound{
		{"its budget for a run", limitOf(b.Run)},
		{"what was left of its budget for a day", left(limitOf(b.Day), day)},
		{"what was left of its budget for a month", left(limitOf(b.Month), month)},
	} {
		if one.Limit != (plan.Limit{}) {
			all = append(all, one)
		}
	}
	return all
}

func limitOf(l *plan.Limit) plan.Limit {
	if l == nil {
		return plan.Limit{}
	}
	return *l
}

// left returns the remaining budget. It is never zero, which would mean unlimited: a
// heartbeat with a used-up budget doesn't get here.
func left(l plan.Limit, spent model.Totals) plan.Limit {
	if l.Turns > 0 {
		l.Turns = max(1, l.Turns-spent.Turns)
	}
	if l.Tokens > 0 {
		l.Tokens = max(1, l.Tokens-spent.Tokens)
	}
	if l.USD > 0 {
		const least = 0.0001
		l.USD = max(least, l.USD-spent.CostUSD)
	}
	return l
}

// dollars returns the smallest dollar limit, 0 for none.
func dollars(bounds []bound) float64 {
	least := 0.0
	for _, b := range bounds {
		if b.USD > 0 && (least == 0 || b.USD < least) {
			least = b.USD
		}
	}
	return least
}

// rate returns the recent cost of a token in dollars: this heartbeat's, or else any's;
// 0 if unknown.
func (s *Service) rate(h *model.HeartbeatState) float64 {
	spent := h.MonthSpent
	if spent.Tokens == 0 {
		for _, other := range s.hearts {
			spent = add(spent, other.MonthSpent)
		}
	}
	if spent.Tokens == 0 {
		return 0
	}
	return spent.CostUSD / float64(spent.Tokens)
}

// judged counts failures, and stops a heartbeat that must not continue. It reports
// whether it did.
func (s *Service) judged(h *model.HeartbeatState, b *model.HeartbeatRun) bool {
	switch b.State {
	case "finished":
		h.Failures = 0
	case "failed":
		h.Failures++
		switch {
		case h.Stopped:
		case b.Code == "auth":
			h.Stopped, h.Why = true, "Turned off automatically, because the account was rejected: "+b.Reason
			return true
		case h.Failures >= MaxFailures:
			h.Stopped, h.Why = true, fmt.Sprintf("Turned off automatically after %d failures in a row. Last error: %s", h.Failures, b.Reason)
			return true
		}
	}
	return false
}
