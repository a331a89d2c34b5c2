package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
)

// dialog answers like a user who saves in a folder.
type dialog struct {
	dir  string
	name string
	err  error
}

func (d *dialog) SaveFile(_ context.Context, name string) (string, error) {
	d.name = name
	if d.err != nil || d.dir == "" {
		return "", d.err
	}
	return filepath.Join(d.dir, name), nil
}

func TestSave(t *testing.T) {
	d := &dialog{dir: t.TempDir()}
	s := saving{saver: d}
	for _, content := range []string{"# One\n", "# Two, over it\n"} {
		got, err := s.Save(t.Context(), FileSaveParams{Name: "../a/b\u202e.md", Content: content})
		if err != nil || got.Path != filepath.Join(d.dir, "_a_b_.md") {
			t.Fatalf("%+v %v", got, err)
		}
		if b, err := os.ReadFile(got.Path); err != nil || string(b) != content {
			t.Errorf("%q %v", b, err)
		}
		if info, err := os.Stat(got.Path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
	}
	if left, _ := os.ReadDir(d.dir); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

func TestSaveBytes(t *testing.T) {
	s := saving{saver: &dialog{dir: t.TempDir()}}
	got, err := s.Save(t.Context(), FileSaveParams{Name: "a.png", Content: "iVBOR/8=", Encoding: "base64"})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(got.Path); err != nil || string(b) != "\x89PNG\xff" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := s.Save(t.Context(), FileSaveParams{Name: "a.png", Content: "?", Encoding: "base64"}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}

func TestSaveFaults(t *testing.T) {
	p := FileSaveParams{Name: "a.md", Content: "x"}
	if _, err := (&saving{}).Save(t.Context(), p); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if got, err := (&saving{saver: &dialog{}}).Save(t.Context(), p); err != nil || got.Path != "" {
		t.Errorf("cancelled: %+v %v", got, err)
	}
	if _, err := (&saving{saver: &dialog{err: errors.New("no")}}).Save(t.Context(), p); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if _, err := (&saving{saver: &dialog{dir: filepath.Join(t.TempDir(), "none")}}).Save(t.Context(), p); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	p.Content = strings.Repeat("x", maxSaved+1)
	if _, err := (&saving{saver: &dialog{}}).Save(t.Context(), p); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
}
