package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"parley/backend/fault"
)

// Config configures a store.
type Config struct {
	// Migrations lead from every earlier layout to the current one, in order; their
	// number is the layout's number. None may ever be changed or removed.
	Migrations []Migration
	// Logger is required.
	Logger *slog.Logger
	// Timeout is how long to wait for another process that has the file open; 0 means
	// one second.
	Timeout time.Duration
	// Copy returns the path of a sound copy of the store, see [Store.Copy]; "" for none. A
	// damaged store recovers from it what it has lost, and so does a missing or empty one:
	// if there is a copy, there was a store. It may be nil.
	Copy func() string
	// Failed is called for each failed write. It may be nil.
	Failed func(error)
}

// Report is the result of Open's checks.
type Report struct {
	// Rebuilt is true if the file was damaged: a new one replaces it, and
	// records may be missing.
	Rebuilt bool
	// SetAside is the path of the damaged file.
	SetAside string
	// Kept is how many records were intact and are in the new file.
	Kept int
	// Filled is how many more came from the copy.
	Filled int
	// Damage is the first problem, for the log. Without Rebuilt, it only means that
	// the last change before the end may be missing.
	Damage string
}

// mapSize is how much address space is reserved for the file, which costs
// nothing. Until a store exceeds it, writers never wait for readers.
const mapSize = 256 << 20

// growBy is the increment by which the file grows.
const growBy = 1 << 20

// Open opens or creates the store in a file. Its errors are faults: conflict if
// another process has the file open (errors.Is [ErrLocked]) or a newer program
// wrote it (errors.Is [ErrNewer]), unavailable if it can't be read or written. A
// damaged file is no error: see [Report].
func Open(path string, cfg Config) (*Store, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Second
	}
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	file, err := claimFile(path, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	found, err := examineFile(file)
	if err == nil && found.empty && cfg.Copy != nil {
		if from := cfg.Copy(); from != "" {
			found.damage, cfg.Copy = errLost, func() string { return from }
		}
	}
	var report Report
	if err == nil && found.schema > len(cfg.Migrations) {
		err = newer(path, found.schema, len(cfg.Migrations))
	}
	if err == nil && found.damage != nil {
		found.empty = false
		if found.schema == unknown {
			found.schema = len(cfg.Migrations) // the most likely
		}
		report, err = rebuild(path, file, found, cfg)
		_ = file.Close()
		if err == nil {
			file, err = claimFile(path, cfg.Timeout)
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, unreadable(err, path)
	}
	if found.damage == nil && found.image != nil && found.image.metas < 2 {
		// This is the state after a power failure during a write, as if the write
		// hadn't started. It may also be damage to the last one.
		report.Damage = "one of two meta pages is wrong"
		cfg.Logger.Warn("Last change to the store may be lost", "file", path, "damage", report.Damage)
	}
	s := &Store{path: path, file: file, log: cfg.Logger, report: report, failed: cfg.Failed}
	if err := s.start(found.empty, cfg); err != nil {
		return nil, err
	}
	return s, nil
}

// resolve follows a link, because a damaged file is renamed, and finishes what an
// earlier Open may have left incomplete.
func resolve(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// The damaged file was moved away and the complete new one not yet moved in
		// place.
		if err := os.Rename(path+newSuffix, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", unreadable(err, path)
		}
	case err != nil:
		return "", unreadable(err, path)
	case !info.Mode().IsRegular():
		return "", unreadable(errors.New("not a file"), path)
	}
	return path, nil
}

// claimFile opens the file and takes its lock, which is bbolt's own: the file is
// passed to bbolt later. A process that has it open is writing, and reading
// would then show damage where there is none.
func claimFile(path string, wait time.Duration) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrPermission) && os.Chmod(path, 0o600) == nil { //nolint:gosec // it is the user's own file
			file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
		if err != nil {
			return nil, unreadable(err, path)
		}
		err = lockFile(file, wait)
		if err == nil && !sameFile(file, path) {
			// Its previous owner has replaced the file.
			_ = file.Close()
			continue
		}
		if err == nil && runtime.GOOS != "windows" {
			err = file.Chmod(0o600)
		}
		if err != nil {
			_ = file.Close()
			return nil, unreadable(err, path)
		}
		return file, nil
	}
}

func sameFile(file *os.File, path string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// errLost is the problem of a store of which only a copy exists.
var errLost = errors.New("it is missing or empty")

// findings are a file's contents, before bbolt opens it.
type findings struct {
	empty bool
	// schema is the number of the layout, unknown in a new or badly damaged file.
	schema int
	// damage is nil if every page and value is good.
	damage error
	image  *image
}

// unknown is the layout of a file without one.
const unknown = -1

// examineFile reads the whole file. An error means that it couldn't be read.
func examineFile(file *os.File) (findings, error) {
	info, err := file.Stat()
	if err != nil {
		return findings{}, err
	}
	if info.Size() == 0 {
		return findings{empty: true, schema: unknown}, nil
	}
	return examine(file, info.Size(), func(entry) {})
}

// examine also calls visit for every good value reachable in the tree.
func examine(file io.ReaderAt, size int64, visit func(entry)) (findings, error) {
	im, err := openImage(file, size)
	if isDamage(err) {
		return findings{damage: err, schema: unknown}, nil
	}
	if err != nil {
		return findings{}, err
	}
	f := findings{image: im, schema: unknown}
	f.damage = im.walk(func(e entry) error {
		if strings.HasPrefix(e.path, indexesBucket+"/") {
			if checkStamp(e.path, string(e.key), e.value) != nil {
				return damaged("an entry of %s is wrong", e.path)
			}
			visit(e)
			return nil
		}
		v, err := unseal(string(e.key), e.value)
		if err != nil || v.path != e.path {
			return damaged("a value in %s is wrong", e.path)
		}
		if e.path == metaBucket && string(e.key) == schemaKey {
			f.schema = layoutNumber(v.payload)
		}
		visit(e)
		return nil
	})
	if f.damage != nil && !isDamage(f.damage) {
		return findings{}, f.damage
	}
	if f.damage != nil && f.schema == unknown {
		// The path to it is gone, but the number itself may not be.
		var newest uint64
		err = im.scan(func(key, value []byte) error {
			v, err := unseal(string(key), value)
			if err == nil && v.path == metaBucket && string(key) == schemaKey && v.version >= newest {
				f.schema, newest = layoutNumber(v.payload), v.version
			}
			return nil
		})
	}
	return f, err
}

// Check reads a whole file that no process has open, and returns its first
// problem.
func Check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	found, err := examineFile(file)
	if err != nil {
		return err
	}
	return found.damage
}

func layoutNumber(payload []byte) int {
	n, err := strconv.Atoi(string(payload))
	if err != nil || n < 0 {
		return unknown
	}
	return n
}

// start passes the checked file to bbolt and updates the layout.
func (s *Store) start(empty bool, cfg Config) (err error) {
	defer func() {
		if err != nil {
			if s.db != nil {
				_ = s.db.Close()
			}
			_ = s.file.Close()
			if empty {
				// An unfinished file would look damaged next time.
				_ = os.Remove(s.path)
			}
		}
	}()
	return s.guarded(func(*bool) error {
		options := &bbolt.Options{
			Timeout: cfg.Timeout, FreelistType: bbolt.FreelistMapType, NoStatistics: true,
			OpenFile: func(string, int, os.FileMode) (*os.File, error) { return s.file, nil },
		}
		if strconv.IntSize == 64 && runtime.GOOS != "windows" { // there the file would be that long
			options.InitialMmapSize = mapSize
		}
		db, err := bbolt.Open(s.path, 0o600, options)
		if errors.Is(err, berrors.ErrTimeout) {
			return locked(s.path)
		}
		if err != nil {
			return s.unwritable(err)
		}
		db.AllocSize = growBy
		s.db = db
		return s.migrate(cfg.Migrations)
	})
}

func unreadable(err error, path string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	if errors.Is(err, errWouldBlock) {
		return locked(path)
	}
	return fault.Wrap(err, fault.Unavailable,
		"The database in %s cannot be opened. Check that it is a file that you may read and write, and that the disk works.", path)
}

func locked(path string) error {
	return fault.Wrap(ErrLocked, fault.Conflict,
		"Another Parley has %s open. Close it, or choose another folder with --data.", path)
}

func newer(path string, has, knows int) error {
	return fault.Wrap(fmt.Errorf("%w: layout %d, known are %d", ErrNewer, has, knows), fault.Conflict,
		"A newer Parley wrote %s. Update this one, or choose another folder with --data. Nothing was changed.", path)
}
