package role_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/permission/audit"
)

// The exit code says whether the log is intact.
func TestAuditVerify(t *testing.T) {
	data := t.TempDir()
	verify := func() (int, string) {
		code, out, log := run(t, nil, "", "audit", "verify", "--data", data)
		if log != "" {
			t.Errorf("log: %s", log)
		}
		return code, out
	}
	if code, out := verify(); code != 0 || !strings.HasPrefix(out, "There is no audit log") {
		t.Errorf("without a log: %d, %q", code, out)
	}
	log, err := audit.Open(audit.Config{Dir: filepath.Join(data, "audit"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_ = log.Append(audit.Record{Type: audit.Ended, Outcome: "deny"})
	}
	if code, out := verify(); code != 0 || !strings.Contains(out, "Records: 3 in 1 files") {
		t.Errorf("while it is written: %d, %q", code, out)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out := verify(); code != 0 || !strings.HasSuffix(out, "The log is intact.\n") {
		t.Errorf("after it was written: %d, %q", code, out)
	}
	files, err := filepath.Glob(filepath.Join(data, "audit", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], bytes.Replace(text, []byte("deny"), []byte("skip"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := verify(); code != 1 || !strings.Contains(out, "Changed: ") {
		t.Errorf("after a change: %d, %q", code, out)
	}
	if code, _, _ := run(t, nil, "", "audit"); code != 2 {
		t.Errorf("without a verb: %d", code)
	}
}
