//go:build unix

package clisettings

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	root := t.TempDir()
	config, folder := filepath.Join(root, "config"), filepath.Join(root, "folder")
	write(t, filepath.Join(config, "settings.json"), `{"permissions":{"allow":["Bash(ls)",7],"deny":["Read(x)"],"ask":"no list"}}`)
	write(t, filepath.Join(folder, ".claude", "settings.json"), `[]`)
	if err := syscall.Mkfifo(filepath.Join(folder, ".claude", "settings.local.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := slices.DeleteFunc(Read(config, folder), func(f File) bool { return f.Where == Policy })
	if len(files) != 3 || files[0].Where != User || files[1].Problem == "" || files[2].Problem == "" {
		t.Fatalf("%+v", files)
	}
	if diff := cmp.Diff([]Rule{{"deny", "Read(x)"}, {"allow", "Bash(ls)"}}, files[0].Rules()); diff != "" {
		t.Error(diff)
	}
	write(t, filepath.Join(folder, ".claude", "settings.json"), strings.Repeat(" ", maxFile+1))
	if f := Read(config, folder)[1]; f.Problem == "" || f.Rules() != nil {
		t.Errorf("%+v", f)
	}
	if files := Read(config, ""); len(files) == 0 || files[0].Where != User || len(files) > 1 && files[1].Where != Policy {
		t.Errorf("without a folder: %+v", files)
	}
	// At home, the folder's settings are the user's.
	write(t, filepath.Join(root, "home", ".claude", "settings.json"), `{}`)
	if files := Read(filepath.Join(root, "home", ".claude"), filepath.Join(root, "home")); len(files) == 0 || files[0].Where != User || len(files) > 1 && files[1].Where == Project {
		t.Errorf("%+v", files)
	}
}

// Everything else stays, in place.
func TestAdd(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct{ name, before, want, problem string }{
		{name: "none", want: `{"permissions":{"allow":["Bash(ls <x>)"]}}`},
		{name: "empty", before: " \n", want: `{"permissions":{"allow":["Bash(ls <x>)"]}}`},
		{name: "others", before: `{"z":1.50,"permissions":{"defaultMode":"plan","allow":["Bash(b)"],"deny":["X"]},"a":{"y":"<&>","x":null}}`,
			want: `{"z":1.50,"permissions":{"defaultMode":"plan","allow":["Bash(b)","Bash(ls <x>)"],"deny":["X"]},"a":{"y":"<&>","x":null}}`},
		{name: "there already", before: `{"permissions":{"allow":["Bash(ls <x>)"]}}`, want: `{"permissions":{"allow":["Bash(ls <x>)"]}}`},
		{name: "no JSON", before: `{"a":1,}`, problem: "not valid JSON"},
		{name: "two objects", before: `{}{}`, problem: "something follows"},
		{name: "a list", before: `[1]`, problem: "not a JSON object"},
		{name: "permissions are a list", before: `{"permissions":[]}`, problem: "not an object"},
		{name: "allow is an object", before: `{"permissions":{"allow":{}}}`, problem: "not a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), ".claude", "settings.json")
			if tt.name != "none" {
				write(t, file, tt.before)
			}
			added, err := Add(file, "allow", "Bash(ls <x>)", now)
			if tt.problem != "" {
				if left, _ := os.ReadFile(file); fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), tt.problem) || string(left) != tt.before {
					t.Errorf("%v, left %q", err, left)
				}
				return
			}
			after, readErr := os.ReadFile(file)
			var compact bytes.Buffer
			if err != nil || readErr != nil || json.Compact(&compact, after) != nil {
				t.Fatal(err, readErr)
			}
			if diff := cmp.Diff(tt.want, compact.String()); diff != "" {
				t.Error(diff)
			}
			if changed := tt.before != tt.want; added.Changed != changed || (added.Backup != "") != (changed && tt.name != "none") {
				t.Errorf("%+v", added)
			}
			if added.Backup != "" {
				if kept, err := os.ReadFile(added.Backup); err != nil || string(kept) != tt.before {
					t.Errorf("the copy: %q, %v", kept, err)
				}
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%v, %v", info.Mode(), err)
				}
			}
		})
	}
}

// A link to the settings stays a link.
func TestAddThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	write(t, target, `{}`)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if added, err := Add(link, "deny", "Bash", time.Now()); err != nil || !added.Changed {
		t.Fatal(added, err)
	}
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzInsert(f *testing.F) {
	f.Add(`{"permissions":{"allow":["a"]},"x":1}`)
	f.Add(`{"a":{"b":[1,2]},"a":2}`)
	f.Fuzz(func(t *testing.T, before string) {
		after, changed, err := insert([]byte(before), "allow", "Bash(ls)")
		if err != nil || !changed {
			return
		}
		if !json.Valid(after) {
			t.Fatalf("%q became %q", before, after)
		}
		if _, changed, err := insert(after, "allow", "Bash(ls)"); changed || err != nil {
			t.Errorf("%q is not there in %q: %v", before, after, err)
		}
	})
}
