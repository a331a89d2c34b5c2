package gateway

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// trade posts to /auth and returns the response.
func (w *world) trade(t *testing.T, body string) *http.Response {
	t.Helper()
	res, err := http.Post(w.URL()+"auth", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestWhatIsTraded(t *testing.T) {
	w := start(t, nil)
	const proof = "a-proof-that-is-long-enough"
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"the token", `{"token":"` + testToken + `"}`, 204},
		{"the token with a proof", `{"token":"` + testToken + `","proof":"` + proof + `"}`, 204},
		{"an unknown field", `{"token":"` + testToken + `","more":1}`, 204},
		{"nothing", ``, 401},
		{"an empty object", `{}`, 401},
		{"a wrong token", `{"token":"` + testToken + `x"}`, 401},
		{"a proof alone", `{"proof":"` + proof + `"}`, 401},
		{"a short proof", `{"token":"` + testToken + `","proof":"short"}`, 400},
		{"a proof that no header holds", `{"token":"` + testToken + `","proof":"a proof, that is long enough"}`, 400},
		{"a long proof", `{"token":"` + testToken + `","proof":"` + strings.Repeat("x", 129) + `"}`, 400},
		{"no JSON", `token=` + testToken, 400},
		{"no object", `"` + testToken + `"`, 400},
		{"too much", `{"token":"` + strings.Repeat("x", maxAuth) + `"}`, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := w.trade(t, tt.body)
			if res.StatusCode != tt.want || (len(res.Cookies()) == 1) != (tt.want == 204) {
				t.Errorf("status %d, want %d; cookies %v", res.StatusCode, tt.want, res.Cookies())
			}
			if strings.Contains(res.Header.Get("Set-Cookie")+body(t, res), testToken) || res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("the token goes out, or the answer is kept: %v", res.Header)
			}
		})
	}
}

// A page is admitted with the cookie it got for the token, and only with its own proof.
func TestCookieOpensASocket(t *testing.T) {
	w := start(t, nil)
	const proof = "a-proof-that-is-long-enough"
	cookies := w.trade(t, `{"token":"`+testToken+`","proof":"`+proof+`"}`).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Secure || cookies[0].MaxAge != 0 ||
		cookies[0].Path != "/" || cookies[0].Domain != "" || !strings.HasPrefix(cookies[0].Name, "parley-") {
		t.Fatalf("%+v", cookies)
	}
	for _, tt := range []struct {
		protocols []string
		ok        bool
	}{
		{[]string{protocol, proofProtocol + proof}, true},
		{[]string{protocol}, false},
		{[]string{protocol, proofProtocol + proof + "x"}, false},
	} {
		dialer := websocket.Dialer{Subprotocols: tt.protocols}
		header := http.Header{"Cookie": {cookies[0].Name + "=" + cookies[0].Value}, "Origin": {"http://" + w.host()}}
		ws, res, err := dialer.DialContext(t.Context(), "ws://"+w.host()+"/ws", header)
		if (err == nil) != tt.ok {
			t.Fatalf("%v: %v, %+v", tt.protocols, err, res)
		}
		if err != nil {
			continue
		}
		if ws.Subprotocol() != protocol {
			t.Errorf("subprotocol %q", ws.Subprotocol())
		}
		_ = ws.Close()
	}
}

// The token and the cookies survive a restart in place; any other start replaces both.
func TestCookieLivesAsLongAsTheToken(t *testing.T) {
	a, b, c := newCookies(testToken, 80), newCookies(testToken, 80), newCookies(testToken+"x", 80)
	if a.value("p") != b.value("p") || a.value("p") == c.value("p") || a.value("p") == a.value("") {
		t.Error("cookies do not follow the token and the proof")
	}
}

// Over TLS, the cookie has a name that only this host can set, and only over TLS; page origins are
// https.
func TestCookieOverTLS(t *testing.T) {
	w := start(t, nil)
	do := func(method, path string, header map[string]string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), method, "https://"+w.host()+path, nil)
		r.TLS = &tls.ConnectionState{}
		for k, v := range header {
			r.Header[k] = []string{v}
		}
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		return rec.Result()
	}
	good := "Bearer " + testToken
	if res := do(http.MethodPost, "/auth", map[string]string{"Authorization": good, "Origin": "http://" + w.host()}); res.StatusCode != 403 {
		t.Errorf("a page without TLS: %d", res.StatusCode)
	}
	res := do(http.MethodPost, "/auth", map[string]string{"Authorization": good, "Origin": "https://" + w.host()})
	if res.StatusCode != 204 || len(res.Cookies()) != 1 {
		t.Fatalf("%d %v", res.StatusCode, res.Cookies())
	}
	cookie := res.Cookies()[0]
	if !strings.HasPrefix(cookie.Name, "__Host-parley-") || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("%+v", cookie)
	}
	for name, want := range map[string]int{cookie.Name: 400, strings.TrimPrefix(cookie.Name, "__Host-"): 401} {
		if res := do(http.MethodGet, "/ws", map[string]string{"Cookie": name + "=" + cookie.Value}); res.StatusCode != want {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, want)
		}
	}
}

// A client that can't see WebSocket pings may send its own.
func TestPing(t *testing.T) {
	w := start(t, nil)
	c := w.dial(t)
	for frame, want := range map[string]string{
		`{"type":"ping"}`:                   `{"type":"pong"}`,
		`{"type":"ping","id":"a\"b"}`:       `{"type":"pong","id":"a\"b"}`,
		`{"type":"ping","id":7,"method":1}`: `{"type":"pong","id":7}`,
	} {
		if got := c.ask(frame); got != want {
			t.Errorf("%s: %s", frame, got)
		}
	}
	for _, frame := range []string{`{"type":"ping","id":{}}`, `{"type":"Ping","id":1}`} {
		if got := c.ask(frame); codeOf(t, got) != "invalid" {
			t.Errorf("%s: %s", frame, got)
		}
	}
}
