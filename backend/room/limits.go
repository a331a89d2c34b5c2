package room

import "time"

// Rate holds a member's messages of the last second.
type Rate struct{ at []time.Time }

// Take counts a message, or returns how long it must wait.
func (r *Rate) Take(now time.Time, perSecond int) (wait time.Duration, ok bool) {
	if perSecond <= 0 {
		return 0, true
	}
	kept := r.at[:0]
	for _, t := range r.at {
		if now.Sub(t) < time.Second {
			kept = append(kept, t)
		}
	}
	r.at = kept
	if len(r.at) >= perSecond {
		return time.Second - now.Sub(r.at[0]), false
	}
	r.at = append(r.at, now)
	return 0, true
}

// NextHop returns the hop count of a message that follows from what was read.
func NextHop(read int) int { return max(read, -1) + 1 }

// FreeAt returns when the number of turns is below a limit again: 0 if it is. turns
// are sorted.
func FreeAt(turns []int64, limit int) int64 {
	if limit <= 0 || len(turns) < limit {
		return 0
	}
	return turns[len(turns)-limit] + time.Hour.Milliseconds()
}

// Idle reports whether there was no message in the last second.
func (r *Rate) Idle(now time.Time) bool {
	return len(r.at) == 0 || now.Sub(r.at[len(r.at)-1]) >= time.Second
}
