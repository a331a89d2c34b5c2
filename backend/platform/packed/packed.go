// Package packed reads gzip-compressed files under their original names.
package packed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
)

// FS returns another file system's files. A file that only exists as "NAME.gz" is
// decompressed when opened; directories list what exists.
func FS(files fs.FS) fs.FS { return unpacking{files} }

type unpacking struct{ files fs.FS }

func (u unpacking) Open(name string) (fs.File, error) {
	file, err := u.files.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	packed, e := u.files.Open(name + ".gz")
	if e != nil {
		return nil, err // it doesn't exist in either form
	}
	defer packed.Close()
	data, info, e := unpack(packed)
	if e != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: e}
	}
	return &unpacked{bytes.NewReader(data), size{info, path.Base(name), int64(len(data))}}, nil
}

func unpack(packed fs.File) ([]byte, fs.FileInfo, error) {
	info, err := packed.Stat()
	if err != nil {
		return nil, nil, err
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(z)
	return data, info, err
}

type unpacked struct {
	*bytes.Reader
	info size
}

func (f *unpacked) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *unpacked) Close() error               { return nil }

// size is the file info of a decompressed file: its own name and size.
type size struct {
	fs.FileInfo
	name string
	size int64
}

func (s size) Name() string { return s.name }
func (s size) Size() int64  { return s.size }
