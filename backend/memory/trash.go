package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/truncate"
)

// Forgotten is an entry of the trash.
type Forgotten struct {
	ID string
	// At is when it was deleted, and By who did: a session's id, "" for the user.
	At time.Time
	By string
	Place
	// Text is its text. Whole is true for a whole file.
	Text  string
	Whole bool
}

// discarded is a line of the trash.
type discarded struct {
	ID    string `json:"id"`
	At    int64  `json:"at"`
	By    string `json:"by,omitempty"`
	File  string `json:"file"`
	Index int    `json:"index"`
	Raw   string `json:"raw"`
	Text  string `json:"text"`
	Whole bool   `json:"whole,omitempty"`
}

const (
	trashFile = ".trash.jsonl"
	// maxTrash is how many entries the trash holds, and maxTrashBytes their size;
	// the oldest are removed first.
	maxTrash      = 1000
	maxTrashBytes = 4 << 20
)

// trash reads the trash, oldest first. Unreadable lines are skipped.
func (s *Store) trash() ([]discarded, error) {
	f, err := s.read(trashFile, 2*maxTrashBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The memory's trash cannot be read.")
	}
	var list []discarded
	for line := range bytes.Lines(f) {
		var d discarded
		if json.Unmarshal(line, &d) == nil && d.ID != "" {
			list = append(list, d)
		}
	}
	return list, nil
}

func (s *Store) putTrash(list []discarded) error {
	list = list[max(0, len(list)-maxTrash):]
	var lines [][]byte
	size := 0
	for _, d := range slices.Backward(list) {
		line, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if size += len(line) + 1; size > maxTrashBytes {
			break
		}
		lines = append(lines, append(line, '\n'))
	}
	slices.Reverse(lines)
	return s.replace(trashFile, bytes.Join(lines, nil))
}

// Trash lists the deleted memories, newest first.
func (s *Store) Trash() ([]Forgotten, error) {
	list, err := s.trash()
	if err != nil {
		return nil, err
	}
	var found []Forgotten
	for _, d := range slices.Backward(list) {
		if f, err := d.forgotten(); err == nil {
			found = append(found, f)
		}
	}
	return found, nil
}

func (d discarded) forgotten() (Forgotten, error) {
	place, err := PlaceOf(d.File)
	return Forgotten{ID: d.ID, At: time.UnixMilli(d.At), By: d.By, Place: place, Text: Clean(d.Text), Whole: d.Whole}, err
}

// Find returns the memory of some workspaces (slugs, "" for none; nil for all) with an id,
// or else with exactly this text. Several with the text are a fault (conflict) that names
// their ids.
func (s *Store) Find(idOrText string, in []string) (Entry, error) {
	snap, err := s.Look()
	if err != nil {
		return Entry{}, err
	}
	wanted := tidy(idOrText)
	within := func(e Entry) bool { return in == nil || slices.Contains(in, e.Workspace) }
	if e, ok := snap.Entry(wanted); ok && within(e) {
		return e, nil
	}
	var found []Entry
	for _, e := range snap.Entries {
		if e.Text == wanted && wanted != "" && within(e) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, fault.New(fault.NotFound, "No memory has this ID or exactly this text.")
	case 1:
		return found[0], nil
	}
	names := make([]string, 0, len(found))
	for _, e := range found[:min(len(found), 20)] {
		names = append(names, e.ID)
	}
	return Entry{}, fault.New(fault.Conflict, "%d memories have exactly this text. Use the ID of one of them: %s.", len(found), strings.Join(names, ", "))
}

// Forget moves a memory from its file to the trash. By is the session
// that did it, "" for the user.
func (s *Store) Forget(ctx context.Context, id, by string) (Forgotten, error) {
	e, err := s.known(id)
	if err != nil {
		return Forgotten{}, err
	}
	d := discarded{ID: newID(), At: s.cfg.Now().UnixMilli(), By: by, File: e.Name(), Text: e.Text}
	return s.discard(ctx, e.Place, d, func(old []byte, d *discarded) ([]byte, error) {
		at, index, ok := find(old, e)
		if !ok {
			return nil, movedOn(e)
		}
		d.Raw, d.Index = at.raw, index
		next := splice(old, at, "")
		if len(parse(e.Place, string(next), e.At)) == 0 && e.Kind == Daily {
			next = nil // only the heading was left
		}
		return next, nil
	})
}

// ForgetFile moves a whole file to the trash, if it still has the revision.
func (s *Store) ForgetFile(ctx context.Context, place Place, was string) (Forgotten, error) {
	if was == "" {
		return Forgotten{}, fault.New(fault.NotFound, "There is no file %s.", place.Name())
	}
	d := discarded{ID: newID(), At: s.cfg.Now().UnixMilli(), File: place.Name(), Whole: true}
	return s.discard(ctx, place, d, func(old []byte, d *discarded) ([]byte, error) {
		if revision(old) != was {
			return nil, fault.New(fault.Conflict, "%s changed in the meantime. Review it, then try again.", place.Name())
		}
		d.Raw, d.Text = string(old), truncate.Prefix(string(old), MaxEntry)
		return nil, nil
	})
}

// discard changes a file and saves the removed text in the trash. The trash is written first:
// after a crash in between something is in both places, and nothing is lost.
func (s *Store) discard(ctx context.Context, place Place, d discarded, change func(old []byte, d *discarded) ([]byte, error)) (Forgotten, error) {
	err := s.exclusively(ctx, func() error {
		return s.rewrite(ctx, place, func(old []byte) ([]byte, error) {
			next, err := change(old, &d)
			if err != nil {
				return nil, err
			}
			list, err := s.trash()
			if err != nil {
				return nil, err
			}
			return next, s.putTrash(append(list, d))
		})
	})
	if err != nil {
		return Forgotten{}, err
	}
	return d.forgotten()
}

// Restore puts something back into its file, and returns the file. Existing entries
// are not duplicated.
func (s *Store) Restore(ctx context.Context, id string) (Place, error) {
	var place Place
	err := s.exclusively(ctx, func() error {
		list, err := s.trash()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(d discarded) bool { return d.ID == id })
		if i < 0 {
			return fault.New(fault.NotFound, "This is no longer in the trash.")
		}
		d := list[i]
		if place, err = PlaceOf(d.File); err != nil {
			return err
		}
		err = s.rewrite(ctx, place, func(old []byte) ([]byte, error) { return d.into(place, old) })
		if err != nil {
			return err
		}
		return s.putTrash(slices.Delete(list, i, i+1))
	})
	return place, err
}

// into puts back what was discarded.
func (d discarded) into(place Place, old []byte) ([]byte, error) {
	if d.Whole {
		if len(old) > 0 && string(old) != d.Raw {
			return nil, fault.New(fault.Conflict, "A new file %s exists. Move it somewhere else first.", place.Name())
		}
		return []byte(d.Raw), nil
	}
	now := parse(place, string(old), time.Time{})
	if slices.ContainsFunc(now, func(e Entry) bool { return strings.TrimSpace(e.raw) == strings.TrimSpace(d.Raw) }) {
		return old, nil
	}
	raw := strings.TrimRight(d.Raw, "\r\n") + "\n"
	switch {
	case len(old) == 0 && place.Kind == Daily:
		return []byte("# Memories for " + place.Day + "\n\n" + raw), nil
	case d.Index < len(now):
		return splice(old, Entry{start: now[d.Index].start, end: now[d.Index].start}, raw), nil
	case len(old) > 0 && old[len(old)-1] != '\n':
		return append(slices.Clone(old), "\n"+raw...), nil
	}
	return append(slices.Clone(old), raw...), nil
}
