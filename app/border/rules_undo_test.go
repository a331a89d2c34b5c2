//go:build linux

package border

import (
	"slices"
	"testing"
	"time"

	"parley/app/permissions"
	"parley/backend/demo"
)

// A removed rule is restored as it was, with its expiry; an expired one
// is not.
func TestRuleComesBack(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	made := call[permissions.Rule](p.watcher, "rule.add", m{"effect": "ask", "text": "Bash(git push:*)", "scope": "global", "expiry": "hour", "note": "n"})
	call[m](p.watcher, "rule.remove", m{"id": made.ID})
	again := m{"effect": made.Effect, "text": made.Text, "scope": made.Scope, "expiresAt": made.ExpiresAt, "note": made.Note}
	back := call[permissions.Rule](p.watcher, "rule.add", again)
	if back.ExpiresAt != made.ExpiresAt || back.Text != made.Text || back.Effect != "ask" || back.Note != "n" {
		t.Errorf("came back as %+v, was %+v", back, made)
	}
	again["expiresAt"] = time.Now().Add(-time.Second).UnixMilli()
	p.watcher.refused("rule.add", again, "invalid", "already be expired")
	if list := ours(p); len(list) != 1 || !slices.ContainsFunc(list, func(r permissions.Rule) bool { return r.ID == back.ID }) {
		t.Errorf("the rules: %+v", list)
	}
}
