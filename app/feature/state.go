package feature

import (
	"slices"
)

// Working says whether a turn of a session is under way.
func Working(state string) bool {
	return slices.Contains([]string{"starting", "running", "waiting", "interrupting", "compacting"}, state)
}
