package permissions

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Reach are the folders a session's CLI works in: the session's own, and those that users added
// with an answer.
type Reach struct {
	mu   sync.Mutex
	more []string
}

// Blocked is the path that the CLI gives as the reason of a request, "" for one within its folders:
// the CLI reports those too, while others read it as an outside path.
func (r *Reach) Blocked(folder, path string) string {
	r.mu.Lock()
	folders := append([]string{folder}, r.more...)
	r.mu.Unlock()
	if path == "" || slices.ContainsFunc(folders, func(folder string) bool { return surelyIn(folder, path) }) {
		return ""
	}
	return path
}

// Add records the folders in an answer to the CLI.
func (r *Reach) Add(updates []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, raw := range updates {
		var update struct {
			Type        string   `json:"type"`
			Directories []string `json:"directories"`
		}
		if json.Unmarshal(raw, &update) == nil && update.Type == "addDirectories" {
			r.more = append(r.more, update.Directories...)
		}
	}
}

// surelyIn reports whether a path is certainly a folder or something in it, with all links
// resolved.
func surelyIn(folder, path string) bool {
	if strings.HasPrefix(path, "~") || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
		return false // its meaning depends on who reads it
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	in, ok := realPath(folder)
	if !ok {
		return false
	}
	real, ok := realPath(path)
	if !ok {
		return false
	}
	rest, err := filepath.Rel(in, real)
	return err == nil && filepath.IsLocal(rest)
}

// realPath resolves all links of a path. A path that does not exist yet has none.
func realPath(path string) (string, bool) {
	rest := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), true
		}
		if _, linkErr := os.Lstat(at); linkErr == nil || !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", false // such as a dangling link
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
