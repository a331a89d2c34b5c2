package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"parley/backend/platform/regular"
)

const (
	manifestName = "manifest.json"
	maxManifest  = 64 << 20
)

// manifest says which segments make up the index. It is replaced as a whole, and
// only after its segments have reached the disk: a segment that it does not name
// does not count.
type manifest struct {
	Version int `json:"version"`
	// Next is the number of the next segment, Rev that of the next change.
	Next     uint64   `json:"next"`
	Rev      uint64   `json:"rev"`
	Segments []string `json:"segments"`
	// Forgotten are transcripts of which segments still hold something: everything up
	// to this life is dead.
	Forgotten map[string]uint64 `json:"forgotten,omitempty"`
}

// version of the format, of the segments and of what a token is. Another one means
// to start again.
const version = 4

type sealed struct {
	Sum      uint32          `json:"sum"`
	Manifest json.RawMessage `json:"manifest"`
}

// readManifest gives nil when there is none.
func readManifest(dir string) (*manifest, error) {
	b, err := regular.Read(filepath.Join(dir, manifestName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s sealed
	var m manifest
	if json.Unmarshal(b, &s) != nil || checksum(s.Manifest) != s.Sum || json.Unmarshal(s.Manifest, &m) != nil || m.Version != version {
		return nil, ErrDamaged
	}
	return &m, nil
}

func (m *manifest) write(dir string) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b, err := json.Marshal(sealed{checksum(body), body})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, manifestName)
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the manifest of the search index: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		os.Remove(path + ".new")
		return fmt.Errorf("write the manifest of the search index: %w", err)
	}
	syncFolder(dir)
	return nil
}

// syncFolder makes names durable, where the system can. If they are not, the index
// is an older one after a loss of power, and whole.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

var ours = regexp.MustCompile(`^[0-9]+\.seg$|^manifest\.json(\.new)?$`)

// sweep removes the files of ours that are not to be kept.
func sweep(dir string, keep map[string]bool) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if ours.MatchString(e.Name()) && !keep[e.Name()] {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
