package toolserver

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStaleFoldersAreRemoved(t *testing.T) {
	base := shortDir(t)
	const dead = "999999999" // above every system's limit
	folder := func(name string) string {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	socket := func(dir string, keep bool) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		if !keep {
			l.SetUnlinkOnClose(false)
			_ = l.Close()
			return
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	gone := []string{folder(dirPrefix + dead + "-empty"), folder(dirPrefix + dead + "-stale")}
	socket(gone[1], false)
	kept := []string{
		folder(fmt.Sprintf("%s%d-self", dirPrefix, os.Getpid())),
		folder(dirPrefix + dead + "-served"), // a Parley of another container
		folder(dirPrefix + dead + "-open"),
		folder(dirPrefix + "x-name"),
		folder("other-" + dead + "-1"),
		filepath.Join(base, dirPrefix+dead+"-link"),
	}
	socket(kept[0], false)
	socket(kept[1], true)
	if err := os.Chmod(kept[2], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept[4], kept[5]); err != nil {
		t.Fatal(err)
	}
	removeStale(base, slog.New(slog.DiscardHandler))
	for _, dir := range gone {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there", dir)
		}
	}
	for _, dir := range kept {
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("%s is gone", dir)
		}
	}
}

func TestSocketBase(t *testing.T) {
	short := shortDir(t)
	long := filepath.Join(short, strings.Repeat("x", 80))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, runtime, tmp, want string }{
		{"asked for", short, long, long, short},
		{"runtime folder", "", short, long, short},
		{"runtime folder too long", "", long, short, short},
		{"no runtime folder", "", "", short, short},
		{"runtime folder missing", "", filepath.Join(short, "none"), short, short},
		{"both too long", "", long, long, "/tmp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", tt.runtime)
			t.Setenv("TMPDIR", tt.tmp)
			if got, err := socketBase(tt.dir); err != nil || got != tt.want {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if _, err := socketBase(long); err == nil {
		t.Error("a folder whose path is too long was taken")
	}
}
