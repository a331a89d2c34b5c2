//go:build linux

package border

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/audit"
	"parley/backend/demo"
)

// Every request is recorded with its outcome and who answered, with either engine,
// and changes of the record are detected.
func TestAudit(t *testing.T) {
	t.Parallel()
	for _, engine := range anEngine(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewRules().
				When(demo.Contains("allow"), demo.Answer(bash("touch made; echo TOKEN=hunter22")), demo.Say("I see.")).
				When(demo.Contains("deny"), demo.Answer(bash("touch denied")), demo.Say("I see.")).
				When(demo.Contains("open"), demo.Answer(bash("touch never")), demo.Say("I see.")))
			s := p.openWith(m{"engine": engine})

			first := s.prompt("allow")
			yes := s.question()
			s.answer(yes, m{"behavior": "allow", "updatedInput": m{"command": "touch edited"}})
			s.done(first, "completed")
			other := p.dial()
			other.subscribe("session.*")
			second := s.prompt("deny")
			no := s.question()
			if !other.respond(no, m{"behavior": "deny", "message": "not on my watch"}) {
				t.Fatal("someone else answered")
			}
			s.done(second, "completed")

			records := call[audit.AuditPage](s.c, "audit.list", m{"sessionId": s.id}).Records
			if len(records) != 2 {
				t.Fatalf("%d records: %+v", len(records), records)
			}
			denied, allowed := records[0], records[1]
			for _, r := range records {
				if r.Type != "ended" || r.By != "gateway" || len(r.Connection) != 8 || r.Tool != "Bash" || r.Kind != "tool" || r.SessionID != s.id || r.At == 0 {
					t.Errorf("record %+v", r)
				}
			}
			if allowed.Outcome != "allow" || allowed.RequestID != yes.RequestID || allowed.TurnID != first || allowed.InputSHA256 != sum(yes.Input) ||
				allowed.EditedSHA256 != sum([]byte(`{"command":"touch edited"}`)) || allowed.Summary != "touch made; echo TOKEN=•••" {
				t.Errorf("allowed: %+v", allowed)
			}
			if denied.Outcome != "deny" || denied.RequestID != no.RequestID || denied.TurnID != second || denied.InputSHA256 != sum(no.Input) ||
				denied.EditedSHA256 != "" || denied.Message != "not on my watch" || denied.Connection == allowed.Connection {
				t.Errorf("denied: %+v", denied)
			}
			if page := call[audit.AuditPage](s.c, "audit.list", m{"outcome": "deny"}); len(page.Records) != 1 || page.Records[0].RequestID != no.RequestID {
				t.Errorf("denied only: %+v", page)
			}
			export := call[audit.AuditExport](s.c, "audit.export", m{})
			if strings.Count(export.Text, "\n") != 4 || export.Next != 0 || strings.Contains(export.Text, "hunter22") {
				t.Errorf("export: %+v", export)
			}
			if report := call[audit.AuditReport](s.c, "audit.verify", m{}); !report.OK || report.Records != 4 || report.Files != 1 {
				t.Errorf("report: %+v", report)
			}

			// Parley is killed with an open question.
			s.prompt("open")
			lost := s.question()
			p.kill()
			p.nothingLeft()
			p.again()
			page := call[audit.AuditPage](p.watcher, "audit.list", m{"limit": 1})
			if len(page.Records) != 1 || page.Next == 0 || page.Records[0].Outcome != "lost" || page.Records[0].RequestID != lost.RequestID {
				t.Errorf("after the crash: %+v", page)
			}
			if report := call[audit.AuditReport](p.watcher, "audit.verify", m{}); !report.OK || report.Records != 6 {
				t.Errorf("after the crash: %+v", report)
			}

			if out, err := exec.Command(program, "audit", "verify", "--data", p.path("data")).Output(); err != nil || !strings.Contains(string(out), "Records: 6") {
				t.Errorf("the command beside a Parley that runs: %s, %v", out, err)
			}

			// An answer is changed by hand.
			files, err := filepath.Glob(p.path("data", "audit", "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], []byte(strings.Replace(string(data), `"outcome":"deny"`, `"outcome":"allow"`, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if report := call[audit.AuditReport](p.watcher, "audit.verify", m{}); report.OK || !strings.Contains(report.Problem, "line 4") {
				t.Errorf("after the change: %+v", report)
			}
		})
	}
}

func sum(input json.RawMessage) string {
	s := sha256.Sum256(input)
	return hex.EncodeToString(s[:])
}
