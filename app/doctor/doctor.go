package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// State is how a thing is.
type State string

// The states: as it should be; to be known; may make trouble; does not work; could not be
// looked at, or is not for this machine.
const (
	OK      State = "ok"
	Note    State = "note"
	Warning State = "warning"
	Wrong   State = "wrong"
	Skipped State = "skipped"
)

// CheckResult is what was found of one check.
type CheckResult struct {
	// ID is the check's; Meaning says what it is for.
	ID      string `json:"id"`
	Meaning string `json:"meaning"`
	// State is "ok", "note", "warning", "wrong" or "skipped" (could not be looked at, or is
	// not for this machine).
	State State `json:"state"`
	// Says is what was found, Todo what a user can do, or "".
	Says string `json:"says"`
	Todo string `json:"todo,omitempty"`
	// Repairable says that it can be put right from here, Repaired that it was.
	Repairable bool `json:"repairable,omitempty"`
	Repaired   bool `json:"repaired,omitempty"`
}

// finding is what a check says.
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

// found is a finding that is not as it should be.
func found(state State, todo, format string, args ...any) finding {
	return finding{state: state, says: fmt.Sprintf(format, args...), todo: todo}
}

// check looks at one thing. repair puts right what look found; it is nil where that is not
// safe, or not possible from here.
type check struct {
	id, meaning string
	look        func(context.Context, *Machine) finding
	repair      func(context.Context, *Machine) error
}

// patience bounds one check: none of them is worth more.
const patience = 15 * time.Second

// checks are all there are, in the order in which they are told.
func checks() []check {
	var all []check
	for _, some := range [][]check{cliChecks(), networkChecks(), machineChecks(), desktopChecks(), fileChecks(), dataChecks()} {
		all = append(all, some...)
	}
	return all
}

// Run looks at everything. With fix, it puts right what is safe, and looks again.
func Run(ctx context.Context, m *Machine, fix bool) []CheckResult {
	return run(ctx, m, func(string) bool { return fix })
}

// Fix is as [Run], and puts right only what is named, where that is safe.
func Fix(ctx context.Context, m *Machine, ids []string) []CheckResult {
	return run(ctx, m, func(id string) bool { return slices.Contains(ids, id) })
}

func run(ctx context.Context, m *Machine, fix func(id string) bool) []CheckResult {
	var results []CheckResult
	for _, c := range checks() {
		if ctx.Err() != nil {
			results = append(results, CheckResult{ID: c.id, Meaning: c.meaning, State: Skipped, Says: "there was no time left for it"})
			continue
		}
		results = append(results, c.run(ctx, m, fix(c.id)))
	}
	return results
}

// Known says whether there is such a check.
func Known(id string) bool {
	return slices.ContainsFunc(checks(), func(c check) bool { return c.id == id })
}

// alone says whether a repair wants the data folder for itself.
func alone(id string) bool { return strings.HasPrefix(id, "data.") || id == "files.announced" }

// Well says whether nothing of it does not work.
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
		r.Todo = "It could not be put right: " + sentence(err)
		return r
	}
	m.forget()
	f = c.look(ctx, m)
	r.State, r.Says, r.Todo = f.state, f.says, f.todo
	r.Repaired = f.state == OK || f.state == Skipped
	return r
}

// sentence is what an error means for a user.
func sentence(err error) string {
	if fault.CodeOf(err) == fault.Internal {
		return err.Error()
	}
	return fault.MessageOf(err)
}
