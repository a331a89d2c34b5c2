package push

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/platform/notify"
	"parley/backend/session/profile"
	"parley/backend/store"
	"parley/backend/store/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// records and secrets are a store and a keyring in memory.
type records struct {
	mu  sync.Mutex
	all map[string]model.Way
}

func (r *records) Get(id string) (model.Way, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, ok := r.all[id]
	if !ok {
		return w, store.ErrNotFound
	}
	return w, nil
}

func (r *records) All() ([]model.Way, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.all)), nil
}

func (r *records) Put(id string, w model.Way) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id] = w
	return nil
}

func (r *records) Delete(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
	return nil
}

type secrets struct {
	mu  sync.Mutex
	all map[string]string
}

func (s *secrets) Get(_ context.Context, id, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.all[id+"/"+name]
	if !ok {
		return "", profile.ErrNoSecret
	}
	return value, nil
}

func (s *secrets) Set(_ context.Context, id, name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[id+"/"+name] = value
	return nil
}

func (s *secrets) Delete(_ context.Context, id, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id+"/"+name)
	return nil
}

func (*secrets) Check(context.Context) error { return nil }

type doubt struct{ is *bool }

func (d doubt) Doubted() bool { return *d.is }

func newService(t *testing.T) (*Service, *secrets, *bool) {
	t.Helper()
	keyring, doubted := &secrets{all: map[string]string{}}, false
	s := New(Config{
		Records: &records{all: map[string]model.Way{}}, Secrets: keyring, Store: doubt{&doubted}, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(s.Close)
	return s, keyring, &doubted
}

func set(t *testing.T, s *Service, p WaySetParams) Way {
	t.Helper()
	w, err := s.Set(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestRules(t *testing.T) {
	at := func(clock string) time.Time {
		when, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	way := model.Way{Events: []string{question, limit}, Folder: "/work/a", Away: true}
	for _, tt := range []struct {
		event, folder string
		looking, want bool
	}{
		{question, "/work/a", false, true},
		{question, "/work/a/b", false, true},
		{limit, "/work/a", false, true},
		{done, "/work/a", false, false},
		{question, "/work/ab", false, false},
		{question, "", false, false},
		{question, "/work/a", true, false},
	} {
		if got := wants(way, tt.event, tt.folder, tt.looking); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	for _, tt := range []struct {
		from, to, now string
		want          bool
	}{
		{"", "", "03:00", false},
		{"22:00", "07:00", "22:00", true}, {"22:00", "07:00", "06:59", true}, {"22:00", "07:00", "07:00", false}, {"22:00", "07:00", "12:00", false},
		{"12:00", "13:00", "12:30", true}, {"12:00", "13:00", "13:00", false}, {"12:00", "13:00", "03:00", false},
	} {
		if got := quietAt(model.Way{QuietFrom: tt.from, QuietTo: tt.to}, at(tt.now)); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	kinds := map[notify.Kind]string{
		notify.Question: question, notify.Plan: question, notify.Done: done, notify.Found: done, notify.Failed: failed, notify.Stopped: failed, notify.Limit: limit,
	}
	for kind, want := range kinds {
		if got := eventOf(kind); got != want {
			t.Errorf("%s is %s", kind, got)
		}
	}
}

func TestRefused(t *testing.T) {
	s, keyring, doubted := newService(t)
	secret := "hush-hush-hush-0123456789"
	good := WaySetParams{Kind: "webhook", URL: "https://example.org", Events: []string{done}}
	for name, change := range map[string]func(*WaySetParams){
		"no events":         func(p *WaySetParams) { p.Events = nil },
		"an unknown event":  func(p *WaySetParams) { p.Events = []string{"all"} },
		"half of a folder":  func(p *WaySetParams) { p.Folder = "work" },
		"half of the hours": func(p *WaySetParams) { p.QuietFrom = "22:00" },
		"no hours":          func(p *WaySetParams) { p.QuietFrom, p.QuietTo = "9:00", "25:00" },
		"the same hours":    func(p *WaySetParams) { p.QuietFrom, p.QuietTo = "22:00", "22:00" },
		"no address":        func(p *WaySetParams) { p.URL = "example" },
		"a bad secret":      func(p *WaySetParams) { bad := secret + "\n"; p.Secret = &bad },
	} {
		p := good
		change(&p)
		if _, err := s.Set(t.Context(), p); fault.CodeOf(err) != fault.Invalid || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, id := range []string{"none", "../x"} {
		p := good
		p.ID = id
		if _, err := s.Set(t.Context(), p); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	for range maxWays {
		set(t, s, good)
	}
	if _, err := s.Set(t.Context(), good); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("one more: %v", err)
	}
	*doubted = true
	if _, err := s.Set(t.Context(), good); fault.CodeOf(err) != fault.Unavailable || len(s.all()) != 0 {
		t.Errorf("doubted: %v", err)
	}
	if len(keyring.all) != 0 {
		t.Errorf("%d secrets", len(keyring.all))
	}
}

// A secret is never returned, is only sent to its host, and is deleted with its address.
func TestSecrets(t *testing.T) {
	s, keyring, _ := newService(t)
	var mu sync.Mutex
	var token string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		token = r.Header.Get("Authorization")
	}))
	defer server.Close()
	secret, empty := "tk_hush", ""
	w := set(t, s, WaySetParams{Kind: "ntfy", URL: server.URL + "/topic", Events: []string{done}, Secret: &secret})
	if _, err := s.Test(t.Context(), WayRef{ID: w.ID}); err != nil || token != "Bearer tk_hush" || !w.Secret {
		t.Fatalf("%v, %q, %+v", err, token, w)
	}
	list, err := s.List(t.Context(), feature.Empty{})
	if err != nil || len(list.Ways) != 1 || list.Ways[0].SentAt == 0 {
		t.Errorf("%+v, %v", list, err)
	}
	w = set(t, s, WaySetParams{ID: w.ID, Kind: "ntfy", URL: server.URL + "/other", Events: []string{done}})
	if !w.Secret {
		t.Error("another topic of the server has no token")
	}
	moved := WaySetParams{ID: w.ID, Kind: "ntfy", URL: "https://elsewhere.example/topic", Events: []string{done}}
	if _, err := s.Set(t.Context(), moved); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("it follows to another host: %v", err)
	}
	// The same if another program changed the record.
	record, err := s.cfg.Records.Get(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	record.URL = moved.URL
	if got, err := s.secret(t.Context(), target(record)); got != "" || fault.CodeOf(err) != fault.Unauthorized {
		t.Errorf("%q, %v", got, err)
	}
	moved.Secret = &empty
	if w = set(t, s, moved); w.Secret || len(keyring.all) != 0 {
		t.Errorf("%+v, %d secrets", w, len(keyring.all))
	}
	set(t, s, WaySetParams{ID: w.ID, Kind: "ntfy", URL: server.URL + "/topic", Events: []string{done}, Secret: &secret})
	if _, err := s.Remove(t.Context(), WayRef{ID: w.ID}); err != nil || len(keyring.all) != 0 {
		t.Errorf("%v, %d secrets", err, len(keyring.all))
	}
	if _, err := s.Test(t.Context(), WayRef{ID: w.ID}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
}

// During quiet hours, requests are held until the end, and everything else is dropped.
func TestQuietHours(t *testing.T) {
	s, _, _ := newService(t)
	now := time.Now()
	quiet := WaySetParams{
		Kind: "webhook", URL: "http://127.0.0.1:1", Events: Events(),
		QuietFrom: now.Add(-time.Hour).Format(clock), QuietTo: now.Add(time.Hour).Format(clock),
	}
	w := set(t, s, quiet)
	for _, kind := range []notify.Kind{notify.Question, notify.Done, notify.Failed} {
		s.Tell(Event{Kind: kind, SessionID: "s", Title: "Upload"})
	}
	s.Tell(Event{Kind: notify.Plan, SessionID: "answered", Title: "Upload"})
	s.Answered("answered")
	s.Tick()
	if status := s.sender.Status(w.ID); len(s.held) != 1 || status.Waiting != 0 {
		t.Fatalf("%v, %+v", s.held, status)
	}
	record, err := s.cfg.Records.Get(w.ID)
	if err != nil {
		t.Fatal(err)
	}
	record.QuietFrom, record.QuietTo = "", ""
	if err := s.cfg.Records.Put(w.ID, record); err != nil {
		t.Fatal(err)
	}
	s.Tick()
	if status := s.sender.Status(w.ID); len(s.held) != 0 || status.Waiting != 1 {
		t.Errorf("%v, %+v", s.held, status)
	}
}
