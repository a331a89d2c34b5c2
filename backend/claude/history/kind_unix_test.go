//go:build unix

package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/fault"
)

// A non-regular file blocks nobody, and is reported.
func TestNoFileInPlaceOfATranscript(t *testing.T) {
	dir := t.TempDir()
	pipe, folder, loop := filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "folder.jsonl"), filepath.Join(dir, "loop.jsonl")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(folder, 0o700), os.Symlink(loop, loop)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:   "The conversation's file is a folder, a pipe or a device. Move it somewhere else.",
		folder: "The conversation's file is a folder, a pipe or a device. Move it somewhere else.",
		loop:   "The conversation's file is a symbolic link that points to itself. Delete it.",
	} {
		tr := history.Open(path)
		_, err := tr.Page(t.Context(), 10, "")
		if fault.CodeOf(err) != fault.Unavailable || fault.MessageOf(err) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		if _, err := tr.Count(t.Context(), history.Totals{}, nil, nil); err == nil {
			t.Errorf("%s: it is counted", filepath.Base(path))
		}
	}
}
