package process

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Mark is the origin of a process according to its environment.
type Mark struct {
	// Owner is the Parley that started it, or its ancestor.
	Owner ID
	// Group is what it was started for, "" for nothing in particular.
	Group string
}

// Config configures a ledger.
type Config struct {
	// Self is this process, see [Self].
	Self ID
	// Mark finds the mark in an environment: KEY=value, each terminated by a zero
	// byte. It must not keep the bytes.
	Mark func(environ []byte) (Mark, bool)
	// Members returns processes grouped by other means, with what they were started
	// for. It may be nil.
	Members func() map[int]string
}

// Ledger inspects processes. It is safe for concurrent use.
type Ledger struct {
	cfg Config
	// table and environ are the system's.
	table   func() ([]entry, error)
	environ func(pid int) []byte

	mu sync.Mutex
	// groups holds the known marks of live processes.
	groups map[ID]group
	// before is each process's usage at the time beforeAt.
	before   map[ID]sample
	beforeAt time.Time
}

// sample is a process's usage and share of a core at a time.
type sample struct {
	cpu     time.Duration
	percent float64
}

// group is the relevant part of a mark once its owner is known.
type group struct {
	name string
	ours bool
}

// New returns a ledger.
func New(cfg Config) *Ledger { return &Ledger{cfg: cfg, table: table, environ: environ} }

// Process is a process at the time it was inspected.
type Process struct {
	ID
	Parent int
	// Name is the program's; on Linux at most 15 bytes of it.
	Name      string
	StartedAt time.Time
	// CPU is its total. Percent is of one core, since the last look or, without one,
	// since its start.
	CPU     time.Duration
	Percent float64
	// Bytes is its resident memory.
	Bytes int64
	// Root is the pid of the root that it is or descends from, 0 for none.
	Root int
	// Marked means that it, or an ancestor, has this Parley's mark, with Group.
	Marked bool
	Group  string
}

// Use is the usage of Parley and its processes.
type Use struct {
	Self Process
	// Others are all descendants of Self and marked processes, oldest first.
	Others []Process
}

const (
	// settled is the age from which a process's environment is final. A younger
	// one may be about to exec another program.
	settled = 2 * time.Second
	// shortest is the time below which a share of a core means nothing, because
	// the system counts in steps of 10 ms.
	shortest = 250 * time.Millisecond
)

// Look reads the processes that belong to Parley. Roots are the pids of processes to
// attribute others to; one that doesn't belong to Parley, because its pid was
// reused, is ignored.
func (l *Ledger) Look(roots ...int) (Use, error) {
	entries, err := l.table()
	if err != nil {
		return Use{}, err
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := newTree(entries)
	marks := l.readMarks(entries, now)
	var use Use
	used := make(map[ID]sample)
	for i := range entries {
		e := &entries[i]
		p := Process{ID: e.id, Parent: e.parent}
		ours := e.id == l.cfg.Self
		for a := range t.line(e) {
			if g := marks[a.id]; g.ours && !p.Marked && a.id != l.cfg.Self {
				p.Marked, p.Group, ours = true, g.name, true
			}
			if a.id == l.cfg.Self {
				ours = true
				break
			}
			if p.Root == 0 && slices.Contains(roots, a.id.PID) {
				p.Root = a.id.PID
			}
		}
		if !ours {
			continue
		}
		e.detail()
		p.Name, p.StartedAt, p.CPU, p.Bytes = e.name, e.started, e.cpu, e.bytes
		p.Percent = l.percent(&p, now)
		used[p.ID] = sample{p.CPU, p.Percent}
		if p.ID == l.cfg.Self {
			p.Root, p.Marked, p.Group = 0, false, ""
			use.Self = p
		} else {
			use.Others = append(use.Others, p)
		}
	}
	if l.before == nil || now.Sub(l.beforeAt) >= shortest {
		l.before, l.beforeAt = used, now
	}
	slices.SortFunc(use.Others, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	return use, nil
}

// percent returns a process's share of a core.
func (l *Ledger) percent(p *Process, now time.Time) float64 {
	used, over := p.CPU, now.Sub(p.StartedAt)
	if before, ok := l.before[p.ID]; ok {
		if over = now.Sub(l.beforeAt); over < shortest {
			return before.percent
		}
		used -= before.cpu
	}
	// A process that just started has no share yet.
	if over < step || used < 0 {
		return 0
	}
	return 100 * float64(used) / float64(over)
}

// readMarks returns whether each live process's own environment has this Parley's
// mark. An environment is read once: that is the most expensive part of a look,
// and a marked process stays Parley's whatever it execs.
func (l *Ledger) readMarks(entries []entry, now time.Time) map[ID]group {
	known := make(map[ID]group, len(entries))
	marks := make(map[ID]group)
	var members map[int]string
	if l.cfg.Members != nil {
		members = l.cfg.Members()
	}
	for i := range entries {
		e := &entries[i]
		g, ok := l.groups[e.id]
		if name, is := members[e.id.PID]; is {
			g, ok = group{name: name, ours: true}, true
		}
		if !ok {
			if m, marked := l.cfg.Mark(l.environ(e.id.PID)); marked && m.Owner == l.cfg.Self {
				g = group{name: m.Group, ours: true}
			}
		}
		if ok || g.ours || now.Sub(e.started) > settled {
			known[e.id] = g
		}
		if g.ours {
			marks[e.id] = g
		}
	}
	l.groups = known
	return marks
}
