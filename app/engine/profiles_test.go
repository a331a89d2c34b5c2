package engine

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"parley/app/feature"
	"parley/app/install"
	"parley/app/profiles"
	"parley/app/tour"
	"parley/backend/claude"
	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
	"parley/backend/demo"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/permission"
	"parley/backend/permission/rule"
	"parley/backend/session"
	"parley/backend/session/profile"
	"parley/backend/settings"
	"parley/backend/store/schema"
	"parley/backend/toolserver"
)

// provider is a scripted model that records how requests were signed.
type provider struct {
	URL   string
	model *demo.Server

	mu   sync.Mutex
	seen []string
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	model, err := demo.Start(demo.Config{
		Script: demo.NewRules().When(demo.Any, demo.Say("Hello.")), Logger: slog.New(slog.DiscardHandler), Instant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(model.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport, proxy.ErrorLog = transport, slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	p := &provider{model: model}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, strings.Trim(r.Header.Get("X-Api-Key")+" "+r.Header.Get("Authorization"), " "))
		p.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
		model.Close()
	})
	p.URL = server.URL
	return p
}

// take returns the distinct signatures since the last call.
func (p *provider) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.seen)
	slices.Sort(out)
	p.seen = nil
	return slices.Compact(out)
}

// vault is a keyring in memory.
type vault struct {
	mu  sync.Mutex
	all map[string]string
}

func (v *vault) Get(_ context.Context, id, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if value, ok := v.all[id+"/"+name]; ok {
		return value, nil
	}
	return "", profile.ErrNoSecret
}

func (v *vault) Set(_ context.Context, id, name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all[id+"/"+name] = value
	return nil
}

func (v *vault) Delete(_ context.Context, id, name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.all, id+"/"+name)
	return nil
}

func (v *vault) Check(context.Context) error { return nil }

// bench is an engine with the real CLI, separate folders, and profiles.
type bench struct {
	engine   *Service
	t        *testing.T
	root     string
	profiles *profiles.Service
	values   settings.Values
	vault    *vault
	cli      *install.Service
	log      *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// anyFolder trusts every folder.
type anyFolder struct{}

func (anyFolder) Admit(context.Context, session.Spec) (bare bool, err error) { return false, nil }

// noProcesses has no control groups.
type noProcesses struct{ Processes }

func (noProcesses) Started() string               { return "" }
func (noProcesses) Group(string) claude.Group     { return nil }
func (noProcesses) HeldGroup(string) claude.Group { return nil }

// noRules decides no request.
type noRules struct{}

func (noRules) Handed(session.Spec, time.Time) map[rule.Effect][]string { return nil }
func (noRules) Settled(permission.Request) bool                         { return false }
func (noRules) Hear(string, string, []wire.PermissionRule)              {}
func (noRules) Unhear(string, string)                                   {}

// leakless checks, after everything else, that no goroutine is left. It comes first in a test.
func leakless(t *testing.T) {
	t.Helper()
	there := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, there) })
}

// newBench returns a bench whose environment points to outside, with the key "outside-key".
func newBench(t *testing.T, outside *provider, env ...string) *bench {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"home", "config", "data", "work"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{t: t, root: root, log: &lockedBuffer{}, vault: &vault{all: map[string]string{}}}
	log := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	whole := append(outside.model.Env(b.path("home"), b.path("config")),
		"ANTHROPIC_BASE_URL="+outside.URL, "ANTHROPIC_API_KEY=outside-key", "PARLEY_CLAUDE_BIN="+claudetest.RealCLI(t))
	whole = append(whole, env...)
	store, err := schema.Open(b.path("data/parley.db"), schema.Config{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	dirs := paths.Dirs{Home: b.path("home"), Data: b.path("data")}
	b.profiles = &profiles.Service{All: profile.New(profile.Config{Records: store.Profiles, Secrets: b.vault, Env: whole, Log: log})}
	desk := permission.NewQueue(permission.Config{Observe: func(permission.Change) {}})
	tools, err := toolserver.New(toolserver.Config{Logger: log, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	scripted := tour.New(tour.Config{Data: b.path("data"), Instant: true, Log: log})
	registry := session.NewRegistry(session.Config{Logger: log})
	b.cli = install.New(install.Config{Env: whole, Home: dirs.Home, DataDir: dirs.Data, Settings: func() settings.Values { return b.values }, Log: log})
	b.engine = New(Config{
		CLI:   b.cli,
		Tools: tools, Desk: desk, Tour: scripted, Patience: func() time.Duration { return time.Hour },
		Env: whole, Data: dirs.Data, Home: dirs.Home, Log: log,
		Registry: func() *session.Registry { return registry }, Profiles: b.profiles,
		Admission: anyFolder{},
		Rules:     noRules{}, Processes: noProcesses{},
	})
	t.Cleanup(func() {
		b.engine.Close()
		scripted.Close()
		desk.Close()
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) path(p string) string { return filepath.Join(b.root, filepath.FromSlash(p)) }

func (b *bench) write(p, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(p), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) set(p profiles.ProfileSetParams) profiles.Profile {
	b.t.Helper()
	made, err := b.profiles.Set(b.t.Context(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	return made
}

// turn runs one turn in a separate CLI and returns its arguments, if the system exposes them.
func (b *bench) turn(spec session.Spec) (args string) {
	b.t.Helper()
	spec.SessionID, spec.CLISessionID, spec.CWD, spec.Engine = "s1", uuid.NewString(), b.path("work"), "sdk"
	p, err := b.engine.Start(b.t.Context(), spec)
	if err != nil {
		b.t.Fatal(err)
	}
	results := make(chan *wire.Result, 10)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(results)
		for batch := range p.Frames() {
			for _, f := range batch {
				if r, ok := f.(*wire.Result); ok {
					results <- r
				}
			}
		}
	})
	if err := p.Send(wire.UserMessage{UUID: uuid.NewString(), Text: "hello"}); err != nil {
		b.t.Error(err)
	}
	select {
	case r, ok := <-results:
		if !ok || r.IsError {
			b.t.Errorf("the turn failed: %+v", r)
		}
	case <-time.After(10 * time.Minute):
		b.t.Error("the turn does not end")
	}
	if runtime.GOOS == "linux" {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/cmdline")
		if err != nil {
			b.t.Error(err)
		}
		args = strings.ReplaceAll(string(raw), "\x00", " ")
	}
	if err := p.Stop(context.WithoutCancel(b.t.Context())); err != nil {
		b.t.Error(err)
	}
	reading.Wait()
	p.Exit()
	return args
}

// hidden fails if a secret is in any file, in the log, or in arguments.
func (b *bench) hidden(args string, secrets ...string) {
	b.t.Helper()
	err := filepath.WalkDir(b.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, s := range secrets {
			if bytes.Contains(raw, []byte(s)) {
				b.t.Errorf("a secret in the file %s", path)
			}
		}
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
	for _, s := range secrets {
		if strings.Contains(b.log.String(), s) {
			b.t.Error("a secret in the log")
		}
		if strings.Contains(args, s) {
			b.t.Errorf("a secret in the arguments %s", args)
		}
	}
}

// Whatever the environment, the CLI's settings and its login contain: a session with a profile uses
// only the profile's provider and credential.
func TestProfileDecides(t *testing.T) {
	leakless(t)
	const secret, helped = "made-up-profile-secret", "made-up-helper-key"
	outside, work := newProvider(t), newProvider(t)
	b := newBench(t, outside)
	gateway := map[string]string{"ANTHROPIC_BASE_URL": work.URL}
	token := b.set(profiles.ProfileSetParams{Name: "Token", Kind: "gateway", Env: gateway, Secrets: map[string]string{"ANTHROPIC_AUTH_TOKEN": secret}})
	key := b.set(profiles.ProfileSetParams{Name: "Key", Kind: "gateway", Env: gateway, Secrets: map[string]string{"ANTHROPIC_API_KEY": secret}})
	// The key is only in the helper's file, so that its command contains none.
	b.write("home/key", helped)
	helper := b.set(profiles.ProfileSetParams{Name: "Helper", Kind: "gateway", Env: gateway, Helper: `cat "$HOME/key" | tr -d '\n'`})
	for _, tt := range []struct {
		profile string
		// signed is how requests are signed at the profile's provider.
		signed string
	}{
		{token.ID, "Bearer " + secret},
		{key.ID, secret},
		{helper.ID, helped + " Bearer " + helped},
	} {
		for _, hostile := range []bool{false, true} {
			if hostile {
				b.write("config/settings.json", `{"apiKeyHelper":"echo settings-helper","env":{"ANTHROPIC_API_KEY":"settings-key","ANTHROPIC_AUTH_TOKEN":"settings-token",
					"ANTHROPIC_BASE_URL":"`+outside.URL+`","CLAUDE_CODE_USE_BEDROCK":"1","ANTHROPIC_MODEL":"us.settings"}}`)
				b.write("config/.credentials.json", `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-login","refreshToken":"r","expiresAt":4102444800000,"scopes":["user:inference"],"subscriptionType":"max"}}`)
			}
			args := b.turn(session.Spec{Profile: tt.profile})
			if got := work.take(); !slices.Equal(got, []string{tt.signed}) {
				t.Errorf("hostile %v: the provider of %s saw %q; want %q", hostile, tt.profile, got, tt.signed)
			}
			if got := outside.take(); len(got) != 0 {
				t.Errorf("hostile %v: the other provider saw %q", hostile, got)
			}
			if !strings.Contains(args, "stream-json") && runtime.GOOS == "linux" {
				t.Errorf("arguments %q", args)
			}
			b.hidden(args, secret)
			if strings.Contains(args, helped) || strings.Contains(args, "/key") {
				t.Errorf("the helper in the arguments: %s", args)
			}
			for _, file := range []string{"config/settings.json", "config/.credentials.json"} {
				if err := os.Remove(b.path(file)); hostile && err != nil {
					t.Error(err)
				}
			}
		}
	}
	// A session without a profile, and a demo session, are unaffected.
	b.turn(session.Spec{})
	if got := outside.take(); !slices.Equal(got, []string{"outside-key"}) {
		t.Errorf("without a profile: %q", got)
	}
	env, err := b.engine.environment(t.Context(), session.Spec{Scripted: true, Profile: token.ID})
	if err != nil || env.Extra != nil || env.Settings != nil || slices.Contains(env.Base, "ANTHROPIC_BASE_URL="+outside.URL) {
		t.Errorf("a scripted session leaves this computer: %v, %v", env.Base, err)
	}
}

// An unusable profile prevents the start, with a message that says what to do.
func TestProfileUnusable(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t))
	p := b.set(profiles.ProfileSetParams{Name: "My work", Kind: "anthropic", Secrets: map[string]string{"ANTHROPIC_API_KEY": "made-up"}})
	spec := session.Spec{SessionID: "s1", CWD: b.path("work"), Profile: p.ID, Engine: "sdk"}
	clear(b.vault.all)
	_, err := b.engine.Start(t.Context(), spec)
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "PARLEY_SECRET_MY_WORK_ANTHROPIC_API_KEY") {
		t.Error(err)
	}
	list, err := b.profiles.List(t.Context(), feature.Empty{})
	if err != nil || len(list.Profiles) != 1 || !slices.Equal(list.Profiles[0].Missing, []string{"ANTHROPIC_API_KEY"}) {
		t.Error(list, err)
	}
	if !b.profiles.Known(p.ID) || b.profiles.Updated(p.ID) == 0 {
		t.Error("the profile is not known")
	}
	if _, err := b.profiles.Delete(t.Context(), profiles.ProfileRef{ProfileID: p.ID}); err != nil {
		t.Error(err)
	}
	_, err = b.engine.Start(t.Context(), spec)
	if fault.CodeOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), "was deleted. Choose another") {
		t.Error(err)
	}
	if _, err := b.profiles.Delete(t.Context(), profiles.ProfileRef{}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}
