package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPictureIsNew(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := draw(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(picture)))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the picture of the packages is old (%v): go run ./build/map", err)
	}
}

// The paths that the README names for developers exist.
func TestPathsOfTheReadme(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("`((?:app|backend|frontend|build)/[\\w./-]+)`").FindAllSubmatch(text, -1)
	if len(found) < 15 {
		t.Errorf("only %d paths were found", len(found))
	}
	for _, m := range found {
		path := string(m[1])
		if strings.HasPrefix(path, "build/bin") || path == "build/artefacts" {
			continue // created by the scripts
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path))); err != nil {
			t.Errorf("the README names %s: %v", path, err)
		}
	}
}

func TestReduce(t *testing.T) {
	got := reduce(graph{"main": {"app", "event", "session"}, "app": {"session", "event"}, "session": {"event"}, "event": nil})
	want := graph{"main": {"app"}, "app": {"session"}, "session": {"event"}, "event": {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if floor := got.floor("main"); floor != 3 {
		t.Errorf("main stands on floor %d", floor)
	}
}

func TestRoom(t *testing.T) {
	for path, want := range map[string]string{
		"parley": "main", "parley/app": "app", "parley/app/desktop": "app/desktop", "parley/backend/chat/relay/post": "backend/chat",
		"parley/backend": "", "parley/app/border": "", "parley/build/mutants": "",
	} {
		if got := room(path); got != want {
			t.Errorf("room(%q) = %q, want %q", path, got, want)
		}
	}
}
