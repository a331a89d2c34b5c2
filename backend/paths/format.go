package paths

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

const (
	// FormatFile contains the format version of all files in the data folder that do not contain it
	// themselves: settings, heartbeats, chat, memory, attachments, and the log.
	FormatFile = "format.json"
	// Format is the current version. It is raised for changes that an older Parley would
	// misunderstand.
	Format    = 1
	maxFormat = 4 << 10
)

// Known rejects a data folder that a newer Parley wrote (fault conflict), or whose format
// cannot be determined (fault unavailable). It changes nothing. marked reports whether the
// folder contains its format.
func (d Dirs) Known() (marked bool, err error) {
	path := filepath.Join(d.Data, FormatFile)
	var found struct {
		Format int `json:"format"`
	}
	raw, err := safeopen.Read(path, maxFormat)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return false, fault.Wrap(err, fault.Unavailable, "Parley cannot tell whether a newer version wrote the data in %s: %s cannot be read. Check the file's permissions. Nothing was changed.", d.Data, path)
	case err != nil || json.Unmarshal(raw, &found) != nil:
		return false, nil //nolint:nilerr // it is no evidence; the stores have their own numbers
	case found.Format > Format:
		return true, fault.New(fault.Conflict, "A newer Parley wrote the data in %s (format %d; this one supports %d). Update this one, or choose another folder with --data. Nothing was changed.", d.Data, found.Format, Format)
	}
	return found.Format == Format, nil
}
