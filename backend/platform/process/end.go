package process

import (
	"context"
	"fmt"
	"os"
	"time"
)

const (
	// step is the interval at which End checks whether processes are gone.
	step = 20 * time.Millisecond
	// forced is how long killed processes may take to be gone.
	forced = time.Second
)

// End ends processes with all their descendants: it asks them to, waits for up to grace,
// then kills. A canceled context shortens the wait, not the ending. Descendants are
// collected while they are still linked, and repeatedly, because a process may start another
// one in between; one that is started and left within a fiftieth of a second can escape.
// Neither this process nor its ancestors are ever ended, nor other descendants of those. It
// returns when all are gone; the error says which aren't.
func (l *Ledger) End(ctx context.Context, grace time.Duration, ids ...ID) error {
	victims := make(map[ID]bool)
	for _, id := range ids {
		victims[id] = false
	}
	left, err := l.signal(victims, ask)
	deadline := time.Now().Add(grace)
	for err == nil && left > 0 && time.Now().Before(deadline) && sleep(ctx, step) {
		left, err = l.signal(victims, ask)
	}
	deadline = time.Now().Add(forced)
	for err == nil && left > 0 && time.Now().Before(deadline) {
		if left, err = l.signal(victims, force); left > 0 {
			time.Sleep(step)
		}
	}
	if err == nil && left > 0 {
		err = fmt.Errorf("%d of %d processes do not end", left, len(victims))
	}
	return err
}

// sleep waits, and reports whether ctx is still active.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// how is the way to end a process.
type how int

const (
	ask how = iota
	force
)

// signal signals every victim and its descendants: once is enough, because a second
// signal could cut the effect of the first short. Victims are true once they were
// signaled. It returns how many are alive.
func (l *Ledger) signal(victims map[ID]bool, how how) (int, error) {
	entries, err := l.table()
	if err != nil {
		return 0, err
	}
	t := newTree(entries)
	spared := l.ownLine(t)
	for id := range spared {
		delete(victims, id) // with all its other descendants
	}
	left := 0
	for i := range entries {
		e := &entries[i]
		if spared[e.id] || !t.descends(e, victims) {
			continue
		}
		left++
		asked := victims[e.id]
		if how == force || !asked {
			victims[e.id] = true
			tell(e.id, how)
		}
	}
	return left, nil
}

// descends reports whether a process is one of those, or their descendant.
func (t tree) descends(e *entry, from map[ID]bool) bool {
	for a := range t.line(e) {
		if _, ok := from[a.id]; ok {
			return true
		}
	}
	return false
}

// ownLine returns this process and its ancestors.
func (l *Ledger) ownLine(t tree) map[ID]bool {
	line := map[ID]bool{l.cfg.Self: true}
	if own := t[l.cfg.Self.PID]; own != nil {
		for a := range t.line(own) {
			line[a.id] = true
		}
	}
	return line
}

// tell signals a process. The handle is obtained before the check, so that it
// reaches the intended process even if the pid is reused in between.
func tell(id ID, how how) {
	handle, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if now, ok := current(id.PID); !ok || now != id {
		return
	}
	// A failure shows in the number of live processes.
	if how == force {
		_ = handle.Kill()
	} else {
		_ = terminate(handle)
	}
}
