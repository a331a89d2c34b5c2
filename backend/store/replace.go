package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"parley/backend/fault"
)

// newSuffix names the file that is made before it takes the damaged one's place.
const newSuffix = ".new"

// replace makes a new file of what is intact in a damaged one and puts it in its
// place. When that fails, for want of space perhaps, the old file is as it was.
func replace(path string, file *os.File, found findings, log *slog.Logger) (Report, error) {
	fresh := path + newSuffix
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Report{}, err
	}
	kept, err := salvage(fresh, found)
	if err != nil {
		_ = os.Remove(fresh)
		var f *fault.Error
		if errors.As(err, &f) {
			return Report{}, err
		}
		return Report{}, fault.Wrap(err, fault.Unavailable,
			"The store in %s is damaged, and a new one cannot be written beside it. Check that the disk has room.", path)
	}
	aside := filepath.Join(filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".db")+
		".broken-"+time.Now().Format("20060102-150405.000")+".db")
	if runtime.GOOS == "windows" { // an open file cannot be renamed there
		_ = file.Close()
	}
	if err := os.Rename(path, aside); err != nil {
		_ = os.Remove(fresh)
		return Report{}, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return Report{}, err
	}
	log.Warn("Store was damaged, set aside and rebuilt", "file", aside, "damage", found.damage, "kept", kept)
	return Report{Rebuilt: true, SetAside: aside, Kept: kept, Damage: found.damage.Error()}, nil
}

// salvage writes a store with all records that can be made out in a damaged one.
// Indexes are left out: a collection makes those that it misses.
func salvage(path string, found findings) (kept int, err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType, NoStatistics: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	newest := map[string]uint64{}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := putLayout(tx, found.schema); err != nil || found.image == nil {
			return err
		}
		return found.image.scan(func(key, value []byte) error {
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
			v.version = 0 // the new file counts from the start
			return b.Put(key, v.seal(string(key)))
		})
	})
	return len(newest), err
}

// makeBucket returns the bucket at a path, made if need be.
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
