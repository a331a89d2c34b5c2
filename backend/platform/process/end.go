package process

import (
	"context"
	"fmt"
	"os"
	"time"
)

const (
	// step is how often End looks whether processes are gone.
	step = 20 * time.Millisecond
	// forced is how long processes may take to be gone once they are killed.
	forced = time.Second
)

// End ends processes with all that descends from them: asks them to, waits for up to
// grace, then kills. A cancelled context ends the waiting, not the ending. What
// descends from them is found while it still does, and again and again, because a
// process may start another one meanwhile; one that is started and left in the same
// fiftieth of a second can escape. Neither this process nor what it descends
// from is ever ended, nor what else descends from that. It returns when all are gone; the error says which are not.
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

// sleep waits, and says whether there is still reason to.
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

// how a process is told to end.
type how int

const (
	ask how = iota
	force
)

// signal tells every victim, and what descends from one, to end: to be asked once is
// enough, for a second time could cut short what the first one began. Victims are
// true once they were asked. It returns how many live.
func (l *Ledger) signal(victims map[ID]bool, how how) (int, error) {
	entries, err := l.table()
	if err != nil {
		return 0, err
	}
	t := newTree(entries)
	spared := l.ownLine(t)
	for id := range spared {
		delete(victims, id) // with all the others that descend from it
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

// descends says whether a process is one of those, or descends from one.
func (t tree) descends(e *entry, from map[ID]bool) bool {
	for a := range t.line(e) {
		if _, ok := from[a.id]; ok {
			return true
		}
	}
	return false
}

// ownLine is this process and what it descends from.
func (l *Ledger) ownLine(t tree) map[ID]bool {
	line := map[ID]bool{l.cfg.Self: true}
	if own := t[l.cfg.Self.PID]; own != nil {
		for a := range t.line(own) {
			line[a.id] = true
		}
	}
	return line
}

// tell tells a process to end. The handle comes first and the look after it, so that
// it reaches who was meant even when the number is given away in between.
func tell(id ID, how how) {
	handle, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if now, ok := current(id.PID); !ok || now != id {
		return
	}
	// One that cannot be ended shows in the count of those that live.
	if how == force {
		_ = handle.Kill()
	} else {
		_ = terminate(handle)
	}
}
