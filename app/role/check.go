package role

import (
	"errors"
	"fmt"
	"io/fs"

	"parley/backend/fault"
)

// check reads and verifies all data in a data folder.
func (p Program) check(args []string) int {
	set := p.flags("parley check", "parley check [flags]\n\n"+
		"Reads and verifies everything that Parley stores: the database, the audit log, settings,\n"+
		"heartbeats, Mattermost settings, memory, attachments, snapshots, and the index of\n"+
		"conversations. Changes nothing without -repair. Exits with 0 if there are no problems,\n"+
		"and with 1 if there are.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	repair := set.Bool("repair", false, "fix what is safe to fix: remove temporary files, set aside unused attachments\n"+
		"older than a day, and rebuild the index; Parley must not be running")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	ok, err := p.Check(dirs, *repair, func(level, what, says string) {
		_, _ = fmt.Fprintf(p.Stdout, "%-9s %s: %s\n", level, what, says)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.fail(fault.Wrap(err, fault.NotFound, "There is no Parley data in %s.", dirs.Data))
	case err != nil:
		return p.fail(err)
	case !ok:
		_, _ = fmt.Fprintln(p.Stdout, "Problems were found; see above.")
		return exitFailed
	}
	_, _ = fmt.Fprintln(p.Stdout, "No problems found.")
	return exitOK
}
