package role

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/app/doctor"
)

// doctor checks Parley's requirements and data.
func (p Program) doctor(args []string) int {
	set := p.flags("parley doctor", "parley doctor [flags]\n\n"+
		"Checks everything that Parley needs and stores: the CLI with its account and settings,\n"+
		"the network, the system, the desktop, files and data. Shows passed checks only with\n"+
		"-all. Changes nothing without -fix. Exits with 0 if nothing is wrong, and with 1 if\n"+
		"something is.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	fix := set.Bool("fix", false, "fix what is safe to fix: file permissions, files left by a crash, a stale address file,\nthe index; some of it only while Parley is not running")
	asJSON := set.Bool("json", false, "print JSON: all checks, with IDs")
	all := set.Bool("all", false, "also show passed checks")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	results := p.Doctor(context.Background(), dirs, *fix)
	if *asJSON {
		text, err := json.MarshalIndent(map[string]any{"well": doctor.Well(results), "checks": results}, "", "  ")
		if err != nil {
			return p.fail(err)
		}
		_, _ = fmt.Fprintf(p.Stdout, "%s\n", text)
	} else {
		p.tellResults(results, *all)
	}
	if !doctor.Well(results) {
		return exitFailed
	}
	return exitOK
}

func (p Program) tellResults(results []doctor.CheckResult, all bool) {
	well := 0
	for _, r := range results {
		quiet := r.State == doctor.OK || r.State == doctor.Skipped
		if quiet {
			well++
		}
		if quiet && !all && !r.Repaired {
			continue
		}
		state := string(r.State)
		if r.Repaired {
			state = "repaired"
		}
		_, _ = fmt.Fprintf(p.Stdout, "%-9s%s: %s\n", state, r.ID, r.Says)
		if quiet {
			continue
		}
		_, _ = fmt.Fprintf(p.Stdout, "         %s\n", r.Meaning)
		if r.Todo != "" {
			_, _ = fmt.Fprintf(p.Stdout, "         → %s\n", r.Todo)
		}
	}
	_, _ = fmt.Fprintf(p.Stdout, "%d of %d checks: nothing to do.\n", well, len(results))
}
