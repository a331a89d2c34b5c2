//go:build linux

package border

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app/audit"
	"parley/app/permissions"
	"parley/backend/demo"
	"parley/backend/event"
)

// A user answers once with a rule that they narrow, and is not asked again for what
// it matches; a denied call does not run, whatever they answer.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, engine := range anEngine(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewQueue(
				demo.Answer(bash("mkdir one")), demo.Answer(bash("mkdir two")), demo.Answer(bash("touch three")), demo.Say("I see."),
				demo.Answer(bash("mkdir four; touch five")), demo.Say("I see."),
				demo.Answer(bash("touch six")), demo.Say("I see.")))
			s := p.openWith(m{"engine": engine})
			p.watcher.subscribe("*")
			turn := s.prompt("make them")
			q := s.question()
			if len(q.Offers) < 2 || q.Verdict == nil || q.Verdict.Effect != "ask" || q.Decided != "" {
				t.Fatalf("the question: %+v", q.Question)
			}
			wide := slices.IndexFunc(q.Offers, func(o event.RuleOffer) bool { return slices.Contains(o.Rules, "Bash(mkdir:*)") })
			choice := m{"offer": wide, "texts": []string{"Bash(mkdir:*)"}, "scope": "workspace", "expiry": "hour"}
			call[permissions.RulePreview](s.c, "rule.preview", m{"requestId": q.RequestID, "rule": choice})
			s.c.refused("permission.respond", m{"requestId": q.RequestID, "behavior": "allow",
				"rule": m{"offer": wide, "texts": []string{"Bash"}, "scope": "workspace"}}, "invalid", "would allow more")
			got := call[permissions.PermissionRespondResult](s.c, "permission.respond", m{"requestId": q.RequestID, "behavior": "allow", "rule": choice})
			if !got.Won || len(got.Rules) != 1 || got.Rules[0].Text != "Bash(mkdir:*)" || got.Rules[0].ExpiresAt == 0 || got.Warning != "" {
				t.Fatalf("the answer: %+v", got)
			}
			if made := s.resolved(q); !slices.Equal(made.Made, []string{"Bash(mkdir:*)"}) || made.AnsweredAt == 0 {
				t.Errorf("resolved %+v", made)
			}
			second := s.question()
			if end := s.resolved(second); end.By != "rule" || end.Outcome != "allow" || !slices.Equal(end.Rules, []string{"Bash(mkdir:*)"}) || second.Decided != "rule" {
				t.Errorf("the second: %+v", end)
			}
			third := s.question()
			s.answer(third, m{"behavior": "deny"})
			s.done(turn, "completed")
			if !s.exists("one") || !s.exists("two") || s.exists("three") {
				t.Error("what ran is not what was allowed")
			}

			// A deny rule is stronger, and applies to every part of a command.
			deny := call[permissions.Rule](s.c, "rule.add", m{"effect": "deny", "text": "Bash(touch:*)", "scope": "session", "scopeId": s.id})
			turn = s.prompt("more")
			q = s.question()
			if end := s.resolved(q); end.By != "rule" || end.Outcome != "deny" || !slices.Equal(end.Rules, []string{"Bash(touch:*)"}) {
				t.Errorf("the forbidden: %+v", end)
			}
			s.done(turn, "completed")
			if s.exists("four") || s.exists("five") {
				t.Error("what was forbidden ran")
			}
			test := call[permissions.RuleTest](s.c, "rule.test", m{"sessionId": s.id, "tool": "Bash", "input": m{"command": "mkdir x && touch y"}})
			if test.Outcome != "deny" || test.By != "rule" || len(test.Verdict.Parts) != 2 {
				t.Errorf("the test: %+v", test)
			}
			list := call[permissions.RuleList](s.c, "rule.list", m{"sessionId": s.id})
			if len(list.Rules) < 2 || list.Rules[0].ID != deny.ID || list.Rules[0].Uses != 1 || list.CLI.Source != "process" {
				t.Errorf("the rules: %+v", list)
			}

			// An open question is answered by a new rule; an edit cannot
			// circumvent a deny rule.
			call[m](s.c, "rule.remove", m{"id": deny.ID})
			turn = s.prompt("and more")
			q = s.question()
			call[permissions.Rule](s.c, "rule.add", m{"effect": "deny", "text": "Bash(rm:*)", "scope": "global"})
			s.c.refused("permission.respond", m{"requestId": q.RequestID, "behavior": "allow", "updatedInput": m{"command": "rm -r one"}}, "invalid", "Bash(rm:*)")
			s.c.refused("permission.respond", m{"requestId": q.RequestID, "behavior": "allow", "updatedInput": m{"command": "ls", "colour": 1}}, "invalid", "colour")
			call[permissions.Rule](s.c, "rule.add", m{"effect": "allow", "text": "Bash(touch six)", "scope": "session", "scopeId": s.id})
			if end := s.resolved(q); end.By != "rule" || end.Outcome != "allow" {
				t.Errorf("the open question: %+v", end)
			}
			s.done(turn, "completed")

			// Rules outlive Parley; a session's rules end with it.
			p.terminate()
			p.again()
			if n := len(ours(p)); n != 3 {
				t.Errorf("%d rules after a restart", n)
			}
			again := &conversation{p: p, c: p.watcher, id: s.id, dir: s.dir}
			call[m](again.c, "session.reopen", m{"sessionId": s.id})
			call[m](again.c, "session.prompt", m{"sessionId": s.id, "text": "hello"})
			call[m](again.c, "session.close", m{"sessionId": s.id})
			poll(t, "the session's rules are gone", func() bool {
				return !slices.ContainsFunc(ours(p), func(r permissions.Rule) bool { return r.Scope == "session" })
			})
			copied := call[permissions.RuleCopied](p.watcher, "rule.copyToCli", m{"id": ours(p)[0].ID, "destination": "local", "cwd": s.dir})
			data, err := os.ReadFile(filepath.Join(s.dir, ".claude", "settings.local.json"))
			if err != nil || !copied.Changed || !strings.Contains(string(data), ours(p)[0].Text) {
				t.Errorf("copied %+v: %s, %v", copied, data, err)
			}
			if report := call[audit.AuditReport](p.watcher, "audit.verify", m{}); !report.OK {
				t.Errorf("the audit log: %+v", report)
			}
		})
	}
}

// ours are the user's rules.
func ours(p *parley) []permissions.Rule {
	return slices.DeleteFunc(call[permissions.RuleList](p.watcher, "rule.list", m{}).Rules, func(r permissions.Rule) bool { return r.Source != "person" })
}
