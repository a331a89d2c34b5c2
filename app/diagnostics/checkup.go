package diagnostics

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/app/checkup"
	"parley/app/doctor"
	"parley/backend/claude"
	"parley/backend/fault"
	"parley/backend/paths"
)

const (
	// checkupTime bounds a checkup; what is not checked by then is left out.
	checkupTime = 40 * time.Second
	mostFixes   = 100
)

// machine is this computer as seen by the running Parley: it holds the data folder, so that is not
// checked, and the store is read as a copy.
func (s *Service) machine(ctx context.Context) *doctor.Machine {
	m := doctor.Here(paths.Dirs{Home: s.cfg.Home, Data: s.cfg.Data, Cache: s.cfg.Cache}, s.cfg.Env)
	m.Running = true
	m.Busy = func() bool { return true }
	m.Checkup = func(repair bool, tell func(level, what, says string)) (bool, error) {
		if repair {
			return false, fault.New(fault.Conflict, "Parley must not be running for this. Quit Parley, then run: parley doctor --fix")
		}
		return checkup.Run(checkup.Config{
			Data: s.cfg.Data, Projects: filepath.Join(claude.ConfigDir(s.cfg.Env, s.cfg.Home), "projects"),
			Tell: func(l checkup.Line) { tell(string(l.Level), l.What, l.Says) },
			Stop: ctx.Err,
		})
	}
	return m
}

// Checkup is app.checkup.
func (s *Service) Checkup(ctx context.Context, p CheckupParams) (Checkup, error) {
	if len(p.Fix) > mostFixes {
		return Checkup{}, fault.New(fault.Invalid, "fix can list at most %d checks", mostFixes)
	}
	for _, id := range p.Fix {
		if !doctor.Known(id) {
			return Checkup{}, fault.New(fault.Invalid, "there is no check %.100q", id)
		}
	}
	if !s.checking.TryLock() {
		return Checkup{}, fault.New(fault.Conflict, "A checkup is already running. Try again when it is done.")
	}
	defer s.checking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, checkupTime)
	defer cancel()
	results := doctor.Fix(ctx, s.machine(ctx), p.Fix)
	return Checkup{Well: doctor.Well(results), Checks: results, Report: s.shorten(reportOf(s.cfg.Version, results))}, nil
}

// reportOf formats the results as text, with those that are fine last, on one line.
func reportOf(version string, results []doctor.CheckResult) string {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "Parley %s, checkup\n", version)
	var well []string
	for _, state := range []doctor.State{doctor.Wrong, doctor.Warning, doctor.Note, doctor.OK, doctor.Skipped} {
		for _, r := range results {
			switch {
			case r.State != state:
			case state == doctor.OK || state == doctor.Skipped:
				well = append(well, r.ID)
			default:
				_, _ = fmt.Fprintf(&b, "\n%s: %s: %s\n  %s\n", r.State, r.ID, r.Says, r.Meaning)
				if r.Todo != "" {
					_, _ = fmt.Fprintf(&b, "  To do: %s\n", r.Todo)
				}
			}
		}
	}
	_, _ = fmt.Fprintf(&b, "\nNothing to do (%d): %s\n", len(well), strings.Join(well, ", "))
	return b.String()
}
