package audit

import (
	"errors"
	"os"
)

// Report is the result of [Verify].
type Report struct {
	// Records and Files count the good ones, up to the problem if there is one.
	Records uint64
	Files   int
	// Missing counts records that couldn't be written, according to the log, or its
	// head if nothing could be written since.
	Missing uint64
	// Torn is the length in bytes of an unfinished line that a crash left at the
	// end. The next Open removes and records it; it isn't a problem.
	Torn int64
	// Head is the hash of the newest good record. A copy kept elsewhere proves
	// later that everything up to this record is unchanged.
	Head string
	// Problem is the first place that isn't as it was written, nil if there is
	// none.
	Problem *Problem
}

// Verify checks the whole log in dir, and that it contains the kept point; the zero Point
// is ignored. Use [Log.Verify] for a log in use.
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

// goneFolder is the problem of a log whose folder is missing.
const goneFolder = "the folder of the log is gone, with all that was in it"

// verifyFolder checks the log on its own, and returns the walker.
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
		// Missing records also count after the problem.
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
