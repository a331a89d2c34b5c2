package permissions

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/backend/choice"
	"parley/backend/permission"
	"parley/backend/permission/audit"
	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
)

// guard allows a tool call that no rule matches and that looks harmless, if the session's
// auto-approve setting says so; nil leaves it to users. It allows nothing that matches an ask or
// deny rule, that could not be parsed, or about which the CLI asks for a reason of its own.
func (j *judge) guard(ctx context.Context, q permission.Request, v rule.Verdict, found guard.Risk) *permission.Decision {
	kind, mode := j.guarded(q.SessionID)
	if !passes(q, v, kind, mode) {
		return nil
	}
	if found.Level == guard.Low {
		const why = "Only reads files, or changes files in the session's folder that are not run automatically."
		j.stats.passed(q, permission.ByGuard, why)
		return &permission.Decision{Outcome: permission.OutcomeAllow, By: permission.ByGuard, Why: why}
	}
	if kind != choice.GuardReviewed || !reviewable(found) {
		return nil
	}
	said, err := j.review(ctx, q)
	switch {
	case err != nil:
		j.stats.count(q.SessionID, func(c *guardCounts) { c.failed++ })
		return nil
	case !said.Harmless:
		j.stats.count(q.SessionID, func(c *guardCounts) { c.refused++ })
		return nil
	}
	// A review takes seconds: decisions made since then take precedence.
	if kind, mode := j.guarded(q.SessionID); kind != choice.GuardReviewed || !passes(q, j.verdict(q), kind, mode) {
		return nil
	}
	j.stats.passed(q, permission.ByReviewer, said.Why)
	return &permission.Decision{Outcome: permission.OutcomeAllow, By: permission.ByReviewer, Why: said.Why}
}

// passes reports whether auto-approve may allow something at all.
func passes(q permission.Request, v rule.Verdict, guard, mode string) bool {
	switch {
	case guard != choice.GuardStatic && guard != choice.GuardReviewed,
		mode != "" && mode != "default" && mode != "acceptEdits",
		v.Effect != rule.Ask, v.Ruled(), v.Unclear:
		return false
	}
	return !q.NoRemember && !q.DefaultToNo && !q.Weighty && q.BlockedPath == ""
}

// reviewable reports whether a small model may be asked: about unknown things, never about known
// dangers.
func reviewable(found guard.Risk) bool {
	return found.Level == guard.Medium && !slices.ContainsFunc(found.Kinds, func(k guard.Kind) bool {
		return k != guard.Code && k != guard.Unclear && k != guard.Outside
	})
}

// tally counts auto-approved calls. It is safe for concurrent use.
type tally struct {
	mu sync.Mutex
	// sessions has the counts of the last maxCounted sessions, order their ids.
	sessions map[string]*guardCounts
	order    []string
	total    guardCounts
	recent   []GuardPass // oldest first
}

type guardCounts struct{ passed, reviewed, refused, failed int }

const (
	maxCounted = 1000
	maxPasses  = 100
)

// newTally starts at 0.
func newTally() *tally { return &tally{sessions: map[string]*guardCounts{}} }

func (s *tally) count(sessionID string, add func(*guardCounts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countLocked(sessionID, add)
}

func (s *tally) countLocked(sessionID string, add func(*guardCounts)) {
	c, ok := s.sessions[sessionID]
	if !ok {
		if len(s.order) == maxCounted {
			delete(s.sessions, s.order[0])
			s.order = slices.Delete(s.order, 0, 1)
		}
		c = &guardCounts{}
		s.sessions[sessionID], s.order = c, append(s.order, sessionID)
	}
	add(c)
	add(&s.total)
}

// passed records an allowed call.
func (s *tally) passed(q permission.Request, by, why string) {
	pass := GuardPass{
		At: time.Now().UnixMilli(), SessionID: q.SessionID, RequestID: q.RequestID, Tool: q.ToolName, Summary: audit.Summary(q.Input), By: by, Why: why,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countLocked(q.SessionID, func(c *guardCounts) {
		if by == permission.ByReviewer {
			c.reviewed++
		} else {
			c.passed++
		}
	})
	if len(s.recent) == maxPasses {
		s.recent = slices.Delete(s.recent, 0, 1)
	}
	s.recent = append(s.recent, pass)
}

// of are the counts of a session, or of all for "".
func (s *tally) of(sessionID string) GuardStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.total
	if sessionID != "" {
		c = guardCounts{}
		if own := s.sessions[sessionID]; own != nil {
			c = *own
		}
	}
	stats := GuardStats{Passed: c.passed, Reviewed: c.reviewed, Refused: c.refused, Failed: c.failed, Recent: []GuardPass{}}
	for _, p := range slices.Backward(s.recent) {
		if sessionID == "" || p.SessionID == sessionID {
			stats.Recent = append(stats.Recent, p)
		}
	}
	return stats
}

// Opinion is a small model's verdict on a tool call.
type Opinion struct {
	Harmless bool
	Why      string
}
