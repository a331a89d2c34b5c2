package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
	"parley/backend/store"
	"parley/backend/store/schema"
)

// Bounds of the files in a snapshot.
const (
	maxFile   = 4 << 20
	maxStore  = 32 << 20 // for a store beside the main one
	maxUndo   = 16 << 20
	maxFolder = 64 << 20
	maxFiles  = 10_000
)

// Source is the input of a snapshot. All fields but Others are required.
type Source struct {
	// Data is the data folder.
	Data string
	// Version is this Parley's version.
	Version string
	// Store copies the store, and returns the state of the copy.
	Store func(ctx context.Context, path string) (state uint64, err error)
	// Others are the open stores beside it.
	Others []Other
	// State is the store's current state.
	State func() (uint64, error)
	// Taken is called when the copy is valid, and makes the store differ from the copy.
	// It returns the mark before, and the state after that.
	Taken func() (mark string, state uint64, err error)
	// Counts are the numbers of records of each kind.
	Counts func() map[string]int
	Now    func() time.Time

	// step is called before every change to the disk, for tests. It may be nil.
	step func()
}

// Other is a store beside [StoreFile].
type Other struct {
	// Name is one of [Stores].
	Name string
	// State changes with each change of the store.
	State func() (uint64, error)
	Copy  func(ctx context.Context, path string) error
}

func (s *Source) tick() {
	if s.step != nil {
		s.step()
	}
}

// Take makes a snapshot; made is false if nothing differs from the newest one. On
// any failure the snapshots are unchanged, and nothing else is left.
func Take(ctx context.Context, s Source) (m Manifest, made bool, err error) {
	folder := filepath.Join(s.Data, Folder)
	s.tick()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Manifest{}, false, fmt.Errorf("make a snapshot: %w", err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return Manifest{}, false, fmt.Errorf("make a snapshot: %w", err)
	}
	small, left, err := s.files()
	if err != nil {
		return Manifest{}, false, err
	}
	if newest, same := s.unchanged(small); same {
		return newest, false, nil
	}
	s.tick()
	dir, err := os.MkdirTemp(folder, atomicfile.Unfinished+"*") // 0700
	if err != nil {
		return Manifest{}, false, fmt.Errorf("make a snapshot: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	list, err := List(s.Data)
	if err != nil {
		return Manifest{}, false, err
	}
	m = Manifest{Format: format, Number: 1, Version: s.Version, Left: left, Layout: schema.Layout(), Counts: s.Counts()}
	for _, l := range list {
		m.Number = max(m.Number, l.Number+1)
	}
	if err := s.fill(ctx, dir, small, &m); err != nil {
		return Manifest{}, false, fmt.Errorf("make a snapshot: %w", err)
	}
	s.tick()
	if err := os.Rename(dir, filepath.Join(folder, m.Name)); err != nil {
		return Manifest{}, false, fmt.Errorf("make a snapshot: %w", err)
	}
	s.tick()
	syncFolder(folder)
	return m, true, nil
}

// fill writes a snapshot, and its manifest last.
func (s *Source) fill(ctx context.Context, dir string, small map[string][]byte, m *Manifest) error {
	s.tick()
	copied := filepath.Join(dir, StoreFile)
	state, err := s.Store(ctx, copied)
	if err != nil {
		return err
	}
	// Find out now what the disk did not keep, not when it is needed.
	if err := store.Check(copied); err != nil {
		return fmt.Errorf("the copy of the store is not good: %w", err)
	}
	sum, size, err := hashOf(copied)
	if err != nil {
		return err
	}
	m.Files = append(m.Files, File{StoreFile, size, sum})
	for _, o := range s.Others {
		if err := s.other(ctx, dir, o, m); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(small)) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		s.tick()
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := writeSynced(to, small[name]); err != nil {
			return err
		}
		sum, size, err := hashOf(to)
		if err != nil {
			return err
		}
		if want := sumOf(small[name]); sum != want {
			return fmt.Errorf("%s is not what was written", name)
		}
		m.Files = append(m.Files, File{name, size, sum})
	}
	mark, after, err := s.Taken()
	if err != nil {
		return err
	}
	if m.Mark = mark; after == state+1 { // nothing else was written since
		m.Store = after
	}
	at := s.Now()
	m.At, m.Name = at.UnixMilli(), at.UTC().Format(nameLayout)
	raw, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	s.tick()
	if err := writeSynced(filepath.Join(dir, manifestName), raw); err != nil {
		return err
	}
	return syncTree(dir)
}

// other copies a store beside the store. One that is too large is left out.
func (s *Source) other(ctx context.Context, dir string, o Other, m *Manifest) error {
	s.tick()
	state, err := o.State()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, o.Name)
	if err := o.Copy(ctx, path); err != nil {
		return err
	}
	if err := store.Check(path); err != nil {
		return fmt.Errorf("the copy is not good: %w", err)
	}
	sum, size, err := hashOf(path)
	if err != nil {
		return err
	}
	if m.Stores == nil {
		m.Stores = map[string]uint64{}
	}
	m.Stores[o.Name] = state
	if size > maxStore {
		m.Left = append(m.Left, o.Name)
		return os.Remove(path)
	}
	m.Files = append(m.Files, File{o.Name, size, sum})
	return nil
}

// unchanged reports whether a snapshot would equal the newest one.
func (s *Source) unchanged(small map[string][]byte) (Manifest, bool) {
	list, err := List(s.Data)
	if err != nil || len(list) == 0 || list[0].Problem != nil || list[0].Store == 0 {
		return Manifest{}, false
	}
	m := list[0].Manifest
	if state, err := s.State(); err != nil || state != m.Store || len(m.Stores) != len(s.Others) {
		return Manifest{}, false
	}
	for _, o := range s.Others {
		if state, err := o.State(); err != nil || state != m.Stores[o.Name] {
			return Manifest{}, false
		}
	}
	others := 0
	for _, f := range m.Files {
		if f.Name == StoreFile || slices.Contains(Stores(), f.Name) {
			others++
		}
	}
	if len(m.Files) != len(small)+others {
		return Manifest{}, false
	}
	for _, f := range m.Files {
		if f.Name != StoreFile && !slices.Contains(Stores(), f.Name) && (small[f.Name] == nil || sumOf(small[f.Name]) != f.SHA256) {
			return Manifest{}, false
		}
	}
	return m, true
}

// files reads everything but the stores. Missing files are skipped silently.
func (s *Source) files() (found map[string][]byte, left []string, err error) {
	found = map[string][]byte{}
	for _, name := range Files() {
		data, err := safeopen.Read(filepath.Join(s.Data, name), maxFile)
		switch {
		case err == nil:
			found[name] = append([]byte{}, data...)
		case !errors.Is(err, fs.ErrNotExist):
			left = append(left, name)
		}
	}
	left = append(left, s.undone(found)...)
	root, err := os.OpenRoot(filepath.Join(s.Data, Memory))
	if errors.Is(err, fs.ErrNotExist) {
		return found, left, nil
	}
	if err != nil {
		return found, append(left, Memory), nil //nolint:nilerr // the manifest says so
	}
	defer func() { _ = root.Close() }()
	room := int64(maxFolder)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		at := path.Join(Memory, name)
		switch {
		case err != nil:
			left = append(left, at)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir(), d.Name() == ".lock", strings.HasPrefix(d.Name(), atomicfile.Unfinished):
			return nil
		case !d.Type().IsRegular() || !known(at):
			left = append(left, at)
			return nil
		}
		data, err := readIn(root, name, min(room, maxFile))
		if err != nil || len(found) >= maxFiles {
			left = append(left, at)
			return nil //nolint:nilerr // the manifest says so
		}
		room -= int64(len(data))
		found[at] = data
		return nil
	})
	return found, left[:min(len(left), maxFiles)], err
}

func readIn(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = safeopen.ErrTooLarge
	}
	return append([]byte{}, data...), err
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func hashOf(path string) (sum string, size int64, err error) {
	f, err := safeopen.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(data))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncTree syncs the names of all folders below dir to disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			syncFolder(path)
		}
		return err
	})
}

// syncFolder syncs a folder's list of names to disk. Some systems cannot.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
