package filefind

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"

	"parley/backend/fold"
)

// maxEntries bounds the names of one folder, including its folders.
const maxEntries = 200_000

// Index is the names of one folder at one time. It is immutable.
type Index struct {
	// names are relative, with slashes; a folder's has no trailing slash.
	names []string
	// lower are the names in lower case, and masks the letters they contain.
	lower []string
	masks []uint64
	// folders tells which of them are folders.
	folders []bool
	// truncated is set if there were more.
	truncated bool
	made      time.Time
}

// newIndex builds the index of files and their folders. The files' names are
// copied: all share one string.
func newIndex(files, folders [][]byte, truncated bool, now time.Time) *Index {
	all := make(map[string]bool, len(files)+len(folders))
	take := func(name []byte, folder bool) bool {
		if len(all) >= maxEntries {
			truncated = true
			return false
		}
		all[string(name)] = folder
		return true
	}
	for _, name := range files {
		// An invalid name can't be written into a prompt.
		if len(name) == 0 || !utf8.Valid(name) {
			continue
		}
		for i := bytes.LastIndexByte(name, '/'); i > 0; i = bytes.LastIndexByte(name[:i], '/') {
			if _, known := all[string(name[:i])]; known {
				break // and so were its parents
			}
			take(name[:i], true)
		}
		if _, known := all[string(name)]; !known && !take(name, false) {
			break
		}
	}
	for _, name := range folders {
		if utf8.Valid(name) {
			take(name, true)
		}
	}
	x := &Index{truncated: truncated, made: now}
	x.names = make([]string, 0, len(all))
	for name := range all {
		x.names = append(x.names, name)
	}
	slices.Sort(x.names)
	x.lower = make([]string, len(x.names))
	x.masks = make([]uint64, len(x.names))
	x.folders = make([]bool, len(x.names))
	for i, name := range x.names {
		x.lower[i] = fold.Text(name)
		x.masks[i] = mask(x.lower[i])
		x.folders[i] = all[name]
	}
	return x
}

// mask has a bit for every letter and digit of a text; all other characters
// share a few.
func mask(s string) uint64 {
	var m uint64
	for i := range len(s) {
		m |= 1 << bit(s[i])
	}
	return m
}

func bit(c byte) uint {
	switch {
	case c >= 'a' && c <= 'z':
		return uint(c - 'a')
	case c >= '0' && c <= '9':
		return 26 + uint(c-'0')
	}
	return 36 + uint(c)%28
}
