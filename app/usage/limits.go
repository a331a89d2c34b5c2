package usage

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"parley/app/feature"
	"parley/backend/claude/wire"
)

// limits has the used fields of the CLI's answer to get_usage.
type limits struct {
	Limits *struct {
		Session *window `json:"five_hour"`
		Week    *window `json:"seven_day"`
		Sonnet  *window `json:"seven_day_sonnet"`
		Opus    *window `json:"seven_day_opus"`
		Extra   *struct {
			Enabled bool     `json:"is_enabled"`
			Percent *float64 `json:"utilization"`
		} `json:"extra_usage"`
	} `json:"rate_limits"`
}

// window is an allowance for a period. Percent is nil if unknown.
type window struct {
	Percent  *float64   `json:"utilization"`
	ResetsAt *time.Time `json:"resets_at"`
}

// maxAsked is how many CLIs are asked: those of a profile usually have the same account.
const maxAsked = 3

// restAsked is how long an answer is cached. The CLI queries its service each time.
const restAsked = 10 * time.Second

// maxAccounts bounds the cache; beyond it, entries are queried again.
const maxAccounts = 100

// PlanLimits are the limits of a session's subscription: what a running CLI reports, or the last
// report, with its time. Windows that have ended since are left out.
func (a *Service) PlanLimits(ctx context.Context, p feature.SessionRef) (PlanLimits, error) {
	of, err := a.cfg.Get(ctx, p.SessionID)
	if err != nil {
		return PlanLimits{}, err
	}
	a.mu.Lock()
	last := a.told[of.Profile]
	a.mu.Unlock()
	if now := a.now(); last.At == 0 || now.Sub(time.UnixMilli(last.At)) >= restAsked {
		if list := a.Allowances(ctx, p.SessionID); len(list) > 0 {
			last = PlanLimits{Limits: list, At: now.UnixMilli()}
			a.mu.Lock()
			if len(a.told) >= maxAccounts {
				clear(a.told)
			}
			a.told[of.Profile] = last
			a.mu.Unlock()
		}
	}
	ended := func(l Allowance) bool { return l.ResetsAt > 0 && l.ResetsAt <= a.now().UnixMilli() }
	last.Limits = slices.DeleteFunc(feature.List(slices.Clone(last.Limits)), ended)
	return last, nil
}

// Allowances are the limits of the subscription as reported by a running CLI: the session's, or
// another one with the same profile. There are none if no CLI is running, or none knows.
func (a *Service) Allowances(ctx context.Context, sessionID string) []Allowance {
	a.mu.Lock()
	ids := slices.Sorted(maps.Keys(a.live))
	a.mu.Unlock()
	if at := slices.Index(ids, sessionID); at >= 0 {
		ids = slices.Insert(slices.Delete(ids, at, at+1), 0, sessionID)
	}
	of, err := a.cfg.Get(ctx, sessionID)
	known := err == nil
	asked := 0
	for _, id := range ids {
		if s, err := a.cfg.Get(ctx, id); err != nil || s.PID == 0 || s.Scripted || known && s.Profile != of.Profile {
			continue
		}
		if asked++; asked > maxAsked {
			break
		}
		raw, err := a.cfg.Control(ctx, id, wire.GetUsage())
		if err != nil {
			continue
		}
		if list := readAllowances(raw); len(list) > 0 {
			return list
		}
	}
	return nil
}

// readAllowances parses a CLI's report. Unknown values are left out.
func readAllowances(raw []byte) []Allowance {
	var u limits
	if json.Unmarshal(raw, &u) != nil || u.Limits == nil {
		return nil
	}
	var list []Allowance
	for _, w := range []struct {
		name string
		is   *window
	}{{"Session", u.Limits.Session}, {"Week", u.Limits.Week}, {"Sonnet", u.Limits.Sonnet}, {"Opus", u.Limits.Opus}} {
		if w.is == nil || w.is.Percent == nil {
			continue
		}
		one := Allowance{Name: w.name, Percent: *w.is.Percent}
		if w.is.ResetsAt != nil {
			one.ResetsAt = w.is.ResetsAt.UnixMilli()
		}
		list = append(list, one)
	}
	if e := u.Limits.Extra; e != nil && e.Enabled && e.Percent != nil {
		list = append(list, Allowance{Name: "Extra", Percent: *e.Percent})
	}
	return list
}
