package paths

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/backend/fault"
	"parley/backend/platform/regular"
)

const (
	// FormatFile says which form all files in the data folder have that do not say it
	// themselves: settings, heartbeats, chat, memory, attachments, and the log.
	FormatFile = "format.json"
	// Format is the present one. A change that an older Parley would misunderstand makes it
	// greater.
	Format    = 1
	maxFormat = 4 << 10
)

// Known refuses a data folder that a newer Parley wrote (fault conflict), and one of which
// that cannot be known (fault unavailable). It changes nothing. marked says whether the
// folder says which form it has.
func (d Dirs) Known() (marked bool, err error) {
	path := filepath.Join(d.Data, FormatFile)
	var found struct {
		Format int `json:"format"`
	}
	raw, err := regular.Read(path, maxFormat)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return false, fault.Wrap(err, fault.Unavailable, "Parley cannot tell whether a newer version wrote the data in %s: %s cannot be read. Check the file's permissions. Nothing was changed.", d.Data, path)
	case err != nil || json.Unmarshal(raw, &found) != nil:
		return false, nil //nolint:nilerr // it says nothing; the stores have numbers of their own
	case found.Format > Format:
		return true, fault.New(fault.Conflict, "A newer Parley wrote the data in %s (form %d, this one knows %d). Update this one, or choose another folder with --data. Nothing was changed.", d.Data, found.Format, Format)
	}
	return found.Format == Format, nil
}
