package handover

import (
	"errors"
	"os"
)

// variable holds the numbers of the files.
const variable = "PARLEY_HANDOVER"

const (
	// maxState bounds a state in bytes: it has to fit into a socket that nobody reads.
	maxState = 96 << 10
	// maxFiles bounds the files, of either kind.
	maxFiles = 4096
)

// Given is what one program hands to the next.
type Given struct {
	// Files are open, by names that both know. A nil one is left out.
	Files map[string]*os.File
	// Bare are further files, which keep their numbers: the state says what they are, and
	// whoever reads that there owns them.
	Bare  []*os.File
	State []byte
	// came are the numbers of the bare files that came with it: they go on to whoever is
	// handed all of it again, because this program does not work.
	came []int
}

// header is what stands in the variable.
type header struct {
	// PID is the process's: one that inherited the variable has none of the files.
	PID   int            `json:"pid"`
	State int            `json:"state"`
	Files map[string]int `json:"files"`
	Bare  []int          `json:"bare,omitempty"`
}

// File is one of the files, nil for none. A nil Given has none.
func (g *Given) File(name string) *os.File {
	if g == nil {
		return nil
	}
	return g.Files[name]
}

// Close closes the files. It may be repeated.
func (g *Given) Close() {
	if g == nil {
		return
	}
	for _, f := range g.Files {
		if f != nil {
			_ = f.Close()
		}
	}
}

var errLong = errors.New("there is more to hand over than there is room for")
