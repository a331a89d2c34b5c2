package memory

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/outside"
	"parley/backend/owner"
)

// keptName is the name under which a file's accepted content is stored.
func keptName(p Place) string { return "memory/" + p.Name() }

// linesOf returns the non-empty lines of a text, trimmed.
func linesOf(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// beyond returns the lines of one text that another lacks.
func beyond(text, base string) []string {
	has := map[string]bool{}
	for _, line := range linesOf(base) {
		has[line] = true
	}
	return slices.DeleteFunc(linesOf(text), func(line string) bool { return has[line] })
}

// weigh returns a file's effective content: its content, if it adds nothing to what was
// accepted, or else what was accepted. It must have been read while no one here was
// writing.
func (s *Store) weigh(place Place, data []byte) (holds string, held bool) {
	text := strings.ToValidUTF8(string(data), "\uFFFD") // as it is kept
	if s.cfg.Keep == nil || len(data) == 0 {
		return text, false
	}
	base := s.cfg.Keep.Base(keptName(place), data)
	switch {
	case base == text:
		return text, false
	case len(beyond(text, base)) > 0:
		return base, true
	}
	if err := s.cfg.Keep.Adopt(keptName(place), text); err != nil {
		s.cfg.Logger.Warn("Couldn't save the accepted memory", "file", place.Name(), "err", err)
	}
	return text, false
}

// begin and done surround each write of a file. What Parley changes in a file is
// accepted, and nothing else in it.
func (s *Store) begin(place Place, old, next []byte) error {
	if s.cfg.Keep == nil {
		return nil
	}
	accepted := string(next)
	if base, held := s.weigh(place, old); held {
		gone := beyond(string(old), string(next))
		var kept []string
		for line := range strings.SplitSeq(strings.TrimRight(base, "\n"), "\n") {
			if trimmed := strings.TrimSpace(line); trimmed == "" || !slices.Contains(gone, trimmed) {
				kept = append(kept, line)
			}
		}
		added := beyond(string(next), string(old))
		for line := range strings.SplitSeq(string(next), "\n") {
			if slices.Contains(added, strings.TrimSpace(line)) {
				kept = append(kept, line)
			}
		}
		accepted = strings.Join(kept, "\n") + "\n"
	}
	if len(old) == 0 {
		old = nil
	}
	return s.cfg.Keep.Begin(keptName(place), accepted, old, next)
}

func (s *Store) done(place Place, written bool) {
	if s.cfg.Keep != nil {
		s.cfg.Keep.Done(keptName(place), written)
	}
}

func (s *Store) adopt(place Place, text string) error {
	if s.cfg.Keep == nil {
		return nil
	}
	s.own.Lock()
	err := s.cfg.Keep.Adopt(keptName(place), text)
	s.own.Unlock()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
	}
	s.forgetRead(place.Name())
	return nil
}

// HeldFile is a file with unaccepted foreign changes.
type HeldFile struct {
	Place
	Change outside.Change
	// Revision identifies the content with them.
	Revision string
}

// Held returns the files with changes that wait for a user.
func (s *Store) Held() ([]HeldFile, error) {
	snap, err := s.Look()
	if err != nil {
		return nil, err
	}
	var list []HeldFile
	for _, place := range snap.Held {
		now, base, held := s.heldIn(place)
		if !held {
			continue // no longer
		}
		list = append(list, HeldFile{Place: place, Revision: now.Revision, Change: outside.Change{
			Field: place.Name(), Was: strings.Join(beyond(base, now.Text), "\n"), Is: strings.Join(beyond(now.Text, base), "\n"),
		}})
	}
	return list, nil
}

// heldIn reads a file and weighs it.
func (s *Store) heldIn(place Place) (now Text, base string, held bool) {
	s.own.Lock()
	defer s.own.Unlock()
	now, err := s.Read(place)
	if err == nil {
		base, held = s.weigh(place, []byte(now.Text))
	}
	return now, base, held
}

// Accept accepts a revision of a file (fault conflict).
func (s *Store) Accept(ctx context.Context, place Place, was string) error {
	return s.exclusively(ctx, func() error {
		now, err := s.Read(place)
		if err != nil {
			return err
		}
		if now.Revision != was {
			return movedOn(Entry{Place: place})
		}
		return s.adopt(place, now.Text)
	})
}

// Undo replaces a revision of a file by what was accepted (fault conflict).
// A backup is kept beside it.
func (s *Store) Undo(ctx context.Context, place Place, was string) error {
	return s.exclusively(ctx, func() error {
		base := ""
		err := s.rewrite(ctx, place, func(old []byte) ([]byte, error) {
			if revision(old) != was {
				return nil, movedOn(Entry{Place: place})
			}
			base, _ = s.weigh(place, old)
			aside := path.Join(path.Dir(filepath.ToSlash(place.Name())), "."+path.Base(place.Name())+".outside-"+time.Now().Format("20060102-150405.000"))
			return []byte(base), s.replace(aside, old)
		})
		if err != nil {
			return err
		}
		return s.adopt(place, base)
	})
}

// Recheck rereads all files, because what is accepted may have changed.
func (s *Store) Recheck() {
	s.mu.Lock()
	s.files, s.now = map[string]*file{}, nil
	s.mu.Unlock()
	owner.Wake(s.wake)
}
