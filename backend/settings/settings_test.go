package settings_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/settings"
)

func open(t *testing.T, path string) *settings.Store {
	t.Helper()
	s, err := settings.Open(path, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	if content != "" {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// told is the text of a store's problem, or "".
func told(s *settings.Store) string {
	p, wrong := s.Problem()
	if !wrong {
		return ""
	}
	return strings.TrimSpace(p.ID + " " + p.Facts["names"] + " " + p.Facts["cause"] + " " + p.Facts["file"])
}

func TestOpen(t *testing.T) {
	dark := settings.Defaults()
	dark.Theme = "dark"
	tests := []struct {
		name, content string
		want          settings.Values
		warning       string
		setAside      bool
	}{
		{"missing", "", settings.Defaults(), "", false},
		{"empty object", "{}", settings.Defaults(), "", false},
		{"one key", `{"theme":"dark"}`, dark, "", false},
		{"unknown key", `{"theme":"dark","later":{"x":[1]}}`, dark, "", false},
		{"impossible values", `{"theme":"dark","questionTimeoutHours":0,"model":7,"cliPath":"bin/claude"}`, dark,
			"cliPath, model, questionTimeoutHours", false},
		{"broken", `{"theme":`, settings.Defaults(), "settings.broken-", true},
		{"no object", `["dark"]`, settings.Defaults(), "settings.broken-", true},
		{"null", `null`, settings.Defaults(), "settings.broken-", true},
		{"nothing in it", " ", settings.Defaults(), "settings.broken-", true},
		{"huge", `{"x":"` + strings.Repeat("x", 2<<20) + `"}`, settings.Defaults(), "settings.broken-", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := file(t, tt.content)
			s := open(t, path)
			if diff := cmp.Diff(tt.want, s.Get()); diff != "" {
				t.Error(diff)
			}
			if (tt.warning == "") != (told(s) == "") || !strings.Contains(told(s), tt.warning) {
				t.Errorf("warning %q", told(s))
			}
			kept, err := filepath.Glob(filepath.Join(filepath.Dir(path), "settings.broken-*.json"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.setAside != (len(kept) == 1) {
				t.Fatalf("set aside: %v", kept)
			}
			if tt.setAside {
				content, err := os.ReadFile(kept[0])
				if err != nil || string(content) != tt.content {
					t.Errorf("the broken file has changed: %v", err)
				}
			}
			if _, err := s.Set(func(v *settings.Values) { v.Model = "opus" }); err != nil {
				t.Errorf("set afterwards: %v", err)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	_, err := settings.Open(t.TempDir(), nil, slog.New(slog.DiscardHandler))
	if fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

func TestSet(t *testing.T) {
	path := file(t, `{"later":{"x":[1]},"theme":"light"}`)
	s := open(t, path)
	got, err := s.Set(func(v *settings.Values) { v.Theme, v.CLIPath = "dark", filepath.Join(t.TempDir(), "claude") })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, open(t, path).Get()); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"x": []any{1.0}}, all["later"]); diff != "" {
		t.Error(diff)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".parley-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestWrongValuesAreNamed(t *testing.T) {
	s := open(t, file(t, ""))
	before := s.Get()
	_, err := s.Set(func(v *settings.Values) {
		*v = settings.Values{
			Appearance:    settings.Appearance{Language: "xx", Scheme: "mud", Accent: "beige", Font: "a;b", CodeFont: `x"`, FontSize: 9, CodeFontSize: 25, Density: "tight", Zoom: 49},
			Notifications: settings.Notifications{NotifyAfterSeconds: -1}, Shortcuts: map[string]string{"a b": ""},
			Theme: "pink", CLIPath: "claude", PermissionMode: "yolo", Model: "--danger", Engine: "steam", QuestionTimeoutHours: 1000, SuspendMinutes: -1, WhileBusy: "hope", AutoApprove: settings.AutoApprove{Guard: "dog"}, Tray: settings.Tray{CloseWhileWorking: "nap", DoNotDisturbUntil: -2}, Rooms: settings.Rooms{RoomNick: "a b", RoomHours: 721, RoomWake: "x", RoomTurnsPerHour: -1, RoomMaxHops: 1001, NATSURL: "nats://me:secret@host", NATSCredentials: "here"}, Memory: settings.Memory{MemoryBudgetTokens: 199}, Editor: "vi -c x",
		}
	})
	if fault.CodeOf(err) != fault.Invalid {
		t.Fatal(err)
	}
	want := `settings: "theme" must be one of ["system" "light" "dark"], not "pink"; "cliPath" must be an absolute path, or empty; ` +
		`"permissionMode" must be one of ["plan" "dontAsk" "default" "acceptEdits" "auto" "bypassPermissions" ""], not "yolo"; ` +
		`"model" must be a model's name of at most 200 letters, digits and . _ : / @ + [ ] -, or empty; "engine" must be one of ["cli" "sdk"], not "steam"; "questionTimeoutHours" must be 1 to 720, not 1000; ` +
		`"suspendMinutes" must be 0 to 10080, not -1; "whileBusy" must be one of ["steer" "queue"], not "hope"; "guard" must be one of ["off" "static" "reviewed"], not "dog"; "reviewerModel" must be a model's name; ` +
		`"editor" must be the name of an editor, an absolute path of one, or empty; ` +
		`"language" must be one of ["system" "en" "de"], not "xx"; "scheme" must be one of ["parley" "contrast" "sand" "fjord" "grove" "rose"], not "mud"; ` +
		`"accent" must be one of ["" "violet" "blue" "teal" "green" "amber" "red" "pink"], not "beige"; "font" must be the name of a font, or empty; ` +
		`"codeFont" must be the name of a font, or empty; "fontSize" must be 10 to 24, not 9; "codeFontSize" must be 10 to 24, not 25; ` +
		`"density" must be one of ["comfortable" "compact"], not "tight"; "zoom" must be 50 to 300, not 49; "notifyAfterSeconds" must be 0 to 3600, not -1; ` +
		`"shortcuts" must be ids of actions with keys such as "Mod+Shift+K"; "closeWhileWorking" must be one of ["ask" "background" "quit"], not "nap"; "doNotDisturbUntil" must be a time, 0 or -1, not -2; ` +
		`"roomNick" must be made of at most 50 letters, digits, "_" and "-", or empty; "roomHours" must be 1 to 720, not 721; "roomWake" must be one of ["off" "mention" "any"], not "x"; ` +
		`"roomTurnsPerHour" must be 0 to 1000, not -1; "roomMaxHops" must be 0 to 1000, not 1001; "natsUrl" must not hold a name or a password: settings are no place for secrets. Use natsCredentials, or the environment; ` +
		`"natsCredentials" must be an absolute path, or empty; "memoryBudgetTokens" must be 200 to 20000, not 199`
	if diff := cmp.Diff(want, fault.MessageOf(err)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, s.Get()); diff != "" {
		t.Error(diff)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	path := file(t, "")
	s := open(t, path)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	before := s.Get()
	if _, err := s.Set(func(v *settings.Values) { v.Theme = "dark" }); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if err := s.UseFolder("/a"); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if diff := cmp.Diff(before, s.Get()); diff != "" {
		t.Error(diff)
	}
}

func TestLinkStaysALink(t *testing.T) {
	path := file(t, `{"theme":"dark"}`)
	link := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if _, err := open(t, link).Set(func(v *settings.Values) { v.Theme = "light" }); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v %v", info, err)
	}
	if got := open(t, path).Get().Theme; got != "light" {
		t.Errorf("theme %q", got)
	}
}

func TestRecentFolders(t *testing.T) {
	path := file(t, "")
	s := open(t, path)
	for _, f := range []string{"/a", "/b", "/a", "/a", "/c"} {
		if err := s.UseFolder(f); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"/c", "/a", "/b"}, open(t, path).RecentFolders()); diff != "" {
		t.Error(diff)
	}
	for i := range 50 {
		if err := s.UseFolder(fmt.Sprintf("/many/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, path).RecentFolders(); len(got) != 20 || got[0] != "/many/49" {
		t.Errorf("%d folders: %v", len(got), got)
	}
}

func TestSubscribe(t *testing.T) {
	s := open(t, file(t, ""))
	changes, cancel := s.Subscribe()
	set := func(theme string) {
		t.Helper()
		if _, err := s.Set(func(v *settings.Values) { v.Theme = theme }); err != nil {
			t.Fatal(err)
		}
	}
	set("system") // no change
	set("light")
	set("dark") // overtakes
	if got := <-changes; got.Theme != "dark" {
		t.Errorf("theme %q", got.Theme)
	}
	cancel()
	cancel()
	set("light")
	select {
	case v := <-changes:
		t.Errorf("after the end: %+v", v)
	default:
	}
}

func TestConcurrentUse(t *testing.T) {
	s := open(t, file(t, ""))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 10 {
				if _, err := s.Set(func(v *settings.Values) { v.QuestionTimeoutHours = 1 + i*10 + n }); err != nil {
					t.Error(err)
				}
				s.Get()
				if err := s.UseFolder(fmt.Sprintf("/%d/%d", i, n)); err != nil {
					t.Error(err)
				}
				_, cancel := s.Subscribe()
				cancel()
			}
		})
	}
	wg.Wait()
}
