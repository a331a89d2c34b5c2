package desktop

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
)

const lentKey = "0123456789abcdef"

func TestLend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b", "lent")
	if err := os.MkdirAll(filepath.Join(dir, "left"), 0o700); err != nil {
		t.Fatal(err)
	}
	h, _ := newHost(t, nil)
	h.lending = newLending(dir)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("what was left before is still there: %v", err)
	}
	if err := h.Lend(pagePass, lentKey, "a é.png", base64.StdEncoding.EncodeToString([]byte("words"))); err != nil {
		t.Fatal(err)
	}
	// Where the page says it is.
	path, ok := localPath(lentAt(t, h) + lentKey + "/a%20%C3%A9.png")
	if !ok {
		t.Fatalf("%s is no address", lentAt(t, h))
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "words" {
		t.Errorf("the file: %q, %v", got, err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700 | fs.ModeDir, dir: 0o700 | fs.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	h.lending.end()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it is left at the end: %v", err)
	}
}

func TestLendRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lent")
	l := newLending(dir)
	if err := l.lend(lentKey, "a", nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, key, file string
		size            int
		want            fault.Code
	}{
		{"the same twice", lentKey, "b", 0, fault.Conflict},
		{"a way up", "0000000000000001", "../a", 0, fault.Invalid},
		{"a key that is a way up", "../../../../etc/", "a", 0, fault.Invalid},
		{"a short key", "00", "a", 0, fault.Invalid},
		{"hidden", "0000000000000001", ".bashrc", 0, fault.Invalid},
		{"no name", "0000000000000001", "", 0, fault.Invalid},
		{"a long name", "0000000000000001", strings.Repeat("a", maxLentName+1), 0, fault.Invalid},
		{"too large", "0000000000000001", "a", maxLentBytes + 1, fault.TooLarge},
	} {
		if err := l.lend(tt.key, tt.file, make([]byte, tt.size)); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestLendKeepsTheNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lent")
	l := newLending(dir)
	for i := range maxLent + 3 {
		if err := l.lend(fmt.Sprintf("%016x", i), "a", nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != maxLent || all[0].Name() != fmt.Sprintf("%016x", 3) {
		t.Errorf("%d are kept, from %v on; %v", len(all), all[0], err)
	}
}

func lentAt(t *testing.T, h *Host) string {
	t.Helper()
	address, err := h.Lent(pagePass)
	if err != nil {
		t.Fatal(err)
	}
	return address
}
