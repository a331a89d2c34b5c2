package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// State is the state of a checked thing.
type State string

// The states: fine; informational; may cause problems; does not work; could not be checked, or does
// not apply to this machine.
const (
	OK      State = "ok"
	Note    State = "note"
	Warning State = "warning"
	Wrong   State = "wrong"
	Skipped State = "skipped"
)

// CheckResult is the result of one check.
type CheckResult struct {
	// ID identifies the check; Meaning describes its purpose.
	ID      string `json:"id"`
	Meaning string `json:"meaning"`
	// State is "ok", "note", "warning", "wrong" or "skipped" (could not be checked, or does not
	// apply to this machine).
	State State `json:"state"`
	// Says is the finding, Todo what a user can do, or "".
	Says string `json:"says"`
	Todo string `json:"todo,omitempty"`
	// Repairable is true if it can be repaired from here, Repaired if it was.
	Repairable bool `json:"repairable,omitempty"`
	Repaired   bool `json:"repaired,omitempty"`
}

// finding is the result of a check.
type finding struct {
	state      State
	says, todo string
}

func fine(format string, args ...any) finding {
	return finding{state: OK, says: fmt.Sprintf(format, args...)}
}
func left(format string, args ...any) finding {
	return finding{state: Skipped, says: fmt.Sprintf(format, args...)}
}

// found is a finding about something that is not fine.
func found(state State, todo, format string, args ...any) finding {
	return finding{state: state, says: fmt.Sprintf(format, args...), todo: todo}
}

// check checks one thing. repair fixes what look found; it is nil if that is not safe, or not
// possible from here.
type check struct {
	id, meaning string
	look        func(context.Context, *Machine) finding
	repair      func(context.Context, *Machine) error
}

// patience bounds one check: none is worth waiting longer.
const patience = 15 * time.Second

// checks are all checks, in display order.
func checks() []check {
	var all []check
	for _, some := range [][]check{cliChecks(), networkChecks(), machineChecks(), desktopChecks(), fileChecks(), dataChecks()} {
		all = append(all, some...)
	}
	return all
}

// Run runs all checks. With fix, it makes safe repairs and checks again.
func Run(ctx context.Context, m *Machine, fix bool) []CheckResult {
	return run(ctx, m, func(string) bool { return fix })
}

// Fix is like [Run], but repairs only the named checks, if safe.
func Fix(ctx context.Context, m *Machine, ids []string) []CheckResult {
	return run(ctx, m, func(id string) bool { return slices.Contains(ids, id) })
}

func run(ctx context.Context, m *Machine, fix func(id string) bool) []CheckResult {
	var results []CheckResult
	for _, c := range checks() {
		if ctx.Err() != nil {
			results = append(results, CheckResult{ID: c.id, Meaning: c.meaning, State: Skipped, Says: "skipped, because the other checks took too long"})
			continue
		}
		results = append(results, c.run(ctx, m, fix(c.id)))
	}
	return results
}

// Known reports whether a check exists.
func Known(id string) bool {
	return slices.ContainsFunc(checks(), func(c check) bool { return c.id == id })
}

// alone reports whether a repair needs exclusive access to the data folder.
func alone(id string) bool { return strings.HasPrefix(id, "data.") || id == "files.announced" }

// Well reports whether everything works.
func Well(results []CheckResult) bool {
	for _, r := range results {
		if r.State == Wrong {
			return false
		}
	}
	return true
}

func (c check) run(ctx context.Context, m *Machine, fix bool) CheckResult {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f := c.look(ctx, m)
	r := CheckResult{ID: c.id, Meaning: c.meaning, State: f.state, Says: f.says, Todo: f.todo}
	if c.repair == nil || f.state == OK || f.state == Skipped || m.Running && alone(c.id) {
		return r
	}
	r.Repairable = true
	if !fix {
		return r
	}
	if err := c.repair(ctx, m); err != nil {
		r.Todo = "This could not be fixed: " + sentence(err)
		return r
	}
	m.forget()
	f = c.look(ctx, m)
	r.State, r.Says, r.Todo = f.state, f.says, f.todo
	r.Repaired = f.state == OK || f.state == Skipped
	return r
}

// sentence describes an error for a user.
func sentence(err error) string {
	if fault.CodeOf(err) == fault.Internal {
		return err.Error()
	}
	return fault.MessageOf(err)
}
