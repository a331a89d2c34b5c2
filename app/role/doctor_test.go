package role_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/doctor"
)

func TestDoctor(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PARLEY_CLAUDE_BIN=/nowhere/claude", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"}
	code, out, err := run(t, env, "", "doctor", "--json", "--data", data)
	var said struct {
		Well   bool
		Checks []doctor.CheckResult
	}
	if e := json.Unmarshal([]byte(out), &said); e != nil || code != 1 || err != "" || said.Well || len(said.Checks) < 40 {
		t.Fatalf("code %d, %v, %q:\n%s", code, e, err, out)
	}
	code, out, _ = run(t, env, "", "doctor", "--data", data)
	if code != 1 || !strings.Contains(out, "wrong    cli.found: ") || !strings.Contains(out, "wrong    files.folder: ") || strings.Contains(out, "\nok ") {
		t.Errorf("code %d:\n%s", code, out)
	}
	code, out, _ = run(t, env, "", "doctor", "--fix", "--all", "--data", data)
	if code != 1 || !strings.Contains(out, "repaired files.folder: ") || !strings.Contains(out, "ok       network.loopback: ") {
		t.Errorf("code %d:\n%s", code, out)
	}
	if info, err := os.Stat(data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
