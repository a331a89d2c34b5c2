package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/diagnostics"
	"parley/app/doctor"
	"parley/app/feature"
	"parley/app/settings"
	"parley/backend/fault"
	"parley/backend/paths"
)

// A running Parley checks its own folders, makes the requested repairs that don't need exclusive
// access, and keeps running.
func TestCheckup(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	a, data := newPlace(t, false, nil)
	file := filepath.Join(data, "settings.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(data, "gateway.json")
	for _, path := range []string{file, left} {
		if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	of := func(c diagnostics.Checkup, id string) doctor.CheckResult {
		t.Helper()
		for _, r := range c.Checks {
			if r.ID == id {
				return r
			}
		}
		t.Fatalf("there is no check %s", id)
		return doctor.CheckResult{}
	}
	modeOf := func(path string) os.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}

	found := ask[diagnostics.Checkup](t.Context(), t, a, "app.checkup", feature.Empty{})
	if r := of(found, "files.modes"); found.Well || r.State != doctor.Wrong || !r.Repairable || r.Repaired || modeOf(file) != 0o644 {
		t.Errorf("%+v", r)
	}
	if r := of(found, "data.store"); r.State != doctor.OK {
		t.Errorf("the store of a Parley that runs: %+v", r)
	}
	if r := of(found, "files.announced"); r.State != doctor.Note || r.Repairable {
		t.Errorf("it wants the folder for itself: %+v", r)
	}
	if home := filepath.Dir(data); !strings.Contains(found.Report, "wrong: files.modes: others can read or write ~/data/") || strings.Contains(found.Report, home) {
		t.Errorf("the report:\n%s", found.Report)
	}

	found = ask[diagnostics.Checkup](t.Context(), t, a, "app.checkup", diagnostics.CheckupParams{Fix: []string{"files.modes", "files.announced", "data.leftovers"}})
	if r := of(found, "files.modes"); r.State != doctor.OK || !r.Repaired || modeOf(file) != 0o600 || modeOf(left) != 0o600 {
		t.Errorf("%+v", r)
	}
	if _, err := (paths.Dirs{Data: data}).Lock(0); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("the data folder is not held any more: %v", err)
	}
	ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{})
	for _, params := range []string{`{"fix":["nothing"]}`, `{"fix":[1]}`, `{"fix":[` + strings.Repeat(`"files.modes",`, 100) + `"files.modes"]}`} {
		if _, err := a.Methods().Call(t.Context(), "app.checkup", []byte(params)); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.40s: %v", params, err)
		}
	}
}
