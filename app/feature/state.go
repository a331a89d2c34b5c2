package feature

import (
	"slices"
)

// Working reports whether a turn of a session is running.
func Working(state string) bool {
	return slices.Contains([]string{"starting", "running", "waiting", "interrupting", "compacting"}, state)
}
