package storage

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
)

// MarkFormat records the format version of a data folder's files. It is called once the store
// exists: the mark also proves that there was one.
func MarkFormat(data string) error {
	path := filepath.Join(data, paths.FormatFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		// It has nothing essential; the store has its own version.
		_ = os.Rename(path, path+".broken")
	}
	raw, err := json.Marshal(map[string]int{"format": paths.Format})
	if err != nil {
		return err
	}
	if err := atomicfile.Private(path, append(raw, '\n')); err != nil {
		return fault.Wrap(err, fault.Unavailable, "Parley cannot save its data in %s. Check the folder's permissions and that the disk has free space.", data)
	}
	return nil
}
