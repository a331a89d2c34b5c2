package permissions

import (
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	appaudit "parley/app/audit"
	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/audit"
)

// The answer of an answer-only device applies to the current request, and to nothing later.
func TestADeviceAnswersOnce(t *testing.T) {
	trail, err := audit.Open(audit.Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	}()
	records := appaudit.New(appaudit.Config{Log: trail})
	tests := map[string]struct {
		params PermissionRespondParams
		kind   string
		once   bool
		want   fault.Code
	}{
		"allow":               {PermissionRespondParams{Behavior: "allow"}, permission.KindTool, true, ""},
		"deny":                {PermissionRespondParams{Behavior: "deny", Message: "no"}, permission.KindTool, true, ""},
		"remember":            {PermissionRespondParams{Behavior: "allow", Remember: true}, permission.KindTool, true, fault.Forbidden},
		"a rule":              {PermissionRespondParams{Behavior: "allow", Rule: &RuleChoice{Scope: "session"}}, permission.KindTool, true, fault.Forbidden},
		"a suggestion":        {PermissionRespondParams{Behavior: "allow", Suggestions: []int{0}}, permission.KindTool, true, fault.Forbidden},
		"a rule with a deny":  {PermissionRespondParams{Behavior: "deny", Rule: &RuleChoice{Scope: "global"}}, permission.KindTool, true, fault.Forbidden},
		"another command":     {PermissionRespondParams{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"id"}`)}, permission.KindTool, true, fault.Forbidden},
		"trust":               {PermissionRespondParams{Behavior: "allow"}, permission.KindTrust, true, fault.Forbidden},
		"trust, bare":         {PermissionRespondParams{Behavior: "allow", Choice: "bare"}, permission.KindTrust, true, fault.Forbidden},
		"no trust":            {PermissionRespondParams{Behavior: "deny"}, permission.KindTrust, true, ""},
		"remember, with all":  {PermissionRespondParams{Behavior: "allow", Remember: true}, permission.KindTool, false, ""},
		"trust, with all":     {PermissionRespondParams{Behavior: "allow"}, permission.KindTrust, false, ""},
		"a command, with all": {PermissionRespondParams{Behavior: "allow", UpdatedInput: json.RawMessage(`{"command":"id"}`)}, permission.KindTool, false, ""},
	}
	won := 0
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				desk := permission.NewQueue(permission.Config{Record: records.Record, Expiry: time.Hour})
				defer desk.Close()
				go func() {
					_, _ = desk.Ask(t.Context(), permission.Request{SessionID: "s", Question: event.Question{
						RequestID: "q", Kind: tt.kind, ToolName: "Bash", Input: json.RawMessage(`{"command":"true"}`)}})
				}()
				synctest.Wait()
				tt.params.RequestID = "q"
				ctx := method.WithDevice(method.WithConnection(t.Context(), "d1 My phone 12"), method.Device{Name: "My phone", Once: tt.once})
				r, err := (&Service{Desk: desk, rules: &rules{}}).Respond(ctx, tt.params)
				if tt.want != "" {
					if _, open := desk.Question("q"); fault.CodeOf(err) != tt.want || r.Won || !open {
						t.Fatalf("%+v, %v, open %v", r, err, open)
					}
					return
				}
				if err != nil || !r.Won || r.By != "@My phone (device)" {
					t.Fatalf("%+v, %v", r, err)
				}
				won++
			})
		})
	}
	for _, by := range []string{"device", "@My phone (device)"} {
		page, err := records.List(t.Context(), appaudit.AuditListParams{AuditFilter: appaudit.AuditFilter{By: by}})
		if err != nil || len(page.Records) != won || page.Records[0].By != "@My phone (device)" {
			t.Errorf("%s: %+v %v", by, page, err)
		}
	}
}
