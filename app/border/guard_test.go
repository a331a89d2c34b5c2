//go:build linux

package border

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/audit"
	"parley/app/permissions"
	"parley/backend/demo"
)

// Safe calls are allowed if the session's guard says so, except those that match a
// rule, Parley's or the CLI's. Calls that the tables do not know may be reviewed.
func TestGuard(t *testing.T) {
	t.Parallel()
	for _, engine := range anEngine(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			script := demo.NewQueue(
				demo.Use("Write", m{"file_path": "note.txt", "content": "x"}), demo.Answer(bash("rm -r note.txt")), demo.Say("I see."),
				demo.Use("Write", m{"file_path": "secret.txt", "content": "x"}), demo.Say("I see."),
				demo.Answer(bash("./unknown.sh now")), demo.Answer(bash("./unknown.sh later")), demo.Say("I see."))
			p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
				switch {
				case strings.Contains(wholeText(r), "unknown.sh now") && strings.Contains(wholeText(r), "DATA-") && len(r.Results) == 0:
					return demo.Say(`{"harmless":true,"why":"It only says the time."}`)
				case strings.Contains(wholeText(r), "DATA-") && len(r.Results) == 0:
					return demo.Say("Sure, why not? {\"harmless\":true}")
				}
				return script.Reply(r)
			}))
			config := p.path("home", ".claude")
			if err := os.MkdirAll(config, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"permissions":{"ask":["Edit(**/secret.txt)"]}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			s := p.openWith(m{"engine": engine, "guard": "static"})
			s.write("unknown.sh", "#!/bin/sh\ntouch ran-$1\n")
			if err := os.Chmod(filepath.Join(s.dir, "unknown.sh"), 0o700); err != nil {
				t.Fatal(err)
			}
			turn := s.prompt("write")
			passed := s.question()
			if end := s.resolved(passed); end.By != "guard" || end.Outcome != "allow" || end.Why == "" || passed.Decided != "guard" {
				t.Errorf("what is harmless: %+v", end)
			}
			s.answer(s.question(), m{"behavior": "deny"})
			s.done(turn, "completed")
			if !s.exists("note.txt") {
				t.Error("what may pass did not run, or what may not did")
			}
			// The CLI's own rule requires a question.
			turn = s.prompt("write the secret")
			s.answer(s.question(), m{"behavior": "deny"})
			s.done(turn, "completed")

			call[m](s.c, "session.setPermissionMode", m{"sessionId": s.id, "mode": "default", "guard": "reviewed"})
			if got := s.record().Guard; got != "reviewed" {
				t.Errorf("guard %q", got)
			}
			turn = s.prompt("run the unknown")
			now := s.question()
			if now.Decided == "" {
				// On a busy machine a review may take too long: then the user is asked.
				s.answer(now, m{"behavior": "allow"})
			} else if end := s.resolved(now); end.By != "reviewer" || end.Why != "It only says the time." {
				t.Errorf("what was reviewed: %+v", end)
			}
			s.answer(s.question(), m{"behavior": "deny"})
			s.done(turn, "completed")
			if s.exists("ran-later") {
				t.Error("what was not understood ran")
			}
			stats := call[permissions.GuardStats](s.c, "autoApprove.stats", m{"sessionId": s.id})
			if stats.Passed != 1 || stats.Reviewed+stats.Failed != 2 || len(stats.Recent) != stats.Passed+stats.Reviewed {
				t.Errorf("the counts: %+v", stats)
			}
			if page := call[audit.AuditPage](s.c, "audit.list", m{"by": "guard"}); len(page.Records) != 1 || page.Records[0].Why == "" || page.Records[0].Outcome != "allow" {
				t.Errorf("the audit log: %+v", page)
			}
			t.Logf("reviewed %d, failed %d", stats.Reviewed, stats.Failed)
		})
	}
}
