package border

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app/diagnostics"
	"parley/app/feature"
	"parley/app/signin"
	"parley/app/usage"
	"parley/backend/demo"
)

// The CLI's own login, driven to its end: the service that it signs in with is a fake behind a proxy on this
// machine. Neither the code nor the service's tokens may be in the log or in an event.
func TestSignIn(t *testing.T) {
	t.Parallel()
	service := newSignInService(t, "good#code")
	// An API key would already be an account.
	p := startWith(t, demo.NewQueue(), setup{env: append(service.env, "ANTHROPIC_API_KEY=", "ANTHROPIC_BASE_URL=", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=")})
	p.secrets = append(p.secrets, "bad#code", "good#code", "local-access", "local-refresh")
	c := p.dial()
	if info := call[diagnostics.Info](c, "app.info", m{}); info.Account.Found {
		t.Fatalf("an account before: %+v", info.Account)
	}

	begin := func() signin.SignIn {
		t.Helper()
		begun := call[signin.SignIn](c, "account.signIn", m{})
		if !strings.HasPrefix(begun.URL, "https://claude.com/") || begun.Opened {
			t.Fatalf("begun: %+v", begun)
		}
		return begun
	}
	begun := begin()
	step := func(code, state, says string) {
		t.Helper()
		call[feature.Empty](c, "account.signInCode", m{"id": begun.ID, "code": code})
		news := call[signin.SignInNews](c, "account.awaitSignIn", m{"id": begun.ID})
		for news.State == "waiting" && state != "waiting" {
			news = call[signin.SignInNews](c, "account.awaitSignIn", m{"id": begun.ID})
		}
		if news.State != state || !strings.Contains(news.Message, says) {
			t.Errorf("%q: %+v", code, news)
		}
	}
	step("half", "waiting", "full code")
	step("bad#code", "failed", "")
	begun = begin()
	call[feature.Empty](c, "account.cancelSignIn", m{"id": begun.ID})
	if news := call[signin.SignInNews](c, "account.awaitSignIn", m{"id": begun.ID}); news.State != "cancelled" {
		t.Errorf("cancelled: %+v", news)
	}
	begun = begin()
	step("good#code", "signedIn", "")
	if info := call[diagnostics.Info](c, "app.info", m{}); !info.Account.Found {
		t.Errorf("no account afterwards: %+v; the service was asked for %q", info.Account, service.asked())
	}
	// A subscription has limits, which the CLI knows once it runs.
	talk := p.open()
	limits := func() usage.PlanLimits { return call[usage.PlanLimits](c, "usage.limits", m{"sessionId": talk.id}) }
	if none := limits(); len(none.Limits) != 0 || none.At != 0 {
		t.Errorf("limits before: %+v", none)
	}
	talk.done(talk.prompt("Hello"), "error")
	if got := limits(); len(got.Limits) != 3 || got.Limits[0] != (usage.Allowance{Name: "Session", Percent: 42, ResetsAt: 4102444800000}) || got.Limits[2].Name != "Extra" {
		t.Errorf("limits: %+v; the service was asked for %q", got, service.asked())
	}
}

// signInService is a fake of the service that the CLI signs in with.
type signInService struct {
	env []string

	mu   sync.Mutex
	said []string
}

func (s *signInService) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said
}

func newSignInService(t *testing.T, good string) *signInService {
	t.Helper()
	s := &signInService{}
	certificate, file := newAuthority(t)
	code, _, _ := strings.Cut(good, "#")
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		s.mu.Lock()
		s.said = append(s.said, r.Method+" "+r.Host+r.URL.Path)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/oauth/token") && strings.Contains(string(body), `"`+code+`"`):
			fmt.Fprint(w, `{"token_type":"Bearer","access_token":"local-access","refresh_token":"local-refresh","expires_in":28800,"scope":"user:inference user:profile",`+
				`"account":{"uuid":"11111111-1111-4111-8111-111111111111","email_address":"ada@example.org"},"organization":{"uuid":"22222222-2222-4222-8222-222222222222","name":"Ada"}}`)
		case strings.HasSuffix(r.URL.Path, "/oauth/token"):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Invalid 'code' in token request."}`)
		case strings.HasSuffix(r.URL.Path, "/oauth/profile"):
			fmt.Fprint(w, `{"account":{"uuid":"11111111-1111-4111-8111-111111111111","email":"ada@example.org","full_name":"Ada","display_name":"Ada","has_claude_max":false,"has_claude_pro":true},`+
				`"organization":{"uuid":"22222222-2222-4222-8222-222222222222","name":"Ada","organization_type":"claude_pro","billing_type":"none","rate_limit_tier":"default_claude_ai"}}`)
		case strings.HasSuffix(r.URL.Path, "/oauth/usage"):
			fmt.Fprint(w, `{"five_hour":{"utilization":42,"resets_at":"2100-01-01T00:00:00Z"},"seven_day":{"utilization":7,"resets_at":null},"extra_usage":{"is_enabled":true,"utilization":12,"monthly_limit":5000,"used_credits":600}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{}`)
		}
	})
	inner := &http.Server{Handler: answer, ReadHeaderTimeout: time.Minute}
	conns := &handed{conns: make(chan net.Conn), done: make(chan struct{})}
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = inner.Serve(tls.NewListener(conns, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}))
	})
	// All the CLI's requests through the proxy stay on this machine.
	proxy := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		conn, rest, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		conns.hand(&readConn{Conn: conn, from: rest.Reader})
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving.Go(func() { _ = proxy.Serve(l) })
	t.Cleanup(func() { _ = proxy.Close(); _ = inner.Close(); serving.Wait() })
	at := "http://" + l.Addr().String()
	s.env = []string{"HTTPS_PROXY=" + at, "HTTP_PROXY=" + at, "NO_PROXY=", "NODE_EXTRA_CA_CERTS=" + file}
	return s
}

// readConn is a connection that was partly read.
type readConn struct {
	net.Conn
	from *bufio.Reader
}

func (c *readConn) Read(p []byte) (int, error) { return c.from.Read(p) }

// handed is a listener for connections accepted elsewhere.
type handed struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (h *handed) hand(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.done:
		_ = c.Close()
	}
}

func (h *handed) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

func (h *handed) Close() error   { h.once.Do(func() { close(h.done) }); return nil }
func (h *handed) Addr() net.Addr { return &net.TCPAddr{} }

// newAuthority makes a certificate for the hosts of the login, and the CA file to trust it.
func newAuthority(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "local"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"*.claude.com", "claude.com", "*.anthropic.com", "claude.ai"},
	}
	der, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}
