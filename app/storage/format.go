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

// KnownFormat refuses a data folder that a newer Parley wrote (fault conflict), before
// anything of it is touched, and marks one that has no mark yet.
func KnownFormat(data string) error {
	marked, err := paths.Dirs{Data: data}.Known()
	if marked || err != nil {
		return err
	}
	path := filepath.Join(data, paths.FormatFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		// It says nothing that is needed; the store has its own number.
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
