package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/outside"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// keptName is the name under which the accepted text of the file is kept.
const keptName = "settings"

// weigh holds back those values of the file, already read into s, that allow more than
// what was accepted. data is nil if the file doesn't exist. It needs s.mu.
func (s *Store) weigh(data []byte) {
	s.held, s.wanted = nil, map[string]json.RawMessage{}
	s.accepted = maps.Clone(s.unknown)
	if s.keep == nil {
		return
	}
	sum := sha256.Sum256(data)
	s.revision = hex.EncodeToString(sum[:12])
	base := s.keep.Base(keptName, data)
	was := Store{log: s.log, path: s.path, values: Defaults()}
	if json.Unmarshal([]byte(base), &was.unknown) == nil && was.unknown != nil {
		was.adopt(Defaults())
	}
	before := all(was.values, was.unknown)
	for _, c := range outside.Settings(before, all(s.values, s.unknown)) {
		s.held = append(s.held, c)
		at := slices.IndexFunc(fields(), func(f field) bool { return f.name == c.Field })
		switch {
		case at >= 0:
			f := fields()[at]
			s.wanted[c.Field] = rawOf(f.in(&s.values))
			f.copy(&s.values, was.values)
		default:
			if raw, has := s.unknown[c.Field]; has {
				s.wanted[c.Field] = raw
			}
			delete(s.accepted, c.Field)
			if raw, has := was.unknown[c.Field]; has {
				s.accepted[c.Field] = raw
			}
		}
	}
	if len(s.held) > 0 {
		s.log.Warn("Settings changed outside Parley; riskier changes wait for your approval", "file", s.path, "settings", names(s.held))
	}
	if text := s.text(s.values); text != base {
		if err := s.keep.Adopt(keptName, text); err != nil {
			s.log.Warn("Couldn't save the accepted settings", "err", err)
		}
	}
}

func names(list []outside.Change) []string {
	var all []string
	for _, c := range list {
		all = append(all, c.Field)
	}
	return all
}

// all are the fields of the settings as in the file.
func all(v Values, unknown map[string]json.RawMessage) map[string]json.RawMessage {
	m := maps.Clone(unknown)
	if m == nil {
		m = map[string]json.RawMessage{}
	}
	for _, f := range fields() {
		m[f.name] = rawOf(f.in(&v))
	}
	return m
}

func rawOf(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil // plain fields
	}
	return raw
}

// text is the kept form of the settings that apply.
func (s *Store) text(v Values) string {
	raw, err := json.MarshalIndent(all(v, s.accepted), "", "  ")
	if err != nil {
		return "" // plain fields
	}
	return string(raw)
}

// decide drops held fields that a user has since changed. It needs s.mu.
func (s *Store) decide(next Values) {
	before, now := all(s.values, nil), all(next, nil)
	s.held = slices.DeleteFunc(slices.Clone(s.held), func(c outside.Change) bool { return string(before[c.Field]) != string(now[c.Field]) })
}

// begin and done surround a write of the file. They need s.mu.
func (s *Store) begin(v Values, data []byte) error {
	if s.keep == nil {
		return nil
	}
	was, err := safeopen.Read(s.path, maxFile)
	if err != nil {
		was = nil // missing, or it can only be replaced
	}
	return s.keep.Begin(keptName, s.text(v), was, data)
}

func (s *Store) done(data []byte, written bool) {
	if s.keep == nil {
		return
	}
	s.keep.Done(keptName, written)
	if written {
		sum := sha256.Sum256(data)
		s.revision = hex.EncodeToString(sum[:12])
	}
}

// Held returns outside changes in the file that allow more than before, and
// the revision of the file with them. Until they are accepted the old values apply.
func (s *Store) Held() (held []outside.Change, revision string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.held), s.revision
}

func movedOn() error {
	return fault.New(fault.Conflict, "The settings changed in the meantime. Review them, then decide.")
}

// Accept applies the held changes of a revision of the file (fault conflict).
func (s *Store) Accept(revision string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.revision != revision {
		return movedOn()
	}
	next := s.values.clone()
	for _, f := range fields() {
		if raw, has := s.wanted[f.name]; has {
			if err := json.Unmarshal(raw, f.in(&next)); err != nil {
				return fmt.Errorf("read a setting that was read before: %w", err)
			}
		}
	}
	was, held := s.accepted, s.held
	s.accepted, s.held = maps.Clone(s.unknown), nil
	if err := s.keep.Adopt(keptName, s.text(next)); err != nil {
		s.accepted, s.held = was, held
		return fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
	}
	s.put(next)
	return nil
}

// Undo writes the values that apply back to the file, if it still has that revision (fault conflict).
// A copy of the file is kept beside it.
func (s *Store) Undo(revision string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.revision != revision {
		return movedOn()
	}
	if data, err := safeopen.Read(s.path, maxFile); err == nil {
		aside := filepath.Join(filepath.Dir(s.path), "settings.outside-"+time.Now().Format("20060102-150405.000")+".json")
		if err := atomicfile.Private(aside, data); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The settings cannot be saved in %s. Check the disk and the folder's permissions.", s.path)
		}
	}
	held, unknown := s.held, s.unknown
	s.held, s.unknown = nil, maps.Clone(s.accepted)
	if err := s.save(s.values, s.recent); err != nil {
		s.held, s.unknown = held, unknown
		return err
	}
	return nil
}

// Recheck reads the file again: the accepted text may have changed.
func (s *Store) Recheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := safeopen.StampAt(s.path); now != (safeopen.Stamp{}) {
		s.reread(now)
		return
	}
	before := s.values
	s.values, s.unknown = Defaults(), nil
	s.weigh(nil)
	if text := s.text(before); text != s.text(s.values) {
		s.put(s.values)
	}
}
