package role

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/permission/audit"
)

// audit verifies the audit log in a data folder, whether a Parley is running there or not.
func (p Program) audit(args []string) int {
	set := p.flags("parley audit", "parley audit verify [flags]\n\n"+
		"Checks that no record in the permission log was changed, removed,\n"+
		"added or cut off. Exits with 0 if the log is intact, and with 1 if not.\n"+
		"Keep the printed head somewhere else: it later proves that everything before it is unchanged.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	if len(args) == 0 || args[0] != "verify" {
		if code, ok := parse(set, args, 0); !ok {
			return code
		}
		set.Usage()
		return exitUsage
	}
	if code, ok := parse(set, args[1:], 0); !ok {
		return code
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	dir := filepath.Join(dirs.Data, "audit")
	// The store's knowledge of the log, unless a Parley has the store open.
	var point audit.Point
	if text := kept.Peek(filepath.Join(dirs.Data, "parley.db"), kept.LogNote); json.Unmarshal([]byte(text), &point) != nil {
		point = audit.Point{}
	}
	report, err := verify(dir, point)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		report = audit.Report{}
	case err != nil:
		return p.fail(fault.Wrap(err, fault.Unavailable, "The audit log in %s cannot be read.", dir))
	}
	if report.Files == 0 && report.Problem == nil {
		_, _ = fmt.Fprintf(p.Stdout, "There is no audit log in %s.\n", dir)
		return exitOK
	}
	_, _ = fmt.Fprintf(p.Stdout, "Records: %d in %d files\nHead: %s\n", report.Records, report.Files, report.Head)
	if report.Missing > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "Missing: %d records could not be written, according to the log\n", report.Missing)
	}
	if report.Torn > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "Unfinished: %d bytes at the end\n", report.Torn)
	}
	if report.Problem != nil {
		_, _ = fmt.Fprintf(p.Stdout, "Changed: %s\n", report.Problem)
		return exitFailed
	}
	_, _ = fmt.Fprintln(p.Stdout, "The log is intact.")
	return exitOK
}

// The log of a running Parley may be in the middle of a write: a problem only counts if it
// persists.
const (
	verifyTimes = 3
	verifyPause = 250 * time.Millisecond
)

func verify(dir string, point audit.Point) (report audit.Report, err error) {
	for i := range verifyTimes {
		if i > 0 {
			time.Sleep(verifyPause)
		}
		if report, err = audit.Verify(dir, point); err != nil || report.Problem == nil {
			return report, err
		}
	}
	return report, nil
}
