package update

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/feature"
	"parley/app/method"
	"parley/app/restart"
	"parley/backend/fault"
	"parley/backend/update"
)

func plain(t *testing.T) *update.Updater {
	t.Helper()
	dir := t.TempDir()
	return &update.Updater{Version: "1.0.0", Program: filepath.Join(dir, "parley"), Target: "linux-amd64", Dir: filepath.Join(dir, "update"), Log: slog.New(slog.DiscardHandler)}
}

// Only a user on a surface with full rights can request it.
func TestWhoMay(t *testing.T) {
	s := New(Config{Updater: plain(t), Log: slog.New(slog.DiscardHandler)})
	device := func(once bool) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context {
			return method.WithDevice(ctx, method.Device{Name: "My phone", Once: once})
		}
	}
	surface := func(name string) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context { return method.WithSurface(ctx, name) }
	}
	for name, tt := range map[string]struct {
		from func(context.Context) context.Context
		want fault.Code // unavailable: it may, and there is no address
	}{
		"the window":                 {surface("window"), fault.Unavailable},
		"the gateway":                {surface("gateway"), fault.Unavailable},
		"a device with all":          {device(false), fault.Unavailable},
		"a device that answers":      {device(true), fault.Forbidden},
		"what comes from no surface": {func(ctx context.Context) context.Context { return ctx }, fault.Forbidden},
		"a surface that has no name": {surface(""), fault.Forbidden},
	} {
		if _, err := s.Update(tt.from(t.Context()), feature.Empty{}); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A build without an address contacts no server, and says how it is updated.
func TestOff(t *testing.T) {
	for name, u := range map[string]*update.Updater{"a plain build": plain(t), "no updater": nil} {
		s := New(Config{Updater: u, Log: slog.New(slog.DiscardHandler)})
		got, err := s.Updates(t.Context(), UpdatesParams{Fresh: true})
		if err != nil || got.State != "off" || !strings.Contains(got.How, "without an update address") {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// A program that is executed again because the update did not start restores the previous version.
func TestTakenBack(t *testing.T) {
	for name, tt := range map[string]struct {
		handed *restart.Handed
		want   string
	}{
		"it failed":    {&restart.Handed{Past: restart.Past{Failed: "it is broken"}}, "before"},
		"it was cut":   {nil, "update"},
		"it took over": {&restart.Handed{}, "update"},
	} {
		u := plain(t)
		if err := os.MkdirAll(u.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		state := `{"installing":{"version":"2.0.0","before":"1.0.0","program":"` + u.Program + `"}}`
		for path, text := range map[string]string{u.Program: "update", u.Program + ".previous": "before", filepath.Join(u.Dir, "state.json"): state} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		New(Config{Updater: u, Handed: tt.handed, Log: slog.New(slog.DiscardHandler)})
		if got, err := os.ReadFile(u.Program); string(got) != tt.want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}
