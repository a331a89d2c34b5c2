// Command release writes what "parley update" downloads: programs packed by gzip, the manifest
// that names them, and its signature in minisign format. build/package calls it.
//
//	go run ./build/release -key FILE -out DIR -version 1.2.3 linux-amd64=PROGRAM linux-amd64-window=PROGRAM
//	go run ./build/release -new-key FILE
//
// The key is read from a file that only its owner may read, and is not protected by a password;
// it is never an argument. The public key is printed. An existing manifest in the folder
// is extended, if that key signed it: its other releases stay.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aead.dev/minisign"

	"parley/backend/update"
)

const (
	manifest  = "manifest.json"
	signature = manifest + ".minisig"
)

// options are the input of a release.
type options struct {
	key, out, nextKey, notes string
	days                     int
	release                  update.Release
	// programs are files by target.
	programs []string
	now      time.Time
}

func main() {
	log.SetFlags(0)
	o := options{now: time.Now()}
	newKey := flag.String("new-key", "", "make a key in this `file`, print the public one, and do nothing else")
	flag.StringVar(&o.key, "key", "", "`file` of the key that signs")
	flag.StringVar(&o.out, "out", "", "`folder` that is served")
	flag.StringVar(&o.nextKey, "next-key", "", "public `key` that later manifests may be signed with")
	flag.StringVar(&o.notes, "notes", "", "`file` that says what is new, as plain text")
	flag.IntVar(&o.days, "days", 90, "how many `days` the manifest counts")
	flag.StringVar(&o.release.Version, "version", "", "the `version`")
	flag.StringVar(&o.release.Channel, "channel", "", "stable or beta; by the version when it is left out")
	flag.StringVar(&o.release.Minimum, "minimum", "", "the oldest `version` in the place of which it may be put")
	flag.IntVar(&o.release.Share, "share", 100, "percentage of installations that are notified automatically; 0 withdraws the version")
	flag.Parse()
	o.programs = flag.Args()
	do := func() error { return publish(o) }
	if *newKey != "" {
		do = func() error { return makeKey(*newKey) }
	}
	if err := do(); err != nil {
		log.Fatal("release: ", err)
	}
}

// makeKey creates a key pair, and prints the public key.
func makeKey(path string) error {
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	text, err := private.MarshalText()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		fmt.Println(public) //nolint:forbidigo // it is what was asked for
	}
	return err
}

// readKey reads a key that only its owner may read.
func readKey(path string) (key minisign.PrivateKey, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return key, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return key, fmt.Errorf("others may read %s: chmod 600 it", path)
	}
	text, err := os.ReadFile(path)
	if err == nil && key.UnmarshalText(bytes.TrimSpace(text)) != nil {
		err = fmt.Errorf("%s holds no key of minisign without a password", path) // never print the file's content
	}
	return key, err
}

// publish packs the programs, and signs the new manifest.
func publish(o options) error {
	key, err := readKey(o.key)
	if err != nil {
		return err
	}
	public, ok := key.Public().(minisign.PublicKey)
	if !ok {
		return errors.New("the key has no public one")
	}
	r := o.release
	if r.Channel = cmp.Or(r.Channel, update.Channel(r.Version)); o.notes != "" {
		notes, err := os.ReadFile(o.notes)
		if err != nil {
			return err
		}
		r.Notes = strings.TrimSpace(string(notes))
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // it is served
		return err
	}
	for _, program := range o.programs {
		target, path, _ := strings.Cut(program, "=")
		f, err := pack(target, path, filepath.Join(o.out, "parley-"+r.Version+"-"+target+".gz"))
		if err != nil {
			return err
		}
		r.Files = append(r.Files, f)
	}
	m, err := before(o.out, public)
	if err != nil {
		return err
	}
	m.Product, m.Issued, m.NextKey = "parley", o.now.UTC().Truncate(time.Second), o.nextKey
	m.Expires = m.Issued.AddDate(0, 0, o.days)
	m.Releases = append([]update.Release{r}, slices.DeleteFunc(m.Releases, func(other update.Release) bool { return other.Version == r.Version })...)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	signed := minisign.SignWithComments(key, text, "parley "+r.Version, "signature of "+manifest)
	if _, err := update.Open(text, signed, public.String()); err != nil {
		return fmt.Errorf("Parley would not take this manifest: %w", err)
	}
	return errors.Join(write(filepath.Join(o.out, manifest), text), write(filepath.Join(o.out, signature), signed))
}

// before is the existing manifest, or an empty one.
func before(dir string, key minisign.PublicKey) (*update.Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifest))
	if errors.Is(err, fs.ErrNotExist) {
		return &update.Manifest{}, nil
	}
	if err != nil {
		return nil, err
	}
	signed, err := os.ReadFile(filepath.Join(dir, signature))
	if err != nil {
		return nil, err
	}
	m, err := update.Open(text, signed, key.String())
	if err != nil {
		return nil, fmt.Errorf("the manifest in %s: %w", dir, err)
	}
	return m, nil
}

// pack compresses a program without a time or a name in the header.
func pack(target, from, to string) (update.File, error) {
	program, err := os.ReadFile(from)
	if err != nil {
		return update.File{}, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return update.File{}, err
	}
	if _, err := w.Write(program); err != nil {
		return update.File{}, err
	}
	if err := w.Close(); err != nil {
		return update.File{}, err
	}
	sum := sha256.Sum256(packed.Bytes())
	return update.File{Target: target, Name: filepath.Base(to), Size: int64(packed.Len()), SHA256: hex.EncodeToString(sum[:]), Program: int64(len(program))},
		write(to, packed.Bytes())
}

func write(path string, data []byte) error {
	return os.WriteFile(path, data, 0o644) //nolint:gosec // it is served
}
