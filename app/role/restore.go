package role

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"parley/backend/fault"
	"parley/backend/snapshot"
)

// newestName stands for the newest good snapshot.
const newestName = "newest"

// restore lists the snapshots of a data folder, or replaces its data with one.
func (p Program) restore(args []string) int {
	set := p.flags("parley restore", "parley restore --list [flags]\nparley restore --from SNAPSHOT [flags]\n\n"+
		"Replaces Parley's data with a snapshot: sessions, settings, rules, heartbeats,\n"+
		"chat settings and memory. Parley must not be running on this folder. The current\n"+
		"data is set aside in the data folder. Earlier permissions do not apply until you\n"+
		"review them in the window. Conversations belong to Claude Code and are not changed.")
	data := set.String("data", "", "`folder` of Parley's data, instead of the usual one")
	list := set.Bool("list", false, "list the snapshots, the newest first")
	from := set.String("from", "", "the `name` of the snapshot, or \"newest\" for the newest usable one")
	if code, ok := parse(set, args, 0); !ok {
		return code
	}
	if *list == (*from != "") {
		set.Usage()
		return exitUsage
	}
	dirs, err := p.dirs(*data)
	if err != nil {
		return p.fail(err)
	}
	if *list {
		return p.listSnapshots(dirs.Data)
	}
	lock, err := dirs.Lock(0)
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = lock.Release() }()
	if _, err := dirs.Known(); err != nil {
		return p.fail(err)
	}
	// A restore scheduled earlier comes first.
	if _, _, err := snapshot.Finish(dirs.Data); err != nil {
		return p.fail(err)
	}
	name := *from
	if name == newestName {
		m, ok := snapshot.Newest(dirs.Data, func(name string, problem error) {
			_, _ = fmt.Fprintf(p.Stderr, "parley: the snapshot %s cannot be used: %s\n", name, problem)
		})
		if !ok {
			return p.fail(fault.New(fault.NotFound, "There is no usable snapshot in %s.", dirs.Data))
		}
		name = m.Name
	}
	if _, err := snapshot.Prepare(dirs.Data, name, snapshot.ByCommand); err != nil {
		return p.fail(err)
	}
	done, _, err := snapshot.Finish(dirs.Data)
	if err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintf(p.Stdout, "Restored the snapshot of %s.\nThe previous data is in %s below %s.\n"+
		"Start Parley and review the notice at the top of its window. Until then, earlier permissions do not apply.\n", when(done.Made), done.Aside, dirs.Data)
	return exitOK
}

// listSnapshots prints the snapshots, and what is wrong with them.
func (p Program) listSnapshots(data string) int {
	list, err := snapshot.List(data)
	if err != nil {
		return p.fail(fault.Wrap(err, fault.Unavailable, "The snapshots in %s cannot be listed. Check its permissions.", data))
	}
	if len(list) == 0 {
		_, _ = fmt.Fprintf(p.Stdout, "There are no snapshots in %s.\n", data)
		return exitOK
	}
	out := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "NAME\tMADE\tSIZE\tIN IT")
	for _, l := range list {
		if l.Problem != nil {
			_, _ = fmt.Fprintf(out, "%s\t%s\t-\tcannot be restored: %s\n", l.Name, when(l.At), l.Problem)
			continue
		}
		var parts []string
		for _, name := range []string{"sessions", "rules", "drafts", "prompts"} {
			parts = append(parts, fmt.Sprintf("%d %s", l.Counts[name], name))
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%.1f MB\t%s\n", l.Name, when(l.At), float64(l.Bytes())/(1<<20), strings.Join(parts, ", "))
	}
	if err := out.Flush(); err != nil {
		return p.fail(err)
	}
	return exitOK
}

func when(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05") }
