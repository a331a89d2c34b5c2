// Package settings keeps the person's choices, and the folders they used last, in
// one JSON file that only they can read. It owns that file: a change is validated
// first, written in whole, and put in place by renaming, so that a crash leaves
// either the old file or the new one. Keys that it does not know are kept.
//
// A file that cannot be understood is set aside under another name, never
// overwritten, and the defaults are used.
//
// The package starts no goroutine. It does not know what the settings are for.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/backend/fault"
)

// Values are the settings.
type Values struct {
	// Theme is "system", "light" or "dark".
	Theme string `json:"theme"`
	// CLIPath is the CLI to run; "" means to look for it.
	CLIPath string `json:"cliPath"`
	// PermissionMode and Model are the defaults of new sessions; "" leaves the
	// choice to the CLI.
	PermissionMode string `json:"permissionMode"`
	Model          string `json:"model"`
	// Engine is how new sessions drive the CLI: "cli" or "sdk".
	Engine string `json:"engine"`
	// QuestionTimeoutHours is how long a permission question waits, 1 to 720.
	QuestionTimeoutHours int `json:"questionTimeoutHours"`
}

// Defaults are the values of a new file.
func Defaults() Values {
	return Values{Theme: "system", Engine: "cli", QuestionTimeoutHours: 24}
}

// recentKey is the file's key for the folders, maxRecent how many are kept.
const (
	recentKey = "recentFolders"
	maxRecent = 20
)

// maxFile bounds what is read; a real file has a few hundred bytes.
const maxFile = 1 << 20

// Store is an open settings file. Its methods may be called from any goroutine.
type Store struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	values  Values
	recent  []string
	unknown map[string]json.RawMessage
	warning string
	subs    map[chan Values]struct{}
}

// Open reads the file, which need not exist; its folder must. It fails only when
// the file cannot be read at all, with a fault (unavailable).
func Open(path string, log *slog.Logger) (*Store, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		// Some people keep such files elsewhere and link to them.
		path = real
	}
	s := &Store{path: path, log: log, values: Defaults(), subs: map[chan Values]struct{}{}}
	data, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case errors.Is(err, errTooLarge):
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "The settings in %s cannot be read. Check the file's permissions.", path)
	}
	if err == nil {
		err = json.Unmarshal(data, &s.unknown)
	}
	if err != nil || s.unknown == nil {
		return s, s.setAside(err)
	}
	s.adopt()
	return s, nil
}

var errTooLarge = errors.New("file too large")

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	return data, err
}

// setAside renames a file that is no JSON object.
func (s *Store) setAside(cause error) error {
	s.unknown = nil
	kept := filepath.Join(filepath.Dir(s.path), "settings.broken-"+time.Now().Format("20060102-150405.000")+".json")
	if err := os.Rename(s.path, kept); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings in %s cannot be understood and not be moved away. Remove the file.", s.path)
	}
	s.log.Warn("Settings could not be understood and were set aside", "file", kept, "error", cause)
	s.warning = fmt.Sprintf("The settings could not be understood, so Parley uses the defaults. The old file is kept as %s.", kept)
	return nil
}

// adopt takes the known keys out of what was read. A key with an impossible value
// counts as missing.
func (s *Store) adopt() {
	var bad []string
	for _, f := range fields() {
		raw, ok := s.unknown[f.name]
		if !ok {
			continue
		}
		delete(s.unknown, f.name)
		v := s.values
		if json.Unmarshal(raw, f.in(&v)) != nil || f.problem(v) != "" {
			bad = append(bad, f.name)
			continue
		}
		s.values = v
	}
	if raw, ok := s.unknown[recentKey]; ok {
		delete(s.unknown, recentKey)
		if json.Unmarshal(raw, &s.recent) != nil {
			s.recent = nil
		}
		s.recent = s.recent[:min(len(s.recent), maxRecent)]
	}
	if len(bad) > 0 {
		s.log.Warn("Settings with impossible values were ignored", "file", s.path, "settings", bad)
		s.warning = fmt.Sprintf("Some settings in %s have impossible values and are ignored: %q.", s.path, bad)
	}
}

// Get returns the values in force.
func (s *Store) Get() Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values
}

// Warning is a sentence for the person about what was wrong with the file when
// it was opened, or "".
func (s *Store) Warning() string { return s.warning }

// Set lets change alter a copy of the values, checks and saves it, and tells the
// subscribers. Wrong values are a fault (invalid) that names each of them; nothing
// has changed then, nor when the file cannot be written (unavailable).
func (s *Store) Set(change func(*Values)) (Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.values
	change(&next)
	if err := Check(next); err != nil {
		return s.values, err
	}
	if next == s.values {
		return next, nil
	}
	if err := s.save(next, s.recent); err != nil {
		return s.values, err
	}
	s.values = next
	for c := range s.subs {
		replace(c, next)
	}
	return next, nil
}

// RecentFolders lists the folders given to [Store.UseFolder], newest first.
func (s *Store) RecentFolders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.recent...)
}

// UseFolder puts a folder at the head of the recent ones.
func (s *Store) UseFolder(folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.recent) > 0 && s.recent[0] == folder {
		return nil
	}
	recent := []string{folder}
	for _, r := range s.recent {
		if r != folder && len(recent) < maxRecent {
			recent = append(recent, r)
		}
	}
	if err := s.save(s.values, recent); err != nil {
		return err
	}
	s.recent = recent
	return nil
}

// Subscribe returns a channel that holds the newest values after every change; a
// receiver that is slow misses the ones in between. The function ends the
// subscription and may be called again.
func (s *Store) Subscribe() (<-chan Values, func()) {
	c := make(chan Values, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, c)
	}
}

// replace needs s.mu: there is only one sender.
func replace(c chan Values, v Values) {
	select {
	case <-c:
	default:
	}
	c <- v
}

func (s *Store) save(v Values, recent []string) error {
	all := map[string]any{recentKey: append([]string{}, recent...)}
	for name, raw := range s.unknown {
		all[name] = raw
	}
	for _, f := range fields() {
		all[f.name] = f.in(&v)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := writeFile(s.path, append(data, '\n')); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings cannot be saved in %s. Check the disk and the folder's permissions.", s.path)
	}
	return nil
}

// writeFile replaces a file in one step, readable by its owner only.
func writeFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".settings-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Modes are the permission modes that a session may start with.
func Modes() []string {
	return []string{"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}
}

func oneOf(v string, allowed ...string) string {
	if slices.Contains(allowed, v) {
		return ""
	}
	return fmt.Sprintf("must be one of %q, not %q", allowed, v)
}
