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
	"parley/backend/platform/regular"
)

const (
	stateFile = "state.json"
	maxState  = 512 << 10
)

// signed is a manifest as it was received.
type signed struct {
	Text      []byte `json:"text"`
	Signature []byte `json:"signature"`
}

// state is what is remembered. Nothing in it is trusted with more than before: the manifests
// are verified anew each time.
type state struct {
	// ID decides in which part of a staged share this Parley is. It is told to nobody.
	ID string `json:"id"`
	// Latest was received last, at Asked.
	Latest signed    `json:"latest"`
	Asked  time.Time `json:"asked"`
	// Announced is the manifest that named the next key last.
	Announced signed `json:"announced"`
	// Issued is when the newest manifest that was accepted was made, and Seen the newest
	// version of each channel in one.
	Issued time.Time         `json:"issued"`
	Seen   map[string]string `json:"seen,omitempty"`
	// Installing is what was put in the program's place and has not shown yet that it works;
	// Failed is what did not.
	Installing *Installing `json:"installing,omitempty"`
	Failed     string      `json:"failed,omitempty"`
}

// Installing is an update that is under way.
type Installing struct {
	Version string `json:"version"`
	// Before is the version that was replaced in the file Program.
	Before  string `json:"before"`
	Program string `json:"program"`
}

// load reads the state; one that cannot be understood is begun again.
func (u *Updater) load() (state, error) {
	s := state{}
	data, err := regular.Read(filepath.Join(u.Dir, stateFile), maxState)
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

// keys are those that may sign: the one that was built in, and the one that it announced.
func (u *Updater) keys(s state) []string {
	keys := []string{u.Key}
	if m, err := Open(s.Announced.Text, s.Announced.Signature, u.Key); err == nil {
		keys = append(keys, m.NextKey)
	}
	return keys
}

// among says whether this Parley is in a share of them, for one version.
func (s state) among(r Release) bool {
	sum := sha256.Sum256([]byte(s.ID + "\x00" + r.Version))
	return int(binary.BigEndian.Uint32(sum[:])%100) < r.Share
}
