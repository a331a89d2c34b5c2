package history

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A missing projects folder is noticed as soon as it is created, along with its
// parents.
func TestWatchFromAbove(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, ".config", "claude")
	p := place{t, filepath.Join(config, "projects")}
	w := &watch{c: NewCatalog(Config{Root: p.root, Workers: 1, Log: slog.New(slog.DiscardHandler)}), dirs: make(map[string]bool)}
	events, _ := w.open()
	defer w.close()
	look := func() {
		t.Helper()
		if err := w.look(t.Context(), true, nil); err != nil {
			t.Fatal(err)
		}
	}
	heard := func(what string) {
		t.Helper()
		limit := time.After(10 * time.Minute)
		for {
			select {
			case e := <-events:
				if w.isDir(e.Name) {
					look()
					return
				}
			case <-limit:
				t.Fatalf("%s: nothing is heard", what)
			}
		}
	}
	at := func(above string) {
		t.Helper()
		if w.above != above || w.deaf {
			t.Fatalf("watched from %q, deaf: %v; want %q", w.above, w.deaf, above)
		}
	}
	look()
	at(home)
	for _, name := range []string{"elsewhere", "other.jsonl"} {
		if path := filepath.Join(home, name); w.isDir(path) {
			t.Errorf("%s is taken for a folder of conversations", path)
		}
	}
	if err := os.Mkdir(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	heard("the first part")
	at(filepath.Dir(config))
	p.say("a", "hello") // the rest in one write
	heard("the rest")
	at("")
	if list := w.c.Entries(); len(list) != 1 {
		t.Errorf("found %+v", list)
	}
	if err := os.RemoveAll(config); err != nil {
		t.Fatal(err)
	}
	for w.above == "" || isFolder(p.root) {
		heard("the end of it")
	}
	at(filepath.Dir(config))
}
