package audit

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/audit"
)

func newAudits(t *testing.T) *Service {
	t.Helper()
	log, err := audit.Open(audit.Config{Dir: filepath.Join(t.TempDir(), "audit"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Config{Log: log, Unrecorded: func() bool { return false }})
}

// Every outcome of a request is recorded distinctly, including who decided it.
func TestAuditOfEveryEnd(t *testing.T) {
	input := json.RawMessage(`{"command":"ls"}`)
	suggestion := json.RawMessage(`{"type":"addRules"}`)
	yes := permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: input, By: "window"}
	tests := []struct {
		name     string
		decision func(d permission.Decision) permission.Decision
		want     AuditRecord
	}{
		{"allow", func(d permission.Decision) permission.Decision { return d }, AuditRecord{Outcome: "allow", By: "window"}},
		{"allow an edit", func(d permission.Decision) permission.Decision {
			d.UpdatedInput = json.RawMessage(`{"command":"pwd"}`)
			return d
		}, AuditRecord{Outcome: "allow", By: "window", EditedSHA256: audit.HashInput(json.RawMessage(`{"command":"pwd"}`))}},
		{"allow and remember", func(d permission.Decision) permission.Decision {
			d.By, d.Connection, d.Remembered, d.Permissions = "gateway", "c1", true, []json.RawMessage{suggestion}
			return d
		}, AuditRecord{Outcome: "allow", By: "gateway", Connection: "c1", Remembered: []string{
			"the tool with this input, for the session", `for the session: {"type":"addRules"}`}}},
		{"rule", func(d permission.Decision) permission.Decision { d.By = permission.ByRule; return d }, AuditRecord{Outcome: "remembered", By: "rule"}},
		{"deny", func(permission.Decision) permission.Decision {
			return permission.Decision{Outcome: permission.OutcomeDeny, By: "window", Message: "no"}
		}, AuditRecord{Outcome: "deny", By: "window", Message: "no"}},
		{"no room", func(permission.Decision) permission.Decision {
			return permission.Decision{Outcome: permission.OutcomeDeny, Message: "too many"}
		}, AuditRecord{Outcome: "deny", By: "parley", Message: "too many"}},
		{"expired", func(permission.Decision) permission.Decision {
			return permission.Decision{Outcome: permission.OutcomeExpired, Message: "late"}
		}, AuditRecord{Outcome: "expired", By: "timeout", Message: "late"}},
		{"withdrawn", func(permission.Decision) permission.Decision {
			return permission.Decision{Outcome: permission.OutcomeWithdrawn, Message: "gone"}
		}, AuditRecord{Outcome: "withdrawn", By: "cli", Message: "gone"}},
	}
	a := newAudits(t)
	for _, tt := range tests {
		q := permission.Request{SessionID: "s", TurnID: "t", Question: event.Question{RequestID: tt.name, ToolName: "Bash", Kind: "tool", Input: input}}
		if err := a.Record(q)(tt.decision(yes)); err != nil {
			t.Fatal(err)
		}
		page, err := a.List(t.Context(), AuditListParams{Limit: 1})
		if err != nil || len(page.Records) != 1 {
			t.Fatalf("%s: %+v %v", tt.name, page, err)
		}
		want := tt.want
		want.Type, want.SessionID, want.TurnID, want.RequestID, want.Tool, want.Kind = "ended", "s", "t", tt.name, "Bash", "tool"
		want.InputSHA256, want.Summary = audit.HashInput(input), "ls"
		if diff := cmp.Diff(want, page.Records[0], cmpopts.IgnoreFields(AuditRecord{}, "Seq", "At", "Hash"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if report, err := a.Verify(t.Context(), feature.Empty{}); err != nil || !report.OK || report.Records != int64(2*len(tests)) {
		t.Errorf("%+v %v", report, err)
	}
}

func TestAuditCursors(t *testing.T) {
	a := newAudits(t)
	for _, p := range []AuditListParams{{Limit: -1}, {Limit: auditMaxPage + 1}, {Before: -1}} {
		if _, err := a.List(t.Context(), p); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := a.Export(t.Context(), AuditExportParams{After: -1}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
	for range 3 {
		_ = a.cfg.Log.Append(audit.Record{Type: audit.Ended, Message: strings.Repeat("x", 10)})
	}
	page, err := a.List(t.Context(), AuditListParams{Limit: 2})
	if err != nil || len(page.Records) != 2 || page.Next != 2 {
		t.Fatalf("%+v %v", page, err)
	}
	if page, err = a.List(t.Context(), AuditListParams{Limit: 2, Before: page.Next}); err != nil || len(page.Records) != 1 || page.Next != 0 {
		t.Errorf("%+v %v", page, err)
	}
	if e, err := a.Export(t.Context(), AuditExportParams{After: 2}); err != nil || strings.Count(e.Text, "\n") != 1 || e.Next != 0 {
		t.Errorf("%+v %v", e, err)
	}
}
