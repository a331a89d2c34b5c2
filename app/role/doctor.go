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
		"Looks at everything that Parley needs and keeps: the CLI with its account and settings,\n"+
		"the network, the system, the desktop, files and data. What is well is told only with\n"+
		"-all. It changes nothing without -fix. It ends with 0 when all works, and with 1 when\n"+
		"something does not.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	fix := set.Bool("fix", false, "put right what is safe: modes of files, what a crash left, an address that nobody listens\non, the index; some of it only while no Parley runs")
	asJSON := set.Bool("json", false, "print JSON: all checks, with ids")
	all := set.Bool("all", false, "tell what is well, too")
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
