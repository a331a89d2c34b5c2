package child

import "os"

// openStream creates one of the CLI's streams, to or from the child. An unnamed
// pipe can't be reopened here.
func openStream(_ string, toChild bool) (own, child *os.File, err error) {
	r, w, err := os.Pipe()
	if toChild {
		return w, r, err
	}
	return r, w, err
}
