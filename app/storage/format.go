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

// MarkFormat has a data folder say which form its files have. It is called once the store is
// there: the mark also says that there was one.
func MarkFormat(data string) error {
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
