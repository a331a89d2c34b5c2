//go:build unix

package safeopen_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/backend/platform/safeopen"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("1234"), 0o600),
		os.Mkdir(at("folder"), 0o700),
		syscall.Mkfifo(at("pipe"), 0o600),
		os.Symlink("file", at("link")),
		os.Symlink("pipe", at("link to a pipe")),
		os.Symlink("loop", at("loop")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		limit int64
		want  error
	}{
		{at("file"), 4, nil},
		{at("link"), 4, nil},
		{at("file"), 3, safeopen.ErrTooLarge},
		{at("folder"), 4, safeopen.ErrKind},
		{at("pipe"), 4, safeopen.ErrKind},
		{at("link to a pipe"), 4, safeopen.ErrKind},
		{at("socket"), 4, safeopen.ErrKind},
		{"/dev/zero", 4, safeopen.ErrKind},
		{at("loop"), 4, syscall.ELOOP},
		{at("nothing"), 4, fs.ErrNotExist},
	} {
		text, err := safeopen.Read(c.path, c.limit)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.path, err, c.want)
		}
		if err == nil && string(text) != "1234" {
			t.Errorf("%s: %q", c.path, text)
		}
	}
}
