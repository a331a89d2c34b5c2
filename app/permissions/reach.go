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

// Reach are the folders that the CLI of a session works in: the session's own, and those
// that people added with an answer.
type Reach struct {
	mu   sync.Mutex
	more []string
}

// Blocked is the path that the CLI names as the reason of a question, "" for one within
// its folders: it names those too, and everybody else takes it for one outside.
func (r *Reach) Blocked(folder, path string) string {
	r.mu.Lock()
	folders := append([]string{folder}, r.more...)
	r.mu.Unlock()
	if path == "" || slices.ContainsFunc(folders, func(folder string) bool { return surelyIn(folder, path) }) {
		return ""
	}
	return path
}

// Add takes note of the folders in an answer that the CLI gets.
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

// surelyIn says whether a path is surely a folder or something in it, all links followed.
func surelyIn(folder, path string) bool {
	if strings.HasPrefix(path, "~") || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
		return false // what that is depends on who reads it
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

// realPath follows all links of a path. What does not exist yet has none.
func realPath(path string) (string, bool) {
	rest := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), true
		}
		if _, linkErr := os.Lstat(at); linkErr == nil || !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", false // such as a link to what is not there
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
