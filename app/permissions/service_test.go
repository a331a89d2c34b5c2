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
	"parley/backend/permission"
	"parley/backend/permission/audit"
)

// The author of an answer through the API is recorded with it.
func TestAuditOfAnAnswer(t *testing.T) {
	trail, err := audit.Open(audit.Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	}()
	a := appaudit.New(appaudit.Config{Log: trail})
	synctest.Test(t, func(t *testing.T) {
		desk := permission.NewQueue(permission.Config{Record: a.Record, Expiry: time.Hour})
		defer desk.Close()
		go func() {
			_, _ = desk.Ask(t.Context(), permission.Request{SessionID: "s", Question: event.Question{RequestID: "q", ToolName: "Bash", Input: json.RawMessage(`{}`)}})
		}()
		synctest.Wait()
		ctx := method.WithConnection(method.WithSurface(t.Context(), "gateway"), "c7")
		if r, err := (&Service{Desk: desk}).Respond(ctx, PermissionRespondParams{RequestID: "q", Behavior: "deny"}); err != nil || !r.Won {
			t.Fatal(r, err)
		}
	})
	page, err := a.List(t.Context(), appaudit.AuditListParams{AuditFilter: appaudit.AuditFilter{Outcome: "deny"}})
	if err != nil || len(page.Records) != 1 || page.Records[0].By != "gateway" || page.Records[0].Connection != "c7" {
		t.Errorf("%+v %v", page, err)
	}
}
