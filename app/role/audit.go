package role

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"parley/backend/audit"
	"parley/backend/fault"
)

// audit checks the audit log in a data folder, whether a Parley runs there or not.
func (p Program) audit(args []string) int {
	set := p.flags("parley audit", "parley audit verify [flags]\n\n"+
		"Checks that nothing in the log of questions and answers was changed, taken out, put\n"+
		"in or cut off. It ends with 0 when all is as it was written, and with 1 when not.\n"+
		"The head that it prints, kept elsewhere, shows later that all up to it is unchanged.")
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
	report, err := verify(dir)
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
		_, _ = fmt.Fprintf(p.Stdout, "Missing: %d records could not be written, as the log itself says\n", report.Missing)
	}
	if report.Torn > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "Unfinished: %d bytes at the end\n", report.Torn)
	}
	if report.Problem != nil {
		_, _ = fmt.Fprintf(p.Stdout, "Changed: %s\n", report.Problem)
		return exitFailed
	}
	_, _ = fmt.Fprintln(p.Stdout, "All is as it was written.")
	return exitOK
}

// The log of a Parley that runs may be just being written when it is looked at: a
// problem counts when it is there again.
const (
	verifyTimes = 3
	verifyPause = 250 * time.Millisecond
)

func verify(dir string) (report audit.Report, err error) {
	for i := range verifyTimes {
		if i > 0 {
			time.Sleep(verifyPause)
		}
		if report, err = audit.Verify(dir); err != nil || report.Problem == nil {
			return report, err
		}
	}
	return report, nil
}
