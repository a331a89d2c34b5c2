package undo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

// Bounds of what is kept.
const (
	// MaxFiles and maxBytes are per record.
	MaxFiles = 2000
	maxBytes = 128 << 20
	// maxRecords bounds the sessions with a record; the oldest are removed first.
	maxRecords = 100
	maxMeta    = 4 << 20
)

// Change is a file and its new content.
type Change struct {
	// Path is relative to the folder.
	Path string
	To   Content
	// Seen is the stamp of what a user saw in its place: a file that has
	// changed since then is left alone.
	Seen string
}

// Refused is a file that was not changed.
type Refused struct {
	Path, Reason string
}

// Record is the last restore of a session.
type Record struct {
	At int64 `json:"at"`
	// Label is free text of the caller.
	Label  string  `json:"label"`
	Folder string  `json:"folder"`
	Files  []saved `json:"files"`
}

// saved is a file's previous content, and its new stamp.
type saved struct {
	Path   string      `json:"path"`
	Absent bool        `json:"absent,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	// Left is the stamp of the new content.
	Left string `json:"left"`
}

// Paths are the record's files.
func (r Record) Paths() []string {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	return paths
}

// Store keeps the records in its own folder.
type Store struct {
	dir string
	// mu serializes changes: two sessions may share a folder.
	mu sync.Mutex
}

// NewStore returns the store in a folder, which is created on demand.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Apply restores files of a folder. Their current contents are kept, replacing the
// session's previous record. Files that cannot be restored, or have changed since the
// user saw them, are refused one by one; an error means that nothing was
// touched.
func (s *Store) Apply(session, folder, label string, changes []Change) (done []string, refused []Refused, err error) {
	if len(changes) > MaxFiles {
		return nil, nil, fault.New(fault.TooLarge, "%d files are too many at once; the limit is %d.", len(changes), MaxFiles)
	}
	root, err := OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	var total int
	var kept []Content
	var todo []Change
	record := Record{At: time.Now().UnixMilli(), Label: label, Folder: folder}
	for _, c := range changes {
		now, err := root.Read(c.Path)
		switch {
		case err != nil:
			refused = append(refused, Refused{c.Path, fault.MessageOf(err)})
			continue
		case now.Stamp() != c.Seen:
			refused = append(refused, Refused{c.Path, "The file was changed in the meantime."})
			continue
		case now.same(c.To):
			continue
		}
		if total += len(now.Bytes); total > maxBytes {
			return nil, nil, fault.New(fault.TooLarge, "Together, the files are larger than %d MB, so their current content cannot be saved first. Choose fewer files.", maxBytes>>20)
		}
		kept, todo = append(kept, now), append(todo, c)
		record.Files = append(record.Files, saved{Path: c.Path, Absent: now.Absent, Mode: now.Mode, Left: c.To.Stamp()})
	}
	if len(todo) == 0 {
		return nil, refused, nil
	}
	if err := s.keep(session, record, kept); err != nil {
		return nil, nil, fault.Wrap(err, fault.Unavailable, "The files' current content cannot be saved first, so nothing was undone. Check the free disk space.")
	}
	for _, c := range todo {
		if err := root.write(c.Path, c.To); err != nil {
			refused = append(refused, Refused{c.Path, fault.MessageOf(err)})
			continue
		}
		done = append(done, c.Path)
	}
	return done, refused, nil
}

// Last returns the last restore of a session, and false if there is none.
func (s *Store) Last(session string) (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last(session)
}

// Forget removes the record of a session that is deleted permanently.
func (s *Store) Forget(session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.RemoveAll(s.place(session))
}

// Redo restores the files to their contents before [Store.Apply], once. A file that changed
// since Apply is refused, and kept for another try.
func (s *Store) Redo(session string) (done []string, refused []Refused, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.last(session)
	if !ok {
		return nil, nil, fault.New(fault.NotFound, "There is nothing to redo in this session.")
	}
	root, err := OpenRoot(record.Folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	for i, f := range record.Files {
		if err := s.redo(root, s.place(session), i, f); err != nil {
			refused = append(refused, Refused{f.Path, fault.MessageOf(err)})
			continue
		}
		done = append(done, f.Path)
	}
	if len(refused) == 0 {
		err = os.RemoveAll(s.place(session))
	}
	return done, refused, err
}

func (s *Store) redo(root *Root, place string, i int, f saved) error {
	was := Content{Absent: f.Absent, Mode: f.Mode}
	if !f.Absent {
		var err error
		if was.Bytes, err = safeopen.Read(filepath.Join(place, strconv.Itoa(i)), MaxFile); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The earlier version is no longer stored.")
		}
	}
	now, err := root.Read(f.Path)
	switch {
	case err != nil:
		return err
	case now.same(was):
		return nil
	case now.Stamp() != f.Left:
		return fault.New(fault.Conflict, "The file has changed since then.")
	}
	return root.write(f.Path, was)
}

// place is the folder of a session's record. Ids come from outside.
func (s *Store) place(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16]))
}

func (s *Store) last(session string) (Record, bool) {
	path := filepath.Join(s.place(session), "record.json")
	data, err := safeopen.Read(path, maxMeta)
	var r Record
	if err != nil || json.Unmarshal(data, &r) != nil || len(r.Files) == 0 {
		return Record{}, false
	}
	return r, true
}

// keep writes a record with its contents, replacing the previous one.
func (s *Store) keep(session string, r Record, contents []Content) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(s.dir, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for i, c := range contents {
		if !c.Absent {
			err = errors.Join(err, writeSynced(filepath.Join(temp, strconv.Itoa(i)), c.Bytes))
		}
	}
	data, failed := json.Marshal(r)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(temp, "record.json"), data); err != nil {
		return err
	}
	place := s.place(session)
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	if err := os.Rename(temp, place); err != nil {
		return err
	}
	return s.prune()
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// prune removes the oldest records, and partial ones left by a crash.
func (s *Store) prune() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("look at the records: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() })
	if len(entries) <= maxRecords {
		return nil
	}
	age := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:len(entries)-maxRecords] {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, e.Name())))
	}
	return err
}
