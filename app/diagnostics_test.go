package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/diagnostics"
	"parley/app/feature"
	"parley/app/method"
	"parley/app/notices"
	"parley/app/settings"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
	"parley/backend/problem"
	"parley/backend/style"
)

// newPlace starts a Parley with a log.
func newPlace(t *testing.T, window bool, attention feature.Attention) (*App, string) {
	t.Helper()
	return placeOf(t, Config{Desktop: window, Attention: attention}, func(string) {})
}

// newPlaceWith starts one with existing data.
func newPlaceWith(t *testing.T, fill func(data string)) (*App, string) {
	t.Helper()
	return placeOf(t, Config{}, fill)
}

func placeOf(t *testing.T, cfg Config, fill func(data string)) (*App, string) {
	t.Helper()
	home := t.TempDir()
	fill(filepath.Join(home, "data"))
	// A CLI that does nothing, so that none is reported missing.
	if err := os.WriteFile(filepath.Join(home, "claude"), []byte("#!/bin/sh\necho '2.1.329 (Claude Code)'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{
		Version: "1.2.3",
		Dirs:    paths.Dirs{Home: home, Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")},
		Env:     []string{"HOME=" + home, "PATH=" + home}, Executable: filepath.Join(home, "parley"),
		Desktop: cfg.Desktop, Attention: cfg.Attention, Logger: slog.New(slog.NewTextHandler(&nowhere{}, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, filepath.Join(home, "data")
}

func ask[R any](ctx context.Context, t *testing.T, a *App, name string, params any) R {
	t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.Methods().Call(ctx, name, raw)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var result R
	if err := json.Unmarshal(answer, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func listen(t *testing.T, a *App, patterns ...string) *bus.Subscription {
	t.Helper()
	s, err := a.Bus().Subscribe(patterns, bus.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// next waits for the next event.
func next(t *testing.T, s *bus.Subscription) event.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	batch, err := s.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return batch.Records[0].Event
}

// problemsOf are the ids of the current problems.
func problemsOf(t *testing.T, a *App) []string {
	t.Helper()
	ids := []string{}
	for _, p := range ask[diagnostics.Problems](t.Context(), t, a, "app.problems", feature.Empty{}).Problems {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestWhatIsChangedByHand(t *testing.T) {
	t.Parallel()
	a, data := newPlace(t, false, nil)
	events := listen(t, a, "settings.*", "styles.*", "problems.*")
	// Each is written atomically, as editors do: Parley may read it at any time.
	file := filepath.Join(data, "settings.json")
	if err := atomicfile.File(file, []byte(`{"scheme":"rose"}`)); err != nil {
		t.Fatal(err)
	}
	if e, ok := next(t, events).(*event.SettingsChanged); !ok {
		t.Fatalf("%T", e)
	}
	if got := ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}); got.Scheme != "rose" {
		t.Errorf("scheme %q", got.Scheme)
	}
	if err := atomicfile.File(file, []byte(`{`)); err != nil {
		t.Fatal(err)
	}
	if e, ok := next(t, events).(*event.ProblemsChanged); !ok || len(e.Problems) != 1 || e.Problems[0].ID != problem.SettingsUnread || e.Problems[0].Facts["file"] != file {
		t.Fatalf("%+v", e)
	}
	if got := ask[diagnostics.Info](t.Context(), t, a, "app.info", feature.Empty{}); got.Settings.Scheme != "rose" || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Title, "cannot be read") {
		t.Errorf("scheme %q, problems %+v", got.Settings.Scheme, got.Problems)
	}
	// Once it is fixed, the problem is gone.
	if err := atomicfile.File(file, []byte(`{"scheme":"rose"}`)); err != nil {
		t.Fatal(err)
	}
	if e, ok := next(t, events).(*event.ProblemsChanged); !ok || len(e.Problems) != 0 {
		t.Fatalf("%+v", e)
	}
	if got := problemsOf(t, a); len(got) != 0 {
		t.Errorf("problems %q", got)
	}
	if got := ask[diagnostics.StyleSheet](t.Context(), t, a, "style.get", feature.Empty{}); got.Found || got.Path != filepath.Join(data, "theme.css") {
		t.Errorf("%+v", got)
	}
	for _, css := range []string{":root { --bg: red }", strings.Repeat("x", style.MaxSize+1)} {
		if err := atomicfile.File(filepath.Join(data, "theme.css"), []byte(css)); err != nil {
			t.Fatal(err)
		}
		for changed := false; !changed; {
			batch, err := events.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			changed = slices.ContainsFunc(batch.Records, func(r *bus.Record) bool { _, ok := r.Event.(*event.StylesChanged); return ok })
		}
		got := ask[diagnostics.StyleSheet](t.Context(), t, a, "style.get", feature.Empty{})
		if large := len(css) > style.MaxSize; !got.Found || got.TooLarge != large || got.Held == large || got.CSS != "" {
			t.Errorf("%+v", got)
		}
		// A change waits for the user; a file that is too large does not.
		if got := slices.Contains(problemsOf(t, a), problem.ChangesHeld); got != (len(css) <= style.MaxSize) {
			t.Errorf("held: %v", got)
		}
	}
	if got := ask[settings.Settings](t.Context(), t, a, "settings.defaults", feature.Empty{}); got.Scheme != "parley" || got.Shortcuts == nil {
		t.Errorf("%+v", got)
	}
}

func TestLogAndDiagnostics(t *testing.T) {
	t.Parallel()
	a, data := newPlace(t, false, nil)
	home := filepath.Dir(data)
	events := listen(t, a, "log.*")
	a.cfg.Logger.Warn("Reading failed", "file", filepath.Join(home, "x"), "token", "abcdef-secret")
	if e, ok := next(t, events).(*event.LogAppended); !ok || e.Last == 0 {
		t.Errorf("%+v", e)
	}
	page := ask[diagnostics.LogPage](t.Context(), t, a, "log.list", diagnostics.LogListParams{Level: "warn", Text: "reading"})
	if len(page.Records) != 1 || page.Records[0].Level != "warn" || page.Records[0].Message != "Reading failed" || strings.Contains(page.Records[0].Rest, "secret") {
		t.Errorf("%+v", page)
	}
	if _, err := a.Methods().Call(t.Context(), "log.list", []byte(`{"limit":2001}`)); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
	text := ask[diagnostics.Diagnostics](t.Context(), t, a, "app.diagnostics", feature.Empty{}).Text
	for _, want := range []string{"Parley 1.2.3 (server)", `Claude Code: found true, version "2.1.329"`, "Sessions: 0 listed", "Reading failed file=~/x"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Contains(text, home) || strings.Contains(text, "secret") {
		t.Errorf("too much is in:\n%s", text)
	}
}

// nowhere discards the log; a discarding handler would not be called at all.
type nowhere struct{}

func (*nowhere) Write(p []byte) (int, error) { return len(p), nil }

// marks is a window's attention that records requests.
type marks chan string

func (m marks) Urgent(on bool) {
	if on {
		m <- "mark"
		return
	}
	m <- "unmark"
}

func (m marks) Raise() { m <- "raise" }

func TestNotices(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	attention := make(marks, 16)
	a, _ := newPlace(t, true, attention)
	events := listen(t, a, "notice.*")
	asked := &event.PermissionRequest{Head: event.Head{SessionID: "s"}, Question: event.Question{RequestID: "r", Kind: "plan"}}
	a.Bus().Publish(asked)
	if diff := cmp.Diff(event.Event(&event.NotificationShown{SessionID: "s", Kind: "plan"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	if got := <-attention; got != "mark" {
		t.Error(got)
	}
	a.Bus().Publish(&event.PermissionResolved{Head: event.Head{SessionID: "s"}, RequestID: "r"})
	if diff := cmp.Diff(event.Event(&event.NotificationClosed{SessionID: "s"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	// A browser page does not speak for the window.
	presence := notices.PresenceParams{Focused: true, Sessions: []string{"s"}}
	ask[feature.Empty](method.WithSurface(t.Context(), "gateway"), t, a, "notification.setPresence", presence)
	if a.notices.Looking() {
		t.Error("a page in a browser counts as the window")
	}
	ask[feature.Empty](method.WithSurface(t.Context(), "window"), t, a, "notification.setPresence", presence)
	if got := <-attention; got != "unmark" || !a.notices.Looking() {
		t.Error(got)
	}
	a.Bus().Publish(asked)
	next(t, events)
	select {
	case got := <-attention:
		t.Errorf("%s, although someone looks", got)
	default:
	}
	a.notices.Opened("s")
	if diff := cmp.Diff(event.Event(&event.NoticeOpened{SessionID: "s"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	if _, err := a.Methods().Call(t.Context(), "notification.test", nil); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

func TestWordsOfNotices(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	for language, want := range map[string]string{"system": "Fertig.", "de": "Fertig.", "en": "Finished."} {
		if got := notices.NoticeWords(language).Bodies["done"]; got != want {
			t.Errorf("%s: %q", language, got)
		}
	}
}
