package child

import "os"

// openStream makes one of the CLI's streams, towards the child or from it. A pipe
// without a name cannot be opened again here.
func openStream(_ string, toChild bool) (own, child *os.File, err error) {
	r, w, err := os.Pipe()
	if toChild {
		return w, r, err
	}
	return r, w, err
}
