package update

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

const (
	stateFile = "state.json"
	maxState  = 512 << 10
)

// signed is a manifest as received, with its signature.
type signed struct {
	Text      []byte `json:"text"`
	Signature []byte `json:"signature"`
}

// state is the saved state. It is not trusted: the manifests
// are verified each time.
type state struct {
	// ID decides whether this Parley is in a staged share. It is never sent anywhere.
	ID string `json:"id"`
	// Latest is the last received manifest, Asked its time.
	Latest signed    `json:"latest"`
	Asked  time.Time `json:"asked"`
	// Announced is the last manifest that named the next key.
	Announced signed `json:"announced"`
	// Issued is the issue time of the newest accepted manifest, and Seen the newest
	// version seen in each channel.
	Issued time.Time         `json:"issued"`
	Seen   map[string]string `json:"seen,omitempty"`
	// Installing is an installed update that is not yet known to work;
	// Failed is the version that didn't.
	Installing *Installing `json:"installing,omitempty"`
	Failed     string      `json:"failed,omitempty"`
}

// Installing is a pending update.
type Installing struct {
	Version string `json:"version"`
	// Before is the version that was replaced in the file Program.
	Before  string `json:"before"`
	Program string `json:"program"`
}

// load reads the state; an unreadable one is replaced by a new one.
func (u *Updater) load() (state, error) {
	s := state{}
	data, err := safeopen.Read(filepath.Join(u.Dir, stateFile), maxState)
	if err == nil {
		err = json.Unmarshal(data, &s)
		if err != nil {
			s = state{}
			u.Log.Warn("Update state was damaged; starting over", "err", err)
			err = nil
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if s.ID == "" {
		s.ID = rand.Text()
	}
	if s.Seen == nil {
		s.Seen = map[string]string{}
	}
	return s, err
}

func (u *Updater) save(s state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(u.Dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Private(filepath.Join(u.Dir, stateFile), data)
}

// keys are the keys that may sign: the built-in one, and the one that it announced.
func (u *Updater) keys(s state) []string {
	keys := []string{u.Key}
	if m, err := Open(s.Announced.Text, s.Announced.Signature, u.Key); err == nil {
		keys = append(keys, m.NextKey)
	}
	return keys
}

// among reports whether this Parley is in a release's share.
func (s state) among(r Release) bool {
	sum := sha256.Sum256([]byte(s.ID + "\x00" + r.Version))
	return int(binary.BigEndian.Uint32(sum[:])%100) < r.Share
}
