package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/replace"
)

var errSpoilt = errors.New("it holds values that are not taken")

// stamp tells whether a file is the one that was read.
type stamp struct {
	modified time.Time
	size     int64
}

// stampOf is zero for a file that is not there.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// refresh reads the file again when somebody else changed it, and says whether that
// made a difference. It needs s.mu.
func (s *Store) refresh() (changed bool) {
	now := stampOf(s.path)
	if now == s.seen || now == (stamp{}) {
		// A file that is gone is written again with the next change.
		return false
	}
	s.seen = now
	before, recent, warning := s.values, s.recent, s.warning
	var found map[string]json.RawMessage
	data, err := read(s.path)
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if err == nil && found == nil {
		err = errors.New("it holds no object")
	}
	if err != nil {
		s.log.Warn("Changed settings could not be understood", "file", s.path, "error", err)
		s.spoilt = true
		s.warning = fmt.Sprintf("The settings in %s were changed and cannot be understood (%v). The old ones stay in force until the file is put right.", s.path, err)
		return s.warning != warning
	}
	s.unknown = found
	s.adopt(before)
	if !reflect.DeepEqual(s.values, before) {
		s.put(s.values)
		return true
	}
	return s.warning != warning || !slices.Equal(recent, s.recent)
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

// setAside renames a file that is no JSON object, or holds what is not taken. After it,
// what is in force is what the sentence says.
func (s *Store) setAside(cause error, after string) error {
	s.unknown, s.spoilt = nil, false
	kept := filepath.Join(filepath.Dir(s.path), "settings.broken-"+time.Now().Format("20060102-150405.000")+".json")
	if err := os.Rename(s.path, kept); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings in %s cannot be understood and not be moved away. Remove the file.", s.path)
	}
	s.log.Warn("Settings could not be understood and were set aside", "file", kept, "error", cause)
	s.warning = fmt.Sprintf("The settings could not be understood, so Parley %s. The old file is kept as %s.", after, kept)
	return nil
}

// adopt takes the known keys out of what was read. A key with an impossible value
// leaves what is in fallback.
func (s *Store) adopt(fallback Values) {
	var bad []string
	s.values, s.warning, s.spoilt = Defaults(), "", false
	for _, f := range fields() {
		raw, ok := s.unknown[f.name]
		if !ok {
			continue
		}
		delete(s.unknown, f.name)
		v := s.values.clone()
		if json.Unmarshal(raw, f.in(&v)) != nil || f.problem(v) != "" {
			bad = append(bad, f.name)
			f.copy(&s.values, fallback)
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
		s.spoilt = true
		s.warning = fmt.Sprintf("Some settings in %s have impossible values and are ignored: %q.", s.path, bad)
	}
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
	if s.spoilt {
		// A file that was removed meanwhile has nothing to lose.
		if err := s.setAside(errSpoilt, "wrote them anew as they were before"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := replace.Private(s.path, append(data, '\n')); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings cannot be saved in %s. Check the disk and the folder's permissions.", s.path)
	}
	s.seen = stampOf(s.path)
	return nil
}
