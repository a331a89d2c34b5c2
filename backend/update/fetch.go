package update

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/safeopen"
)

const (
	// stall is how long a server may send nothing.
	stall = 30 * time.Second
	// attempts is how often an interrupted download is resumed at once.
	attempts = 5
	part     = ".part"
)

// fetch downloads the packed program, or the missing rest of it, and returns the program. A
// partial download stays, and the next call continues from there.
func (u *Updater) fetch(ctx context.Context, f File) ([]byte, error) {
	path := filepath.Join(u.Dir, f.SHA256+part)
	u.sweep(path)
	var err error
	for range attempts {
		var had, has int64
		had, has, err = u.download(ctx, f, path)
		if err == nil || has <= had || ctx.Err() != nil || fault.CodeOf(err) != "" && fault.CodeOf(err) != fault.Internal {
			break // done, or no progress
		}
	}
	switch {
	case err == nil:
	case fault.CodeOf(err) != fault.Internal:
		return nil, err
	default:
		return nil, fault.Wrap(err, fault.Unavailable, "The download of the update was interrupted. Nothing was changed. Try again: the download continues where it stopped.")
	}
	packed, err := safeopen.Read(path, f.Size)
	if err != nil {
		return nil, u.unwritten(err)
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != f.SHA256 {
		_ = os.Remove(path)
		return nil, fault.New(fault.Forbidden, "The downloaded file does not match the signed checksum. Nothing was changed. Try again later.")
	}
	program, err := unpack(packed, f.Program)
	if err != nil {
		_ = os.Remove(path)
		return nil, fault.Wrap(err, fault.Forbidden, "The update cannot be unpacked (%v). Nothing was changed.", err)
	}
	return program, nil
}

// sweep removes the files of earlier downloads, except one.
func (u *Updater) sweep(keep string) {
	others, err := filepath.Glob(filepath.Join(u.Dir, "*"+part))
	if err != nil {
		return // the pattern is good
	}
	for _, other := range others {
		if other != keep {
			_ = os.Remove(other)
		}
	}
}

// download appends to the partial file. It returns the size before and after. An error that
// is no fault means that the download was interrupted.
func (u *Updater) download(ctx context.Context, f File, path string) (had, has int64, err error) {
	if err := os.MkdirAll(u.Dir, 0o700); err != nil {
		return 0, 0, u.unwritten(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, 0, u.unwritten(err)
	}
	defer func() {
		if e := file.Close(); e != nil && err == nil {
			err = u.unwritten(e)
		}
	}()
	had, err = file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0, u.unwritten(err)
	}
	if had == f.Size {
		return had, had, nil
	}
	if had > f.Size {
		had = 0
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := u.get(ctx, f.Name, had)
	if err != nil {
		return had, had, err
	}
	defer func() { _ = answer.Body.Close() }()
	switch from := fmt.Sprintf("bytes %d-", had); {
	case answer.StatusCode == http.StatusOK:
		had = 0 // the server doesn't support ranges
	case answer.StatusCode == http.StatusPartialContent && had > 0 && bytes.HasPrefix([]byte(answer.Header.Get("Content-Range")), []byte(from)):
	default:
		return had, had, fault.New(fault.Unavailable, "The update server did not send %s (it answered with status %d). Nothing was changed. Try again later.", f.Name, answer.StatusCode)
	}
	if err := errors.Join(file.Truncate(had), seek(file, had)); err != nil {
		return had, had, u.unwritten(err)
	}
	late := time.AfterFunc(stall, cancel)
	defer late.Stop()
	var to io.Writer = file
	if u.disk != nil {
		to = u.disk(file)
	}
	body := &watched{from: io.LimitReader(answer.Body, f.Size-had+1), late: late}
	n, err := io.Copy(to, body)
	has = had + n
	switch {
	case err != nil && body.err == nil:
		return had, has, u.unwritten(err)
	case err != nil:
		return had, has, err
	case has > f.Size:
		_ = file.Truncate(0)
		return had, has, fault.New(fault.Forbidden, "The update server sent more data than the signed list allows. Nothing was changed. Try again later.")
	case has < f.Size:
		return had, has, io.ErrUnexpectedEOF
	}
	return had, has, nil
}

func seek(file *os.File, at int64) error {
	_, err := file.Seek(at, io.SeekStart)
	return err
}

// watched resets the alarm whenever data arrives, and remembers the read error.
type watched struct {
	from io.Reader
	late *time.Timer
	err  error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	w.late.Reset(stall)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// unpack returns a program of exactly that size.
func unpack(packed []byte, size int64) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	program := make([]byte, size)
	if _, err := io.ReadFull(reader, program); err != nil {
		return nil, err
	}
	if n, err := reader.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errors.New("it is larger than it says")
	}
	return program, nil
}
