//go:build linux

package border

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/app/feature"
	"parley/app/profiles"
	"parley/backend/demo"
)

// gateway is a provider other than the one in Parley's own environment. It
// remembers the credentials of requests.
type gateway struct {
	url   string
	model *demo.Server

	mu     sync.Mutex
	signed []string
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	model, err := demo.Start(demo.Config{
		Script: demo.NewRules().When(demo.Any, demo.Say("From the gateway.")), Logger: slog.New(slog.DiscardHandler), Instant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(model.URL())
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{model: model}
	transport := &http.Transport{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport, proxy.ErrorLog = transport, slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.signed = append(g.signed, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
		g.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
		model.Close()
	})
	g.url = server.URL
	return g
}

// A session with a profile talks to its provider with its secret; another
// session does not. Only the CLI's environment contains the secret. A deleted profile
// stops the session before anything is sent.
func TestProfiles(t *testing.T) {
	t.Parallel()
	const secret = "made-up-gateway-secret"
	g := newGateway(t)
	p := startWith(t, demo.NewRules().When(demo.Any, demo.Say("From outside.")),
		setup{args: []string{"--verbose"}, within: []string{"env", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere/bus", "PARLEY_SECRET_MY_WORK_ANTHROPIC_AUTH_TOKEN=" + secret}})
	p.mu.Lock()
	p.secrets = append(p.secrets, secret)
	p.mu.Unlock()
	c := p.watcher
	work := m{"name": "My work", "kind": "gateway", "env": m{"ANTHROPIC_BASE_URL": g.url}}
	c.refused("profile.set", m{"name": "Other", "kind": "gateway", "env": m{"ANTHROPIC_BASE_URL": g.url}}, "invalid", "ANTHROPIC_AUTH_TOKEN")
	c.refused("profile.set", m{"name": "Other", "kind": "gateway", "env": m{"ANTHROPIC_BASE_URL": g.url}, "secrets": m{"ANTHROPIC_AUTH_TOKEN": secret}}, "unavailable", "keyring")
	profile := call[profiles.Profile](c, "profile.set", work)
	list := call[profiles.ProfileList](c, "profile.list", m{})
	if len(list.Profiles) != 1 || list.Profiles[0].ID != profile.ID || !strings.Contains(list.Keyring, "keyring") {
		t.Errorf("%+v", list)
	}
	c.refused("session.create", m{"cwd": p.path("work"), "profile": "nobody"}, "not_found", "nobody")

	for _, engine := range anEngine(t) {
		own, other := p.openWith(m{"engine": engine, "profile": profile.ID}), p.openWith(m{"engine": engine})
		if got := own.record().Profile; got != profile.ID {
			t.Errorf("the session has the profile %q", got)
		}
		if said := own.turn("hello"); said != "From the gateway." {
			t.Errorf("said %q", said)
		}
		if said := other.turn("hello"); said != "From outside." {
			t.Errorf("without a profile: said %q", said)
		}
		own.showsSecretOnlyInEnvironment(secret)
		if strings.Contains(other.process().environment(), secret) {
			t.Error("the secret in the environment of a session without the profile")
		}
	}
	g.mu.Lock()
	signed := slices.Clone(g.signed)
	g.mu.Unlock()
	if slices.ContainsFunc(signed, func(s string) bool { return s != "Bearer "+secret }) || len(signed) < len(anEngine(t)) {
		t.Errorf("the gateway's requests were signed with %q", signed)
	}
	for _, dir := range []string{"data", "tmp", "home", "work"} {
		p.searchFiles(p.path(dir), secret)
	}

	stranded := p.openWith(m{"profile": profile.ID})
	call[feature.Empty](c, "profile.delete", m{"profileId": profile.ID})
	stranded.done(stranded.prompt("hello"), "failed")
	if e := stranded.record().Error; e == nil || !strings.Contains(e.Message, "was deleted. Choose another") {
		t.Errorf("the error is %+v", e)
	}
}

// process is the session's CLI.
func (s *conversation) process() process {
	s.p.t.Helper()
	all, pid := s.p.processes(), s.record().PID
	i := slices.IndexFunc(all, func(one process) bool { return one.pid == pid })
	if i < 0 {
		s.p.t.Fatalf("the CLI %d is not among %d processes", pid, len(all))
	}
	return all[i]
}

func (p process) environment() string { return strings.Join(p.env, " ") }

// showsSecretOnlyInEnvironment checks the session's CLI.
func (s *conversation) showsSecretOnlyInEnvironment(secret string) {
	s.p.t.Helper()
	cli := s.process()
	if !strings.Contains(cli.environment(), secret) {
		s.p.t.Error("the CLI does not have the secret in its environment")
	}
	if strings.Contains(cli.environment(), "PARLEY_SECRET_") {
		s.p.t.Error("the CLI has a variable that is Parley's")
	}
	if strings.Contains(strings.Join(cli.args, " "), secret) {
		s.p.t.Error("the secret in the arguments of the CLI")
	}
}
