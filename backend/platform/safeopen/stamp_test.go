package safeopen_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/backend/platform/safeopen"
)

func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if got := safeopen.StampAt(path); got != (safeopen.Stamp{}) {
		t.Errorf("no file: %v", got)
	}
	at := time.Unix(1_800_000_000, 0)
	write := func(text string, modified time.Time) safeopen.Stamp {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
		return safeopen.StampAt(path)
	}
	first := write("abc", at)
	if same := write("xyz", at); same != first {
		t.Errorf("same time and size: %v and %v", same, first)
	}
	if longer := write("abcd", at); longer == first {
		t.Error("a longer file has the same stamp")
	}
	if got := safeopen.StampWritten(path, []byte("abcd")); got != safeopen.StampAt(path) {
		t.Errorf("written: %v", got)
	}
	for _, other := range []string{"abce", "abc", "abcde", ""} {
		if got := safeopen.StampWritten(path, []byte(other)); got == safeopen.StampAt(path) || got == (safeopen.Stamp{}) {
			t.Errorf("changed by someone, after %q was written: %v", other, got)
		}
	}
	if later := write("abc", at.Add(time.Second)); later == first {
		t.Error("a later file has the same stamp")
	}
}
