package handover

import (
	"errors"
	"os"
)

// variable holds the numbers of the files.
const variable = "PARLEY_HANDOVER"

const (
	// maxState bounds a state in bytes: it must fit into the buffer of a socket that
	// nobody reads.
	maxState = 96 << 10
	// maxFiles bounds the files of either kind.
	maxFiles = 4096
)

// Given is what one program passes to the next.
type Given struct {
	// Files are open files by agreed names. Nil ones are skipped.
	Files map[string]*os.File
	// Bare are further files that keep their numbers: the state describes them, and its
	// reader owns them.
	Bare  []*os.File
	State []byte
	// came are the numbers of the bare files it arrived with: they are passed on if all
	// of it is handed over again because this program doesn't work.
	came []int
}

// header is the content of the variable.
type header struct {
	// PID is the process's: another one that inherited the variable has none of
	// the files.
	PID   int            `json:"pid"`
	State int            `json:"state"`
	Files map[string]int `json:"files"`
	Bare  []int          `json:"bare,omitempty"`
}

// File returns one of the files, nil for none. A nil Given has none.
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
