package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"parley/backend/platform/safeopen"
)

const (
	manifestName = "manifest.json"
	maxManifest  = 64 << 20
)

// manifest lists the segments of the index. It is replaced atomically, and only
// after its segments are on disk: a segment that isn't listed doesn't count.
type manifest struct {
	Version int `json:"version"`
	// Next is the number of the next segment, Rev that of the next change.
	Next     uint64   `json:"next"`
	Rev      uint64   `json:"rev"`
	Segments []string `json:"segments"`
	// Forgotten are forgotten transcripts with data left in segments: everything up
	// to this life is dead.
	Forgotten map[string]uint64 `json:"forgotten,omitempty"`
}

// version is that of the format, the segments and the tokenizer. Another one means
// starting over.
const version = 4

type sealed struct {
	Sum      uint32          `json:"sum"`
	Manifest json.RawMessage `json:"manifest"`
}

// readManifest returns nil if there is none.
func readManifest(dir string) (*manifest, error) {
	b, err := safeopen.Read(filepath.Join(dir, manifestName), maxManifest)
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

// syncFolder makes names durable, if the system can. Otherwise, a power failure
// leaves an older but consistent index.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

var ours = regexp.MustCompile(`^[0-9]+\.seg$|^manifest\.json(\.new)?$`)

// sweep removes our files that aren't in keep.
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
