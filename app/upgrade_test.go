package app

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/app/settings"
)

// The data folder of an older Parley without rules, trust and usage, killed during a turn, opens
// with all its data.
func TestOlderDataFolder(t *testing.T) {
	const id = "ddfa179b-c8a7-4d53-be1f-e6dde9ef48c7"
	a, _ := newPlaceWith(t, func(data string) {
		packed, err := os.Open(filepath.Join("testdata", "older.db.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		r, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		db, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatal(err)
		}
		settings := `{"theme":"dark","whileBusy":"queue","suspendMinutes":7,"engine":"sdk"}`
		for name, text := range map[string][]byte{"parley.db": db, "settings.json": []byte(settings)} {
			if err := os.WriteFile(filepath.Join(data, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	got := ask[struct {
		Title, State, Guard string
		Queued              []struct{ Text, State string }
		HasDraft            bool
	}](t.Context(), t, a, "session.get", feature.SessionRef{SessionID: id})
	want := got
	want.Title, want.State, want.Guard, want.HasDraft = "Old one", "idle", "off", true
	want.Queued = []struct{ Text, State string }{
		{"hello there", "unknown"}, // the CLI's own file of the conversation is missing here
		{"tell me a long story 1", "unknown"}, {"tell me a long story 2", "unknown"}, {"tell me a long story 3", "unknown"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := ask[struct{ Text string }](t.Context(), t, a, "draft.get", feature.SessionRef{SessionID: id}); d.Text != "half a thought" {
		t.Errorf("the draft: %q", d.Text)
	}
	if s := ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}); s.Theme != "dark" || s.WhileBusy != "queue" || s.SuspendMinutes != 7 || s.Engine != "sdk" || s.Guard != "off" || !s.NotifyDone {
		t.Errorf("the settings: %+v", s)
	}
	if got := problemsOf(t, a); len(got) > 0 {
		t.Errorf("problems: %q", got)
	}
}
