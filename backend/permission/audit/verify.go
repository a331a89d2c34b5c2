package audit

import (
	"errors"
	"os"
)

// Report is what [Verify] found.
type Report struct {
	// Records and Files are how many were good, up to the problem if there is one.
	Records uint64
	Files   int
	// Missing counts records that could not be written, as the log itself says, or its
	// head where nothing could be written since.
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

// Verify checks the log in dir from its beginning to its end, and that it has what was
// kept of it elsewhere; the zero Point is nothing. A log that is being written is checked
// with [Log.Verify].
func Verify(dir string, kept Point) (Report, error) {
	report, last, err := verifyFolder(dir)
	if errors.Is(err, os.ErrNotExist) && kept.Seq > 0 {
		return Report{Problem: &Problem{What: goneFolder}, Missing: kept.Missing.Count}, nil
	}
	if err != nil {
		return Report{}, err
	}
	if kept.Missing.After >= last.gap {
		report.Missing = max(report.Missing, last.lost+kept.Missing.Count)
	}
	if report.Problem == nil {
		list, err := segments(dir)
		if err != nil {
			return Report{}, err
		}
		wrong, err := kept.against(dir, list, last.seq)
		if err != nil {
			return Report{}, err
		}
		if wrong != "" {
			report.Problem = &Problem{What: wrong}
		}
	}
	return report, nil
}

// goneFolder is what is wrong with a log whose folder is not there.
const goneFolder = "the folder of the log is gone, with all that was in it"

// verifyFolder checks the log by itself, and returns how far it was walked.
func verifyFolder(dir string) (Report, *walker, error) {
	head, err := readHead(dir)
	switch {
	case errors.Is(err, errNoHead), errors.Is(err, errBadHead):
		report, w, failed := verify(dir, state{}, true)
		if failed != nil {
			return Report{}, nil, failed
		}
		if report.Problem == nil && (report.Files > 0 || errors.Is(err, errBadHead)) {
			report.Problem = &Problem{What: err.Error() + ", so nothing says where the log should end"}
		}
		return report, w, nil
	case err != nil:
		return Report{}, nil, err
	}
	return verify(dir, head, false)
}

func verify(dir string, head state, headless bool) (Report, *walker, error) {
	list, err := segments(dir)
	if err != nil {
		return Report{}, nil, err
	}
	w := &walker{head: head, headless: headless}
	var report Report
	switch {
	case len(list) > 0 && !headless && list[0].first > head.First:
		report.Problem = &Problem{File: list[0].name(), What: "the files before this one are missing"}
	default:
		if report.Problem, err = w.files(dir, list); err != nil {
			return Report{}, nil, err
		}
	}
	report.Records, report.Files, report.Missing, report.Torn, report.Head = w.records, len(list), w.lost, w.torn, w.hash
	if report.Problem != nil {
		// What is missing counts behind the problem, too.
		if err := w.gaps(dir, list); err != nil {
			return Report{}, nil, err
		}
		report.Missing = w.lost
	}
	if head.Missing.After >= w.gap {
		report.Missing += head.Missing.Count
	}
	return report, w, nil
}
