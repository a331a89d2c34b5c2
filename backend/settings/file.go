package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
	"parley/backend/problem"
)

var errSpoilt = errors.New("it holds values that are not taken")

// trouble is a problem of the file: its id, the file, and one more named
// fact. The zero value means no problem.
type trouble struct{ id, file, fact, value string }

// refresh reads the file again if another program changed it, and reports whether that
// made a difference. It needs s.mu.
func (s *Store) refresh() (changed bool) {
	now := safeopen.StampAt(s.path)
	if now == s.seen || now == (safeopen.Stamp{}) {
		// A missing file is rewritten with the next change.
		return false
	}
	return s.reread(now)
}

// reread reads the file, and reports whether that made a difference. It needs s.mu.
func (s *Store) reread(now safeopen.Stamp) (changed bool) {
	s.seen = now
	before, recent, wrong, held := s.values, s.recent, s.wrong, s.held
	var found map[string]json.RawMessage
	data, err := safeopen.Read(s.path, maxFile)
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if err == nil && found == nil {
		err = errors.New("it holds no object")
	}
	if err != nil {
		s.log.Warn("Couldn't parse the changed settings", "file", s.path, "err", err)
		s.spoilt = true
		s.wrong = trouble{problem.SettingsUnread, s.path, "cause", err.Error()}
		return s.wrong != wrong
	}
	s.unknown = found
	s.adopt(before)
	s.weigh(data)
	if !reflect.DeepEqual(s.values, before) {
		s.put(s.values)
		return true
	}
	return s.wrong != wrong || !slices.Equal(recent, s.recent) || !slices.Equal(held, s.held)
}

// setAside renames a file that is not a JSON object or has rejected values. The problem
// says which values apply afterwards.
func (s *Store) setAside(cause error, id string) error {
	s.unknown, s.spoilt = nil, false
	kept, err := atomicfile.SetAside(s.path)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings in %s cannot be read or moved away. Remove the file.", s.path)
	}
	s.log.Warn("Couldn't parse the settings; set the file aside", "file", kept, "err", cause)
	s.wrong = trouble{id: id, file: kept}
	return nil
}

// adopt copies the known keys from what was read. A key with an invalid value
// keeps the value of fallback.
func (s *Store) adopt(fallback Values) {
	var bad []string
	s.values, s.wrong, s.spoilt = Defaults(), trouble{}, false
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
		s.log.Warn("Ignored settings with invalid values", "file", s.path, "settings", bad)
		s.spoilt = true
		s.wrong = trouble{problem.SettingsIgnored, s.path, "names", strings.Join(bad, ", ")}
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
	for _, h := range s.held {
		if raw, has := s.wanted[h.Field]; has {
			all[h.Field] = raw
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if s.spoilt {
		// A file that was removed since then has nothing to lose.
		if err := s.setAside(errSpoilt, problem.SettingsRewritten); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	data = append(data, '\n')
	err = s.begin(v, data)
	if err == nil {
		err = atomicfile.Private(s.path, data)
		s.done(data, err == nil)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The settings cannot be saved in %s. Check the disk and the folder's permissions.", s.path)
	}
	s.seen = safeopen.StampWritten(s.path, data)
	return nil
}

// Problems returns what is wrong with the text of a settings file.
func Problems(text []byte) []string {
	s := &Store{log: slog.New(slog.DiscardHandler), values: Defaults()}
	if err := json.Unmarshal(text, &s.unknown); err != nil || s.unknown == nil {
		return []string{"it cannot be understood"}
	}
	s.adopt(Defaults())
	if s.wrong == (trouble{}) {
		return nil
	}
	return []string{"some settings have impossible values and are ignored: " + s.wrong.fact}
}
