package permissions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A path from the CLI counts as outside unless it is certainly within the session's folder, or one
// that was added.
func TestBlocked(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work/sub", "work-2", "other", "added"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"door": "work", "work/out": "../other", "work/in": "sub", "work/nowhere": "../gone/file"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	at := func(path string) string { return filepath.Join(root, path) }
	tests := []struct {
		name, folder, path string
		outside            bool
	}{
		{"none", at("work"), "", false},
		{"the folder", at("work"), at("work"), false},
		{"a new file", at("work"), at("work/new.txt"), false},
		{"a new file in a new folder", at("work"), at("work/a/b/new.txt"), false},
		{"relative", at("work"), "new.txt", false},
		{"by a link to the folder", at("work"), at("door/new.txt"), false},
		{"the folder is a link", at("door"), at("work/new.txt"), false},
		{"by a link within", at("work"), at("work/in/new.txt"), false},
		{"an added folder", at("work"), at("added/new.txt"), false},
		{"another folder", at("work"), at("other/new.txt"), true},
		{"a folder with a name that begins alike", at("work"), at("work-2/new.txt"), true},
		{"the folder above", at("work"), root, true},
		{"by a link that leads out", at("work"), at("work/out/new.txt"), true},
		{"a link to what is not there", at("work"), at("work/nowhere"), true},
		{"up and away", at("work"), root + "/work/../other/x", true},
		{"relative and up", at("work"), "../other/x", true},
		{"the home folder", at("work"), "~/x", true},
		{"a folder that is gone", at("gone"), at("other"), true},
	}
	var r Reach
	r.Add([]json.RawMessage{[]byte(`{"type":"addDirectories","directories":["` + filepath.ToSlash(at("added")) + `"]}`), []byte(`{"type":"setMode","mode":"plan"}`), []byte(`7`)})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Blocked(tt.folder, tt.path); (got != "") != tt.outside || got != "" && got != tt.path {
				t.Errorf("got %q", got)
			}
		})
	}
}
