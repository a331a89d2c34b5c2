package settings_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/outside/outsidetest"
	"parley/backend/settings"
)

func openKept(t *testing.T, path string, k *outsidetest.Keeper) *settings.Store {
	t.Helper()
	s, err := settings.Open(path, k, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func held(s *settings.Store) string {
	list, _ := s.Held()
	var names []string
	for _, c := range list {
		names = append(names, c.Field)
	}
	return strings.Join(names, " ")
}

// Outside changes that allow more do not apply, now and after a restart,
// until they are accepted; the rest applies at once.
func TestOutside(t *testing.T) {
	const change = `{"permissionMode":"bypassPermissions","cliPath":"/tmp/evil","theme":"light","unknown":1}`
	begin := func(t *testing.T) (string, *outsidetest.Keeper, *settings.Store) {
		path, k := file(t, `{"permissionMode":"plan","theme":"dark"}`), &outsidetest.Keeper{}
		s := openKept(t, path, k)
		if held(s) != "" || s.Get().PermissionMode != "plan" {
			t.Fatalf("at first: %q, %+v", held(s), s.Get())
		}
		k.Later = true
		return path, k, s
	}
	old := func(t *testing.T, s *settings.Store) {
		t.Helper()
		if v := s.Get(); v.PermissionMode != "plan" || v.CLIPath != "" || v.Theme != "light" || held(s) != "cliPath permissionMode unknown" {
			t.Errorf("%+v, held %q", v, held(s))
		}
	}
	for _, restart := range []bool{false, true} {
		changed := func(t *testing.T) (string, *outsidetest.Keeper, *settings.Store) {
			path, k, s := begin(t)
			write(t, path, change)
			if restart {
				s = openKept(t, path, k)
			} else if !s.Reload() {
				t.Error("nothing changed")
			}
			old(t, s)
			return path, k, s
		}
		t.Run("stays held", func(t *testing.T) {
			path, k, s := changed(t)
			if _, err := s.Set(func(v *settings.Values) { v.Zoom = 120 }); err != nil {
				t.Fatal(err)
			}
			if err := s.UseFolder("/x"); err != nil {
				t.Fatal(err)
			}
			old(t, s)
			s = openKept(t, path, k)
			old(t, s)
			if s.Get().Zoom != 120 {
				t.Error("what the person chose is lost")
			}
		})
		t.Run("accept", func(t *testing.T) {
			path, k, s := changed(t)
			if err := s.Accept("another"); fault.CodeOf(err) != fault.Conflict {
				t.Error(err)
			}
			_, revision := s.Held()
			if err := s.Accept(revision); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if v := s.Get(); v.PermissionMode != "bypassPermissions" || v.CLIPath != "/tmp/evil" || held(s) != "" {
					t.Errorf("%+v, held %q", v, held(s))
				}
				s = openKept(t, path, k)
			}
		})
		t.Run("undo", func(t *testing.T) {
			path, k, s := changed(t)
			_, revision := s.Held()
			if err := s.Undo(revision); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if v := s.Get(); v.PermissionMode != "plan" || v.CLIPath != "" || v.Theme != "light" || held(s) != "" {
					t.Errorf("%+v, held %q", v, held(s))
				}
				s = openKept(t, path, k)
			}
			text, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(text), "evil") || strings.Contains(string(text), "unknown") {
				t.Errorf("the file: %s %v", text, err)
			}
			aside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "settings.outside-*.json"))
			if len(aside) != 1 {
				t.Fatal("what it said is not kept:", aside)
			}
			if text, err := os.ReadFile(aside[0]); err != nil || string(text) != change {
				t.Errorf("kept: %s %v", text, err)
			}
		})
		t.Run("a choice of the person's", func(t *testing.T) {
			_, _, s := changed(t)
			if _, err := s.Set(func(v *settings.Values) { v.PermissionMode = "default" }); err != nil {
				t.Fatal(err)
			}
			if s.Get().PermissionMode != "default" || held(s) != "cliPath unknown" {
				t.Errorf("%q", held(s))
			}
		})
		t.Run("put right by hand", func(t *testing.T) {
			path, _, s := changed(t)
			write(t, path, `{"permissionMode":"plan","theme":"sand"}`)
			s.Reload()
			if held(s) != "" {
				t.Errorf("held %q", held(s))
			}
		})
	}
	t.Run("the file is removed", func(t *testing.T) {
		path, k, _ := begin(t)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if s := openKept(t, path, k); s.Get().PermissionMode != "plan" {
			t.Errorf("%+v", s.Get())
		}
	})
	t.Run("a file that is new later", func(t *testing.T) {
		path, k := filepath.Join(t.TempDir(), "settings.json"), &outsidetest.Keeper{}
		openKept(t, path, k)
		write(t, path, change)
		if s := openKept(t, path, k); s.Get().PermissionMode != "" || s.Get().CLIPath != "" || s.Get().Theme != "light" {
			t.Errorf("%+v", s.Get())
		}
	})
	t.Run("nothing can be kept", func(t *testing.T) {
		path, k, s := begin(t)
		k.Fail = errors.New("full")
		if _, err := s.Set(func(v *settings.Values) { v.Guard = "static" }); fault.CodeOf(err) != fault.Unavailable {
			t.Error(err)
		}
		var now map[string]any
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &now) != nil || now["guard"] != nil {
			t.Errorf("the file was written: %s", text)
		}
		if diff := cmp.Diff(openKept(t, path, k).Get(), s.Get()); diff != "" {
			t.Error(diff)
		}
	})
}
