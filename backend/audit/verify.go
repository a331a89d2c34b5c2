package audit

import "errors"

// Report is what [Verify] found.
type Report struct {
	// Records and Files are how many were good, up to the problem if there is one.
	Records uint64
	Files   int
	// Missing counts records that could not be written, as the log itself says.
	Missing uint64
	// Torn is the length in bytes of a line that a crash left unfinished at the end.
	// The next Open removes it and says so; it is no problem.
	Torn int64
	// Head is the hash of the newest good record. Kept elsewhere, it shows later
	// that everything up to this record is what it was.
	Head string
	// Problem is the first place that is not as it was written, nil when all is.
	Problem *Problem
}

// Verify checks the log in dir from its beginning to its end. A log that is being
// written is checked with [Log.Verify].
func Verify(dir string) (Report, error) {
	head, err := readHead(dir)
	switch {
	case errors.Is(err, errNoHead), errors.Is(err, errBadHead):
		report, walked := verify(dir, state{}, true)
		if walked != nil {
			return Report{}, walked
		}
		if report.Problem == nil && (report.Files > 0 || errors.Is(err, errBadHead)) {
			report.Problem = &Problem{What: err.Error() + ", so nothing says where the log should end"}
		}
		return report, nil
	case err != nil:
		return Report{}, err
	}
	return verify(dir, head, false)
}

func verify(dir string, head state, headless bool) (Report, error) {
	list, err := segments(dir)
	if err != nil {
		return Report{}, err
	}
	w := &walker{head: head, headless: headless}
	var report Report
	switch {
	case len(list) > 0 && !headless && list[0].first > head.First:
		report.Problem = &Problem{File: list[0].name(), What: "the files before this one are missing"}
	default:
		if report.Problem, err = w.files(dir, list); err != nil {
			return Report{}, err
		}
	}
	report.Records, report.Files, report.Missing, report.Torn, report.Head = w.records, len(list), w.lost, w.torn, w.hash
	return report, nil
}
