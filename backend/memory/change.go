package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/backend/fault"
)

// Text is the content of a file.
type Text struct {
	Text string
	// Revision identifies this content; "" is that of a missing file.
	Revision string
}

func revision(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// Read returns a file. A missing one is empty.
func (s *Store) Read(place Place) (Text, error) {
	data, err := s.read(place.Name(), MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Text{}, nil
	case errors.Is(err, errNoFile):
		return Text{}, fault.New(fault.Conflict, "%s in the memory is a link or a folder and is ignored.", place.Name())
	case err != nil:
		return Text{}, fault.Wrap(err, fault.Unavailable, "%s cannot be read.", place.Name())
	case len(data) > MaxFile:
		return Text{}, fault.New(fault.TooLarge, "%s is larger than %d KB.", place.Name(), MaxFile>>10)
	}
	return Text{Text: strings.ToValidUTF8(string(data), "\uFFFD"), Revision: revision(data)}, nil
}

// Write replaces a file; an empty text removes it. folder is that of the workspace it
// is about, "" for none, or if the memory knows it. Its faults: conflict (the revision
// has changed), too_large, invalid, busy, unavailable.
func (s *Store) Write(ctx context.Context, place Place, folder, text, was string) (Text, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Text{}, fault.New(fault.Invalid, "Memory files must be plain text.")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	err := s.exclusively(ctx, func() error {
		if place.Workspace != "" && Slug(folder) == place.Workspace {
			if err := s.ensure(folder); err != nil {
				return err
			}
		}
		err := s.rewrite(ctx, place, func(old []byte) ([]byte, error) {
			if revision(old) != was {
				return nil, fault.New(fault.Conflict, "%s changed in the meantime. Review it, then save again.", place.Name())
			}
			return []byte(text), nil
		})
		if err != nil {
			return err
		}
		return s.adopt(place, text) // whoever writes a whole file has seen all of it
	})
	if err != nil {
		return Text{}, err
	}
	return Text{Text: text, Revision: revision([]byte(text))}, nil
}

// find finds the entry in a content that was read earlier: at its place, or wherever
// it is now.
func find(content []byte, was Entry) (Entry, int, bool) {
	now := parse(was.Place, string(content), was.At)
	same := func(e Entry) bool { return e.raw == was.raw }
	i := slices.IndexFunc(now, func(e Entry) bool { return same(e) && e.start == was.start })
	if i < 0 {
		i = slices.IndexFunc(now, same)
	}
	if i < 0 {
		return Entry{}, 0, false
	}
	return now[i], i, true
}

func (s *Store) known(id string) (Entry, error) {
	snap, err := s.Look()
	if err != nil {
		return Entry{}, err
	}
	e, ok := snap.Entry(id)
	if !ok {
		return e, fault.New(fault.NotFound, "There is no memory %.100q.", id)
	}
	return e, nil
}

func movedOn(e Entry) error {
	return fault.New(fault.Conflict, "%s changed in the meantime. Review it, then try again.", e.Name())
}

// Change replaces a memory's text, if it still has the old one (was). It keeps its
// time, origin and id.
func (s *Store) Change(ctx context.Context, id, was, text string) (Entry, error) {
	text = tidy(text)
	switch {
	case text == "":
		return Entry{}, fault.New(fault.Invalid, "A memory cannot be empty. Forget it instead (parameter text).")
	case len(text) > MaxEntry:
		return Entry{}, fault.New(fault.TooLarge, "A memory can have at most %d KB; this one has %d KB.", MaxEntry>>10, (len(text)+1023)>>10)
	}
	e, err := s.known(id)
	if err != nil {
		return e, err
	}
	if e.Text != was {
		return e, movedOn(e)
	}
	if e.Kind != Daily {
		return e, fault.New(fault.Invalid, "To change this memory, edit %s.", e.Name())
	}
	if !ids.MatchString(id) || strings.HasPrefix(id, "h") && len(id) == 13 {
		id = newID() // another program's line gets its own id
	}
	err = s.exclusively(ctx, func() error {
		return s.rewrite(ctx, e.Place, func(old []byte) ([]byte, error) {
			at, _, ok := find(old, e)
			if !ok {
				return nil, movedOn(e)
			}
			line := "- " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
			if at.Clock {
				line = block(at.At, at.About, text, id, at.Origin)
			}
			return splice(old, at, line), nil
		})
	})
	if err != nil {
		return e, err
	}
	snap, err := s.Look()
	if err != nil {
		return e, err
	}
	if now, ok := snap.Entry(id); ok {
		return now, nil
	}
	// Without a clock there is no comment for an id.
	for _, now := range snap.Entries {
		if now.Place == e.Place && now.Text == text {
			return now, nil
		}
	}
	return e, movedOn(e)
}

// splice replaces an entry by text.
func splice(content []byte, e Entry, text string) []byte {
	return bytes.Join([][]byte{content[:e.start], content[e.end:]}, []byte(text))
}
