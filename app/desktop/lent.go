package desktop

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/backend/fault"
)

const (
	// maxLent is how many files are kept for other programs.
	maxLent = 32
	// maxLentBytes bounds one of them.
	maxLentBytes = 64 << 20
	maxLentName  = 255
)

// lending stores files that the user drags out of the window where the other program finds them: in
// a private folder, each in its own subfolder. They are deleted when the window ends, the oldest
// earlier if there are many.
type lending struct {
	dir string

	mu   sync.Mutex
	keys []string // oldest first
}

// newLending deletes what a crashed Parley left in the folder.
func newLending(dir string) *lending {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	l := &lending{dir: dir}
	l.end()
	return l
}

func (l *lending) end() { _ = os.RemoveAll(l.dir) }

// address is the folder's URL, so that the page can tell a file's URL immediately: a drag does not
// wait for it to be written.
func (l *lending) address() string {
	return (&url.URL{Scheme: "file", Path: l.dir + "/"}).String()
}

// lend writes a file. key, chosen by the page, names its subfolder.
func (l *lending) lend(key, name string, content []byte) error {
	switch {
	case !isLentKey(key):
		return fault.New(fault.Invalid, "A key must have 16 hexadecimal digits (parameter key).")
	case name == "" || len(name) > maxLentName || name[0] == '.' || strings.ContainsAny(name, "/\\\x00"):
		return fault.New(fault.Invalid, "This is not a valid file name (parameter name).")
	case len(content) > maxLentBytes:
		return fault.New(fault.TooLarge, "The file is too large; the limit is %d MB.", maxLentBytes>>20)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	own := filepath.Join(l.dir, key)
	err := errors.Join(os.MkdirAll(l.dir, 0o700), os.Mkdir(own, 0o700))
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "A file with this key already exists.")
	}
	if err == nil {
		l.keys = append(l.keys, key)
		err = os.WriteFile(filepath.Join(own, name), content, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The file could not be written. Check that the disk has free space.")
	}
	for len(l.keys) > maxLent {
		_ = os.RemoveAll(filepath.Join(l.dir, l.keys[0]))
		l.keys = l.keys[1:]
	}
	return nil
}

func isLentKey(key string) bool {
	return len(key) == 16 && strings.Trim(key, "0123456789abcdef") == ""
}

// Lent returns the URL of the folder in which [Host.Lend] puts files, with a trailing slash.
func (h *Host) Lent(secret string) (address string, err error) {
	defer h.settle("lent", &err)
	if err := h.admit(secret, "lent"); err != nil {
		return "", err
	}
	return h.lending.address(), nil
}

// Lend writes a file that the user drags out of the page, at Lent()/key/name. content is base64.
func (h *Host) Lend(secret, key, name, content string) (err error) {
	h.calls.Add(1)
	defer h.calls.Done()
	defer h.settle("lend", &err)
	if err := h.admit(secret, "lend"); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "This is not base64 (parameter content).")
	}
	return h.lending.lend(key, name, data)
}
