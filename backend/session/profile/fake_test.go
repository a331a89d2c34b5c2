package profile_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/fault"
	"parley/backend/session/profile"
	"parley/backend/store/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// records is an in-memory store.
type records struct {
	mu   sync.Mutex
	all  map[string]model.Profile
	fail error
}

func (r *records) All() ([]model.Profile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.all)), nil
}

func (r *records) Put(id string, p model.Profile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	r.all[id] = p
	return nil
}

func (r *records) Delete(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
	return r.fail
}

// secrets is an in-memory keyring.
type secrets struct {
	mu  sync.Mutex
	all map[string]string
	// fail is the error of all calls; failSet names the one secret that is
	// rejected.
	fail    error
	failSet string
}

func (s *secrets) Get(_ context.Context, id, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return "", s.fail
	}
	value, ok := s.all[id+"/"+name]
	if !ok {
		return "", profile.ErrNoSecret
	}
	return value, nil
}

func (s *secrets) Set(_ context.Context, id, name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if name == s.failSet {
		return locked()
	}
	s.all[id+"/"+name] = value
	return nil
}

func (s *secrets) Delete(_ context.Context, id, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail == nil {
		delete(s.all, id+"/"+name)
	}
	return s.fail
}

func (s *secrets) Check(context.Context) error { return s.fail }

func locked() error {
	return fault.Wrap(errors.New("locked"), fault.Unavailable, "The keyring is locked.")
}

// rig is a set of profiles with an in-memory store and keyring.
type rig struct {
	*profile.Profiles
	records *records
	secrets *secrets
	log     *strings.Builder
}

func newRig(env ...string) *rig {
	r := &rig{records: &records{all: map[string]model.Profile{}}, secrets: &secrets{all: map[string]string{}}, log: &strings.Builder{}}
	r.Profiles = profile.New(profile.Config{
		Records: r.records, Secrets: r.secrets, Env: env,
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return r
}

// set sets a profile that must be accepted.
func (r *rig) set(t *testing.T, c profile.Change) profile.Status {
	t.Helper()
	s, err := r.Set(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refused checks an error's code and text.
func refused(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("error %v; want the code %q", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(fault.MessageOf(err), w) {
			t.Errorf("the message %q does not name %q", fault.MessageOf(err), w)
		}
	}
}

func gateway() profile.Change {
	return profile.Change{
		Name: "Work", Kind: "gateway",
		Env:     map[string]string{"ANTHROPIC_BASE_URL": "https://models.example.com"},
		Secrets: map[string]string{"ANTHROPIC_AUTH_TOKEN": "made-up-token"},
	}
}
