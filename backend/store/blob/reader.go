package blob

import (
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
)

// reader verifies the contents when it reaches the end.
type reader struct {
	f    *os.File
	hash hash.Hash
	name string
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	r.hash.Write(p[:n])
	if errors.Is(err, io.EOF) && hex.EncodeToString(r.hash.Sum(nil)) != r.name {
		err = ErrDamaged
	}
	return n, err
}

func (r *reader) Close() error { return r.f.Close() }
