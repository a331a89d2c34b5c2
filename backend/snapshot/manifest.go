package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
	"parley/backend/store"
	"parley/backend/store/schema"
)

// format is the version of snapshots and restore journals. A newer one is
// rejected. Format 1 has neither rooms nor undo records.
const format = 2

const (
	// Folder is where the snapshots are, in the data folder.
	Folder       = "snapshots"
	manifestName = "manifest.json"
	maxManifest  = 8 << 20
	nameLayout   = "20060102-150405.000"
)

// StoreFile is the store, which a snapshot copies through the store itself.
const StoreFile = "parley.db"

// Files are the other files that a snapshot copies.
func Files() []string { return []string{"settings.json", "heartbeats.yaml", "chat.json"} }

// Memory is the folder that a snapshot copies, and Undo the one of which it copies the
// newest records: the contents of files before an undo in a session.
const (
	Memory = "memory"
	Undo   = "undo"
)

// Stores are the stores beside [StoreFile] that a snapshot copies, if they are open.
func Stores() []string { return []string{"rooms.db", "rooms-nats.db"} }

// Manifest describes the contents of a snapshot.
type Manifest struct {
	Format int `json:"format"`
	// Name is the folder's name, At the creation time in milliseconds.
	Name string `json:"name"`
	At   int64  `json:"at"`
	// Number counts the snapshots of a data folder, so that they stay in order when
	// the clock was wrong. It is 0 in snapshots made before numbers existed.
	Number int64 `json:"number,omitempty"`
	// Version is the version of the Parley that made it.
	Version string `json:"version"`
	// Mark is the store's mark, see the package kept.
	Mark string `json:"mark"`
	// Store is the state of the store after the snapshot, 0 if unknown: snapshots
	// of the same state are equal.
	Store uint64 `json:"store"`
	// Stores are the states of the other stores, by name.
	Stores map[string]uint64 `json:"stores,omitempty"`
	// Layout is the store's layout version.
	Layout int `json:"layout"`
	// Counts are the numbers of records of each kind.
	Counts map[string]int `json:"counts"`
	Files  []File         `json:"files"`
	// Left are files that were left out because they are too large or unreadable.
	Left []string `json:"left,omitempty"`
}

// File is one file of a snapshot.
type File struct {
	// Name is the path in the data folder, with slashes.
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Bytes is the total size of the files.
func (m *Manifest) Bytes() (sum int64) {
	for _, f := range m.Files {
		sum += f.Size
	}
	return sum
}

// Has reports whether a snapshot contains any file of a part.
func (m *Manifest) Has(part string) bool {
	return slices.ContainsFunc(m.Files, func(f File) bool { return f.Name == part || strings.HasPrefix(f.Name, part+"/") })
}

var nameForm = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}\.[0-9]{3}$`)

// ErrNewer reports that a newer Parley made a snapshot.
var ErrNewer = errors.New("a newer Parley made it")

// maxListed bounds the number of listed snapshots.
const maxListed = 1000

// Listed is a snapshot as far as its manifest describes it.
type Listed struct {
	Manifest
	// Problem is why it cannot be used, nil if no problem is known.
	Problem error
}

// List returns all snapshots of a data folder, newest first.
func List(data string) ([]Listed, error) {
	entries, err := os.ReadDir(filepath.Join(data, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the snapshots: %w", err)
	}
	var list []Listed
	for _, e := range slices.Backward(entries) { // they are sorted by name
		if !nameForm.MatchString(e.Name()) || !e.IsDir() || len(list) >= maxListed {
			continue
		}
		m, err := read(data, e.Name())
		list = append(list, Listed{m, err})
	}
	inOrder(list)
	return list, nil
}

// inOrder sorts those whose number is known. Unreadable ones stay in the order of their
// names.
func inOrder(list []Listed) {
	var known []Listed
	for _, l := range list {
		if l.Problem == nil {
			known = append(known, l)
		}
	}
	slices.SortStableFunc(known, func(a, b Listed) int { return cmp.Compare(b.Number, a.Number) })
	next := 0
	for i := range list {
		if list[i].Problem == nil {
			list[i] = known[next]
			next++
		}
	}
}

// read reads a manifest. The result has a name and a time even on an error.
func read(data, name string) (Manifest, error) {
	bare := Manifest{Name: name}
	if at, err := time.ParseInLocation(nameLayout, name, time.UTC); err == nil {
		bare.At = at.UnixMilli()
	}
	raw, err := safeopen.Read(filepath.Join(data, Folder, name, manifestName), maxManifest)
	if err != nil {
		return bare, fmt.Errorf("its manifest cannot be read: %w", err)
	}
	var m Manifest
	var at struct{ Format int }
	if err := json.Unmarshal(raw, &at); err == nil && at.Format > format {
		return bare, fmt.Errorf("%w (form %d, known is %d)", ErrNewer, at.Format, format)
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Format < 1 || m.Name != name {
		return bare, errors.New("its manifest cannot be understood")
	}
	if m.Layout > schema.Layout() {
		return bare, fmt.Errorf("%w (layout %d, known is %d)", ErrNewer, m.Layout, schema.Layout())
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		if !known(f.Name) || seen[f.Name] || f.Size < 0 {
			return bare, fmt.Errorf("its manifest names %q", f.Name)
		}
		seen[f.Name] = true
	}
	m.At = bare.At
	return m, nil
}

// undoForm matches the paths of the files of an [Undo] record.
var undoForm = regexp.MustCompile(`^undo/[0-9a-f]{32}/(record\.json|[0-9]{1,4})$`)

// known reports whether a file may be in a snapshot.
func known(name string) bool {
	if name == StoreFile || slices.Contains(Files(), name) || slices.Contains(Stores(), name) || undoForm.MatchString(name) {
		return true
	}
	rest, inside := strings.CutPrefix(name, Memory+"/")
	return inside && filepath.IsLocal(filepath.FromSlash(rest)) && !strings.Contains(rest, "\\")
}

// Verify reads a whole snapshot, and returns what is wrong with it.
func Verify(data, name string) (Manifest, error) {
	if !nameForm.MatchString(name) {
		return Manifest{}, fault.New(fault.NotFound, "There is no snapshot %.100q.", name)
	}
	m, err := read(data, name)
	if err != nil {
		return m, err
	}
	dir := filepath.Join(data, Folder, name)
	if !m.Has(StoreFile) {
		return m, errors.New("it has no store")
	}
	for _, f := range m.Files {
		sum, size, err := hashOf(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil {
			return m, fmt.Errorf("%s cannot be read: %w", f.Name, err)
		}
		if size != f.Size || sum != f.SHA256 {
			return m, fmt.Errorf("%s is not what was put there", f.Name)
		}
	}
	for _, name := range append([]string{StoreFile}, Stores()...) {
		if !m.Has(name) {
			continue
		}
		if err := store.Check(filepath.Join(dir, name)); err != nil {
			return m, fmt.Errorf("%s in it is damaged: %w", name, err)
		}
	}
	return m, nil
}

// Newest is the newest valid snapshot, ok false for none. The problems of the others are
// reported to tell.
func Newest(data string, tell func(name string, problem error)) (m Manifest, ok bool) {
	list, err := List(data)
	if err != nil {
		tell(Folder, err)
		return Manifest{}, false
	}
	for _, l := range list {
		m, err := Verify(data, l.Name)
		if err == nil {
			return m, true
		}
		tell(l.Name, err)
	}
	return Manifest{}, false
}
