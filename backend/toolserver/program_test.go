//go:build unix

package toolserver

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// The program that the CLI spawns is byte for byte the built-in one, wherever it
// is and whatever happened to the files around it.
func TestProgramPath(t *testing.T) {
	small := []byte("#!/bin/sh\necho small\n")
	write := func(t *testing.T, path string, data []byte, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	const beside, own, whole = "bin/parley-mcp", "data/relay/parley-mcp", "bin/parley"
	tests := []struct {
		name  string
		small []byte
		make  func(t *testing.T, dir string)
		want  string
	}{
		{name: "nothing was built in", want: whole},
		{name: "nothing lies beside it", small: small, want: own},
		{name: "beside it", small: small, make: func(t *testing.T, dir string) { write(t, dir+"/"+beside, small, 0o755) }, want: beside},
		{name: "another version beside it", small: small,
			make: func(t *testing.T, dir string) { write(t, dir+"/"+beside, bytes.ToUpper(small), 0o755) }, want: own},
		{name: "longer", small: small,
			make: func(t *testing.T, dir string) {
				write(t, dir+"/"+beside, append(small[:len(small):len(small)], 'x'), 0o755)
			}, want: own},
		{name: "nobody may run it", small: small, make: func(t *testing.T, dir string) { write(t, dir+"/"+beside, small, 0o644) }, want: own},
		{name: "others may write to it", small: small, make: func(t *testing.T, dir string) { write(t, dir+"/"+beside, small, 0o777) }, want: own},
		{name: "a link", small: small, make: func(t *testing.T, dir string) {
			write(t, dir+"/elsewhere", small, 0o755)
			if err := os.Symlink(dir+"/elsewhere", dir+"/"+beside); err != nil {
				t.Fatal(err)
			}
		}, want: own},
		{name: "the own one was changed", small: small, make: func(t *testing.T, dir string) {
			if err := os.MkdirAll(dir+"/data/relay", 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, dir+"/"+own, bytes.ToUpper(small), 0o500)
		}, want: own},
		{name: "the own one is a link", small: small, make: func(t *testing.T, dir string) {
			if err := os.MkdirAll(dir+"/data/relay", 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, dir+"/elsewhere", small, 0o755)
			if err := os.Symlink(dir+"/elsewhere", dir+"/"+own); err != nil {
				t.Fatal(err)
			}
		}, want: own},
		{name: "there is no place for it", small: small, make: func(t *testing.T, dir string) {
			write(t, dir+"/data", nil, 0o600)
		}, want: whole},
		{name: "the whole program is gone", small: small,
			make: func(t *testing.T, dir string) {
				if err := os.Remove(dir + "/" + whole); err != nil {
					t.Fatal(err)
				}
			}, want: own},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, dir+"/"+whole, []byte("whole"), 0o755)
			if tt.make != nil {
				tt.make(t, dir)
			}
			built := fstest.MapFS{}
			if tt.small != nil {
				built["parley-mcp"] = &fstest.MapFile{Data: tt.small}
			}
			p := &Program{Whole: dir + "/" + whole, Small: built, Dir: dir + "/data/relay", Log: slog.New(slog.DiscardHandler)}
			for range 2 { // the second time it exists
				if got := p.Path(); got != dir+"/"+tt.want {
					t.Fatalf("%s, want %s", got, tt.want)
				}
			}
			if tt.want == whole {
				return
			}
			got, err := os.ReadFile(dir + "/" + tt.want)
			if err != nil || !bytes.Equal(got, small) {
				t.Errorf("%q, %v", got, err)
			}
			info, err := os.Lstat(dir + "/" + tt.want)
			if err != nil || !info.Mode().IsRegular() || tt.want == own && info.Mode().Perm() != 0o500 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// If nothing was built in, and the program's own file was removed while it runs, the
// CLI gets a copy of the running program.
func TestProgramIsGone(t *testing.T) {
	if _, err := os.Stat(running); err != nil {
		t.Skipf("this system does not keep what runs: %v", err)
	}
	dir := t.TempDir()
	p := &Program{Whole: dir + "/bin/parley", Dir: dir + "/data/relay", Log: slog.New(slog.DiscardHandler)}
	want, err := os.ReadFile(running)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		path := p.Path()
		if got, err := os.ReadFile(path); err != nil || path != dir+"/data/relay/parley" || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", path, len(got), len(want), err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o500 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if err := os.MkdirAll(dir+"/bin", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Whole, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.Path(); got != p.Whole {
		t.Errorf("%s, want what is there again", got)
	}
}
