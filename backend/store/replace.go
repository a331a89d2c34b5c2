package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
)

// newSuffix is the suffix of the new file before it replaces the damaged one.
const newSuffix = ".new"

// rebuild creates a new file from what is intact in a damaged one and replaces
// it. If that fails, perhaps for lack of space, the old file is unchanged.
func rebuild(path string, file *os.File, found findings, cfg Config) (Report, error) {
	fresh := path + newSuffix
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Report{}, err
	}
	kept, filled, err := salvage(fresh, found, cfg)
	if err != nil {
		_ = os.Remove(fresh)
		var f *fault.Error
		if errors.As(err, &f) {
			return Report{}, err
		}
		return Report{}, fault.Wrap(err, fault.Unavailable,
			"The database in %s is damaged, and a new one cannot be written next to it. Check that the disk has free space.", path)
	}
	if runtime.GOOS == "windows" { // an open file can't be renamed there
		_ = file.Close()
	}
	aside, err := atomicfile.SetAside(path)
	if err != nil {
		_ = os.Remove(fresh)
		return Report{}, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return Report{}, err
	}
	cfg.Logger.Warn("Rebuilt a damaged store; set the old file aside", "file", aside, "damage", found.damage, "kept", kept, "filled", filled)
	return Report{Rebuilt: true, SetAside: aside, Kept: kept, Filled: filled, Damage: found.damage.Error()}, nil
}

// salvage writes a store with all recoverable records of a damaged one. What it has
// lost comes from the copy, if there is one with the same layout. Indexes are omitted:
// a collection builds missing ones.
func salvage(path string, found findings, cfg Config) (kept, filled int, err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType, NoStatistics: true})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	newest := map[string]uint64{}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := putLayout(tx, found.schema); err != nil {
			return err
		}
		if found.image != nil {
			if err := keepIntact(tx, found.image, newest); err != nil {
				return err
			}
		}
		kept = len(newest)
		filled, err = fill(tx, newest, found.schema, cfg)
		return err
	})
	return kept, filled, err
}

// keepIntact stores the newest version of each recoverable value.
func keepIntact(tx *bbolt.Tx, from *image, newest map[string]uint64) error {
	return from.scan(func(key, value []byte) error {
		v, err := unseal(string(key), value)
		if err != nil || !strings.HasPrefix(v.path, recordsBucket+"/") {
			return nil //nolint:nilerr // a damaged one is lost
		}
		id := v.path + "\x00" + string(key)
		if version, ok := newest[id]; ok && version > v.version {
			return nil
		}
		newest[id] = v.version
		b, err := makeBucket(tx, v.path)
		if err != nil {
			return err
		}
		v.version = 0 // the new file counts from zero
		return b.Put(key, v.seal(string(key)))
	})
}

// fill adds what the copy has and the damaged file has lost. A copy that is unsound or
// has another layout is ignored.
func fill(tx *bbolt.Tx, has map[string]uint64, layout int, cfg Config) (filled int, err error) {
	from := ""
	if cfg.Copy != nil {
		from = cfg.Copy()
	}
	if from == "" {
		return 0, nil
	}
	file, err := os.Open(from)
	if err != nil {
		return 0, nil //nolint:nilerr // the store is rebuilt without it
	}
	defer func() { _ = file.Close() }()
	found, err := examineFile(file)
	if err != nil || found.damage != nil || found.empty || found.schema != layout {
		cfg.Logger.Warn("Couldn't use the copy of the store", "file", from, "layout", found.schema, "damage", found.damage, "err", err)
		return 0, nil
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	var failed error
	found, err = examine(file, info.Size(), func(e entry) {
		if _, kept := has[e.path+"\x00"+string(e.key)]; kept || failed != nil || !strings.HasPrefix(e.path, recordsBucket+"/") {
			return
		}
		var b *bbolt.Bucket
		if b, failed = makeBucket(tx, e.path); failed == nil {
			failed = b.Put(e.key, e.value) // a copy's values count from zero
			filled++
		}
	})
	if err == nil && found.damage != nil {
		err = found.damage // it is being changed right now
	}
	return filled, errors.Join(err, failed)
}

// makeBucket returns the bucket at a path, created if necessary.
func makeBucket(tx *bbolt.Tx, path string) (*bbolt.Bucket, error) {
	var b *bbolt.Bucket
	for _, name := range strings.Split(path, "/") {
		var err error
		if b == nil {
			b, err = tx.CreateBucketIfNotExists([]byte(name))
		} else {
			b, err = b.CreateBucketIfNotExists([]byte(name))
		}
		if err != nil {
			return nil, fmt.Errorf("make the bucket %s: %w", path, err)
		}
	}
	return b, nil
}

// findBucket returns the bucket at a path, or nil.
func findBucket(tx *bbolt.Tx, path string) *bbolt.Bucket {
	var b *bbolt.Bucket
	for _, name := range strings.Split(path, "/") {
		if b == nil {
			b = tx.Bucket([]byte(name))
		} else {
			b = b.Bucket([]byte(name))
		}
		if b == nil {
			return nil
		}
	}
	return b
}
