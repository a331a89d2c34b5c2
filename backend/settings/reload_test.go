package settings_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/outside/outsidetest"
	"parley/backend/settings"
)

// write replaces the content of the file, as an editor does.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	tests := []struct {
		name, content string
		changed       bool
		theme         string
		zoom          int
		warning       string
	}{
		{"another value", `{"theme":"light","zoom":120}`, true, "light", 120, ""},
		{"a value that was taken out", `{"theme":"dark","x":1}`, true, "dark", 100, ""},
		{"the same again", `{"theme": "dark", "zoom": 150 }`, false, "dark", 150, ""},
		{"one that is impossible", `{"theme":"light","zoom":7}`, true, "light", 150, "settings_ignored zoom"},
		{"half of it", `{"theme":"li`, true, "dark", 150, "settings_unread"},
		{"a list", `[1,2,3]`, true, "dark", 150, "settings_unread"},
		{"null", `null`, true, "dark", 150, "holds no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := file(t, `{"theme":"dark","zoom":150}`)
			s := open(t, path)
			if s.Reload() {
				t.Error("nothing had changed")
			}
			changes, cancel := s.Subscribe()
			defer cancel()
			write(t, path, tt.content)
			if got := s.Reload(); got != tt.changed {
				t.Errorf("changed: %v", got)
			}
			if got := s.Get(); got.Theme != tt.theme || got.Zoom != tt.zoom {
				t.Errorf("theme %q, zoom %d", got.Theme, got.Zoom)
			}
			if (tt.warning == "") != (told(s) == "") || !strings.Contains(told(s), tt.warning) {
				t.Errorf("warning %q", told(s))
			}
			told := len(changes) == 1
			if want := tt.theme != "dark" || tt.zoom != 150; told != want {
				t.Errorf("told: %v", told)
			}
			if s.Reload() {
				t.Error("the same file counts twice")
			}
		})
	}
}

// A user's rejected text is not lost when Parley writes the file.
func TestNothingIsLost(t *testing.T) {
	for _, content := range []string{`{"theme":"dark","zoom":7}`, `{"theme":`} {
		path := file(t, "{}")
		s := open(t, path)
		write(t, path, content)
		if _, err := s.Set(func(v *settings.Values) { v.Model = "opus" }); err != nil {
			t.Fatal(err)
		}
		kept, err := filepath.Glob(filepath.Join(filepath.Dir(path), "settings.broken-*.json"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("kept: %v %v", kept, err)
		}
		if data, err := os.ReadFile(kept[0]); err != nil || string(data) != content {
			t.Errorf("kept %q, %v", data, err)
		}
		if !strings.Contains(told(s), kept[0]) {
			t.Errorf("warning %q", told(s))
		}
		if got := open(t, path).Get().Model; got != "opus" {
			t.Errorf("model %q", got)
		}
	}
}

// A manual change that was not read yet is read before another is saved.
func TestChangeByHandIsKept(t *testing.T) {
	path := file(t, `{"theme":"dark"}`)
	s := open(t, path)
	write(t, path, `{"theme":"light","later":[1]}`)
	if _, err := s.Set(func(v *settings.Values) { v.Model = "opus" }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), `"later"`) {
		t.Errorf("%s %v", data, err)
	}
	if got := open(t, path).Get(); got.Theme != "light" || got.Model != "opus" {
		t.Errorf("theme %q, model %q", got.Theme, got.Model)
	}
}

func TestValuesAreCopies(t *testing.T) {
	s := open(t, file(t, ""))
	if _, err := s.Set(func(v *settings.Values) { v.Shortcuts["settings"] = "Mod+J" }); err != nil {
		t.Fatal(err)
	}
	s.Get().Shortcuts["settings"] = "Mod+L"
	if got := s.Get().Shortcuts["settings"]; got != "Mod+J" {
		t.Errorf("shortcut %q", got)
	}
}

// hasty changes the file right after the store has written it, before the store returns.
type hasty struct {
	outsidetest.Keeper
	change func()
}

func (h *hasty) Done(string, bool) { h.change() }

// An outside write at the moment when Parley writes is read, too.
func TestChangedWhileItIsWritten(t *testing.T) {
	path := file(t, `{"theme":"dark"}`)
	keeper := &hasty{change: func() { write(t, path, `{"theme":"light","zoom":120}`) }}
	s, err := settings.Open(path, keeper, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(func(v *settings.Values) { v.Zoom = 110 }); err != nil {
		t.Fatal(err)
	}
	if !s.Reload() || s.Get().Theme != "light" || s.Get().Zoom != 120 {
		t.Errorf("theme %q, zoom %d", s.Get().Theme, s.Get().Zoom)
	}
}
