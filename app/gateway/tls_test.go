package gateway

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/fault"
)

// certificate writes one for 127.0.0.1 with a serial number.
func certificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestEncrypted(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1)
	w := start(t, func(cfg *Config) { cfg.Cert, cfg.Key = cert, key })
	if !strings.HasPrefix(w.URL(), "https://127.0.0.1:") {
		t.Fatal(w.URL())
	}
	at := strings.TrimSuffix(strings.TrimPrefix(w.URL(), "https://"), "/")
	trust := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // it is our own
	serial := func() int64 {
		t.Helper()
		c, err := tls.Dial("tcp", at, trust)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d", got)
	}
	certificate(t, dir, 2)
	if got := serial(); got != 2 {
		t.Errorf("after it was renewed: certificate %d", got)
	}

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}}
	res, err := client.Post(w.URL()+"auth", "application/json", strings.NewReader(`{"token":"`+testToken+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	cookies := res.Cookies()
	if len(cookies) != 1 || !cookies[0].Secure || !strings.HasPrefix(cookies[0].Name, "__Host-") {
		t.Errorf("%+v", cookies)
	}
	for origin, ok := range map[string]bool{"https://" + at: true, "http://" + at: false} {
		dialer := websocket.Dialer{TLSClientConfig: trust}
		ws, _, err := dialer.DialContext(t.Context(), "wss://"+at+"/ws", http.Header{"Origin": {origin}, "Authorization": {"Bearer " + testToken}})
		if (err == nil) != ok {
			t.Errorf("from %s: %v", origin, err)
		}
		if err != nil {
			continue
		}
		c := &tlsClient{ws}
		if got := c.ask(t, `{"type":"req","id":1,"method":"test.echo","params":{"text":"hi"}}`); !strings.Contains(got, "hi") {
			t.Error(got)
		}
		_ = ws.Close()
	}
}

type tlsClient struct{ *websocket.Conn }

func (c *tlsClient) ask(t *testing.T, frame string) string {
	t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		t.Fatal(err)
	}
	_, data, err := c.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCertificatesThatCannotBeUsed(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), 1)
	other, _ := certificate(t, t.TempDir(), 2)
	for name, pair := range map[string][2]string{
		"no key": {cert, ""}, "no certificate": {"", key}, "of another": {other, key}, "nothing there": {cert + "x", key}, "no PEM": {"/etc/hostname", key},
	} {
		_, err := Listen(Config{Token: testToken, Cert: pair[0], Key: pair[1]})
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A proxy on the same computer encrypts for a configured name.
func TestProxy(t *testing.T) {
	g := newGuard(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7717}, []string{"https://desk.example/"}, testToken)
	for _, tt := range []struct {
		host, origin string
		ok           bool
	}{
		{"desk.example", "https://desk.example", true},
		{"desk.example", "", true},
		{"desk.example", "http://desk.example", true},
		{"desk.example", "https://other.example", false},
		{"desk.example:7717", "https://desk.example", false},
		{"other.example", "https://desk.example", false},
		{"127.0.0.1:7717", "https://127.0.0.1:7717", false},
	} {
		r := &http.Request{Host: tt.host, Header: http.Header{}}
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		if err := g.admit(r); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
