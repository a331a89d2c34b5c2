package audit

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func config(dir string) Config {
	return Config{Dir: dir, Logger: slog.New(slog.DiscardHandler)}
}

func openLog(t testing.TB, cfg Config) *Log {
	t.Helper()
	l, err := Open(cfg)
	check(t, err)
	t.Cleanup(func() { check(t, l.Close()) })
	return l
}

// answered returns a record as the program writes it.
func answered(n int) Record {
	input := json.RawMessage(fmt.Sprintf(`{"command":"echo %d"}`, n))
	return Record{
		Type: Ended, SessionID: "s" + fmt.Sprint(n%3), TurnID: "t1", RequestID: fmt.Sprint("q", n), Tool: "Bash", Kind: "tool",
		InputHash: HashInput(input), Summary: Summary(input), Outcome: "allow", By: "window", At: int64(1000 + n),
	}
}

// written creates a closed log with n records.
func written(t testing.TB, cfg Config, n int) {
	t.Helper()
	l, err := Open(cfg)
	check(t, err)
	for i := range n {
		_ = l.Append(answered(i))
	}
	check(t, l.Close())
}

// read returns every file of a folder.
func read(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	all := map[string][]byte{}
	for _, e := range entries {
		all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, err)
	}
	return all
}

// lay creates a folder with the files.
func lay(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		check(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return dir
}

// verified checks a folder, which must have no problem.
func verified(t testing.TB, dir string) Report {
	t.Helper()
	report, err := Verify(dir, Point{})
	check(t, err)
	if report.Problem != nil {
		t.Fatalf("problem: %s", report.Problem)
	}
	return report
}

// all returns every record of a folder.
func all(t testing.TB, dir string) []Record {
	t.Helper()
	list, err := segments(dir)
	check(t, err)
	var records []Record
	for _, s := range list {
		f, err := os.Open(filepath.Join(dir, s.name()))
		check(t, err)
		check(t, lines(f, func(line []byte, _ bool) bool {
			r, err := decode(line)
			check(t, err)
			records = append(records, r)
			return true
		}))
		check(t, f.Close())
	}
	return records
}
