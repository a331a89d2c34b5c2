package update

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"
)

// Bounds of what is read and downloaded.
const (
	maxManifest  = 64 << 10
	maxReleases  = 50
	maxFiles     = 50
	maxNotes     = 4 << 10
	maxPacked    = 256 << 20
	maxProgram   = 512 << 20
	maxSignature = 4 << 10
)

// The channels. Beta includes the stable releases.
const (
	Stable = "stable"
	Beta   = "beta"
)

// Manifest lists the available releases.
type Manifest struct {
	// Product is "parley": a signature for another program is not valid here.
	Product string    `json:"product"`
	Issued  time.Time `json:"issued"`
	Expires time.Time `json:"expires"`
	// NextKey is the key that may sign later manifests, "" for none.
	NextKey  string    `json:"nextKey,omitempty"`
	Releases []Release `json:"releases"`
}

// Release is one version.
type Release struct {
	Version string `json:"version"`
	Channel string `json:"channel"`
	// Minimum is the oldest version that it may replace, "" for any.
	Minimum string `json:"minimum,omitempty"`
	// Share is the percentage of Parleys that are notified automatically. With 0 the release is
	// withdrawn, and nobody gets it.
	Share int    `json:"share"`
	Notes string `json:"notes,omitempty"`
	Files []File `json:"files"`
}

// File is the program for one target, packed by gzip.
type File struct {
	// Target is "linux-amd64", with "-window" for a program that has one.
	Target string `json:"target"`
	// Name is its file name, beside the manifest.
	Name string `json:"name"`
	// Size and SHA256 are those of the packed file, Program is the size of the unpacked one.
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Program int64  `json:"program"`
}

var (
	fileName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)
	targetName = regexp.MustCompile(`^[a-z0-9]{1,20}-[a-z0-9]{1,20}(-window)?$`)
)

// errSignature reports a manifest that none of our keys signed.
var errSignature = errors.New("its signature is not from a key that this Parley knows")

// Open reads a manifest that one of the keys signed.
func Open(text, signature []byte, keys ...string) (*Manifest, error) {
	if len(text) > maxManifest || len(signature) > maxSignature {
		return nil, errors.New("it is too long")
	}
	for _, key := range keys {
		var public minisign.PublicKey
		if key == "" || public.UnmarshalText([]byte(key)) != nil {
			continue
		}
		if minisign.Verify(public, text, signature) {
			return decode(text)
		}
	}
	return nil, errSignature
}

// decode reads a manifest, and reports what is wrong with it.
func decode(text []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	switch {
	case m.Product != "parley":
		return nil, fmt.Errorf("it is for %.40q, not for parley", m.Product)
	case m.Issued.IsZero() || !m.Expires.After(m.Issued):
		return nil, errors.New("it does not say from when to when it counts")
	case len(m.Releases) > maxReleases:
		return nil, fmt.Errorf("it has more than %d releases", maxReleases)
	}
	if m.NextKey != "" {
		if err := new(minisign.PublicKey).UnmarshalText([]byte(m.NextKey)); err != nil {
			return nil, fmt.Errorf("the next key is not valid: %w", err)
		}
	}
	for _, r := range m.Releases {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("release %.40q: %w", r.Version, err)
		}
	}
	return &m, nil
}

func (r Release) check() error {
	switch {
	case len(r.Version) > 64 || !semver.IsValid("v"+r.Version):
		return errors.New("that is no version")
	case r.Channel != Stable && r.Channel != Beta:
		return fmt.Errorf("there is no channel %.40q", r.Channel)
	case r.Minimum != "" && !semver.IsValid("v"+r.Minimum):
		return fmt.Errorf("the minimum %.40q is no version", r.Minimum)
	case r.Share < 0 || r.Share > 100:
		return fmt.Errorf("a share of %d %%", r.Share)
	case len(r.Notes) > maxNotes || strings.ContainsFunc(r.Notes, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }):
		return errors.New("the notes are too long, or no plain text")
	case len(r.Files) > maxFiles:
		return fmt.Errorf("more than %d files", maxFiles)
	}
	for _, f := range r.Files {
		sum, err := hex.DecodeString(f.SHA256)
		switch {
		case !targetName.MatchString(f.Target):
			return fmt.Errorf("there is no target %.40q", f.Target)
		case !fileName.MatchString(f.Name):
			return fmt.Errorf("%.40q cannot be a file's name", f.Name)
		case f.Size <= 0 || f.Size > maxPacked || f.Program <= 0 || f.Program > maxProgram:
			return fmt.Errorf("the size of %s cannot be: %d bytes, unpacked %d", f.Name, f.Size, f.Program)
		case err != nil || len(sum) != 32:
			return fmt.Errorf("the checksum of %s is not valid", f.Name)
		}
	}
	return nil
}

// file is the file for a target, nil for none.
func (r Release) file(target string) *File {
	for i := range r.Files {
		if r.Files[i].Target == target {
			return &r.Files[i]
		}
	}
	return nil
}

// newest is the newest release of a channel that suits and has a file for the target, nil for none.
func (m *Manifest) newest(channel, target string, suits func(Release) bool) *Release {
	var found *Release
	for i, r := range m.Releases {
		if r.Share == 0 || r.Channel == Beta && channel != Beta || r.file(target) == nil || !suits(r) {
			continue
		}
		if found == nil || compare(r.Version, found.Version) > 0 {
			found = &m.Releases[i]
		}
	}
	return found
}

// compare orders versions; an invalid one sorts first.
func compare(a, b string) int {
	return semver.Compare("v"+a, "v"+b)
}
