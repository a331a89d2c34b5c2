package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/platform/atomicfile"
)

// How many snapshots are kept.
const (
	// Hourly and Daily are the numbers of hours and days, of those with snapshots, for which
	// one is kept.
	Hourly = 24
	Daily  = 14
	// Latest snapshots are kept in any case, so that the next snapshot does not push out
	// one that a user made.
	Latest = 5
	// MaxBytes bounds their total size.
	MaxBytes = 1 << 30
)

// Wait is the time until the next snapshot is due.
func Wait(data string, now time.Time) time.Duration {
	list, err := List(data)
	if err != nil || len(list) == 0 {
		return 0
	}
	age := now.Sub(time.UnixMilli(list[0].At))
	if age < 0 {
		return 0 // the clock was wrong then, or is now
	}
	return max(0, time.Hour-age)
}

// keep selects the snapshots to keep, newest first; size returns the size of one.
func keep(list []Listed, size func(Listed) int64, most int64) map[string]bool {
	stays := map[string]bool{}
	hours, days := map[int64]bool{}, map[string]bool{}
	var total int64
	for i, l := range list {
		at := time.UnixMilli(l.At)
		hour, day := at.Truncate(time.Hour).Unix(), at.Format(time.DateOnly)
		first := !hours[hour] && len(hours) < Hourly || !days[day] && len(days) < Daily || i < Latest
		if !first && i > 0 || l.Problem != nil && i > 0 {
			continue
		}
		if total += size(l); total > most && i > 0 {
			break
		}
		hours[hour], days[day] = true, true
		stays[l.Name] = true
	}
	return stays
}

// Prune removes surplus snapshots, and leftovers of crashes.
func Prune(data string) error {
	list, err := List(data)
	if err != nil {
		return err
	}
	stays := keep(list, func(l Listed) int64 { return l.Bytes() }, MaxBytes)
	var failed error
	for _, l := range list {
		if !stays[l.Name] && !errors.Is(l.Problem, ErrNewer) {
			failed = errors.Join(failed, remove(filepath.Join(data, Folder), l.Name))
		}
	}
	return errors.Join(failed, sweep(filepath.Join(data, Folder)))
}

// remove removes a snapshot. A partly removed one is swept later.
func remove(folder, name string) error {
	gone := filepath.Join(folder, atomicfile.Unfinished+name)
	if err := os.Rename(filepath.Join(folder, name), gone); err != nil {
		return fmt.Errorf("remove a snapshot: %w", err)
	}
	return os.RemoveAll(gone)
}

// sweep removes unfinished entries of a folder.
func sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var failed error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), atomicfile.Unfinished) {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return failed
}
