package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/platform/atomicfile"
)

func TestSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.json")
	if _, err := atomicfile.SetAside(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := atomicfile.SetAside(path)
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(kept); !strings.HasPrefix(name, "some.broken-") || filepath.Ext(name) != ".json" || filepath.Dir(kept) != filepath.Dir(path) {
		t.Errorf("kept as %s", kept)
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "text" {
		t.Errorf("kept %q, %v", text, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}
