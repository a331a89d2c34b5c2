package gateway

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
	"parley/backend/problem"
)

func TestWhoGetsIn(t *testing.T) {
	w := start(t, nil)
	host := w.host()
	_, port, _ := net.SplitHostPort(host)
	const good = "Bearer " + testToken
	const proof = "a-proof-that-is-long-enough"
	name := "parley-" + port
	cookie := name + "=" + w.guard.cookies.value("")
	bound := name + "=" + w.guard.cookies.value(proof)
	tests := []struct {
		name   string
		path   string
		header map[string]string
		want   int
	}{
		{"page", "/", nil, 200},
		{"health", "/health", nil, 200},
		{"page of a session", "/session/42", nil, 200},
		{"page of a session from elsewhere", "/session/42", map[string]string{"Origin": "http://evil.example"}, 403},
		{"page of a session by another name", "/session/42", map[string]string{"Host": "evil.example:" + port}, 403},
		{"page by name", "/", map[string]string{"Host": "localhost:" + port}, 200},
		{"page by IPv6", "/", map[string]string{"Host": "[::1]:" + port}, 200},
		{"own origin", "/health", map[string]string{"Origin": "http://" + host}, 200},
		{"own origin, other spelling", "/health", map[string]string{"Origin": "http://localhost:" + port}, 200},

		{"no token", "/ws", nil, 401},
		{"wrong token", "/ws", map[string]string{"Authorization": good + "x"}, 401},
		{"short token", "/ws", map[string]string{"Authorization": good[:len(good)-1]}, 401},
		{"empty token", "/ws", map[string]string{"Authorization": "Bearer "}, 401},
		{"no scheme", "/ws", map[string]string{"Authorization": testToken}, 401},
		{"other scheme", "/ws", map[string]string{"Authorization": "Basic " + testToken}, 401},
		{"token in the query", "/ws?token=" + testToken, nil, 401},
		{"wrong subprotocol", "/ws", map[string]string{"Sec-Websocket-Protocol": "parley.v1, token.nope"}, 401},
		{"no token subprotocol", "/ws", map[string]string{"Sec-Websocket-Protocol": "parley.v1"}, 401},
		{"one right, one wrong", "/ws", map[string]string{"Authorization": good, "Sec-Websocket-Protocol": "token.nope"}, 401},
		{"right token, no WebSocket", "/ws", map[string]string{"Authorization": good}, 400},
		{"right subprotocol, no WebSocket", "/ws", map[string]string{"Sec-Websocket-Protocol": "parley.v1,token." + testToken}, 400},

		{"rebinding", "/", map[string]string{"Host": "evil.example:" + port}, 403},
		{"rebinding health", "/health", map[string]string{"Host": "evil.example"}, 403},
		{"rebinding with token", "/ws", map[string]string{"Host": "evil.example:" + port, "Authorization": good}, 403},
		{"rebinding without token", "/ws", map[string]string{"Host": "evil.example:" + port}, 403},
		{"other port", "/", map[string]string{"Host": "127.0.0.1:1"}, 403},
		{"no port", "/", map[string]string{"Host": "127.0.0.1"}, 403},
		{"other loopback address", "/", map[string]string{"Host": "127.0.0.2:" + port}, 403},
		{"longer name", "/", map[string]string{"Host": "localhost.evil.example:" + port}, 403},
		{"trailing dot", "/", map[string]string{"Host": "localhost.:" + port}, 403},
		{"null origin", "/ws", map[string]string{"Origin": "null", "Authorization": good}, 403},
		{"empty origin", "/ws", map[string]string{"Origin": "", "Authorization": good}, 403},
		{"foreign origin", "/ws", map[string]string{"Origin": "http://evil.example", "Authorization": good}, 403},
		{"foreign origin, no token", "/ws", map[string]string{"Origin": "http://evil.example"}, 403},
		{"origin of another port", "/ws", map[string]string{"Origin": "http://127.0.0.1:1", "Authorization": good}, 403},
		{"origin without port", "/ws", map[string]string{"Origin": "http://localhost", "Authorization": good}, 403},
		{"origin of another scheme", "/ws", map[string]string{"Origin": "https://" + host, "Authorization": good}, 403},
		{"origin with a path", "/ws", map[string]string{"Origin": "http://" + host + "/", "Authorization": good}, 403},
		{"origin with a user", "/ws", map[string]string{"Origin": "http://" + host + "@evil.example", "Authorization": good}, 403},
		{"foreign origin on the page", "/", map[string]string{"Origin": "http://evil.example"}, 403},

		{"right cookie, no WebSocket", "/ws", map[string]string{"Cookie": cookie}, 400},
		{"right cookie and own origin", "/ws", map[string]string{"Cookie": cookie, "Origin": "http://" + host}, 400},
		{"right cookie by name", "/ws", map[string]string{"Cookie": cookie, "Host": "localhost:" + port, "Origin": "http://localhost:" + port}, 400},
		{"right cookie among others", "/ws", map[string]string{"Cookie": "a=b; " + cookie + "; c=d"}, 400},
		{"right cookie after one that another port set", "/ws", map[string]string{"Cookie": name + "=x; " + cookie}, 400},
		{"right cookie before one that another port set", "/ws", map[string]string{"Cookie": cookie + "; " + name + "=x"}, 400},
		{"right cookie with its proof", "/ws", map[string]string{"Cookie": bound, "Sec-Websocket-Protocol": "parley.v1, proof." + proof}, 400},
		{"right cookie with its proof in a header", "/ws", map[string]string{"Cookie": bound, "Parley-Proof": proof}, 400},
		{"right token and wrong cookie", "/ws", map[string]string{"Cookie": name + "=x", "Authorization": good}, 400},

		{"wrong cookie", "/ws", map[string]string{"Cookie": cookie + "x"}, 401},
		{"short cookie", "/ws", map[string]string{"Cookie": cookie[:len(cookie)-1]}, 401},
		{"empty cookie", "/ws", map[string]string{"Cookie": name + "="}, 401},
		{"token as a cookie", "/ws", map[string]string{"Cookie": name + "=" + testToken}, 401},
		{"cookie of another port", "/ws", map[string]string{"Cookie": strings.Replace(cookie, name, "parley-1", 1)}, 401},
		{"cookie without a port", "/ws", map[string]string{"Cookie": strings.Replace(cookie, name, "parley", 1)}, 401},
		{"cookie of TLS", "/ws", map[string]string{"Cookie": "__Host-" + cookie}, 401},
		{"cookie of another Parley", "/ws", map[string]string{"Cookie": name + "=" + newCookies("another-token-that-is-long", 1).value("")}, 401},
		{"cookie as a token", "/ws", map[string]string{"Authorization": "Bearer " + strings.TrimPrefix(cookie, name+"=")}, 401},
		{"right cookie and wrong token", "/ws", map[string]string{"Cookie": cookie, "Authorization": good + "x"}, 401},
		{"right cookie and wrong subprotocol", "/ws", map[string]string{"Cookie": cookie, "Sec-Websocket-Protocol": "token.nope"}, 401},
		{"stolen cookie without its proof", "/ws", map[string]string{"Cookie": bound}, 401},
		{"stolen cookie with another proof", "/ws", map[string]string{"Cookie": bound, "Sec-Websocket-Protocol": "proof." + proof + "x"}, 401},
		{"stolen cookie with an empty proof", "/ws", map[string]string{"Cookie": bound, "Sec-Websocket-Protocol": "proof."}, 401},
		{"stolen cookie with two proofs", "/ws", map[string]string{"Cookie": bound, "Sec-Websocket-Protocol": "proof." + proof + ", proof." + proof}, 401},
		{"stolen cookie with another proof in a header", "/ws", map[string]string{"Cookie": bound, "Parley-Proof": proof + "x"}, 401},
		{"right cookie without a proof, and one", "/ws", map[string]string{"Cookie": cookie, "Parley-Proof": proof}, 401},
		{"stolen cookie with two proofs of two kinds", "/ws", map[string]string{"Cookie": bound, "Parley-Proof": proof, "Sec-Websocket-Protocol": "proof." + proof}, 401},
		{"proof alone", "/ws", map[string]string{"Sec-Websocket-Protocol": "parley.v1, proof." + proof}, 401},
		{"cookie in the query", "/ws?" + cookie, nil, 401},

		{"cookie and foreign origin", "/ws", map[string]string{"Cookie": cookie, "Origin": "http://evil.example"}, 403},
		{"cookie and null origin", "/ws", map[string]string{"Cookie": cookie, "Origin": "null"}, 403},
		{"cookie and another port of this host", "/ws", map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:1"}, 403},
		{"cookie and another scheme", "/ws", map[string]string{"Cookie": cookie, "Origin": "https://" + host}, 403},
		{"cookie and rebinding", "/ws", map[string]string{"Cookie": cookie, "Host": "evil.example:" + port}, 403},
		{"cookie from another site", "/ws", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, 403},
		{"cookie from another port", "/ws", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-site"}, 403},
		{"cookie from here", "/ws", map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}, 400},
		{"a link from another site", "/session/42", map[string]string{"Sec-Fetch-Site": "cross-site"}, 200},

		{"trading nothing", "POST /auth", nil, 401},
		{"trading a wrong token", "POST /auth", map[string]string{"Authorization": good + "x"}, 401},
		{"trading a cookie", "POST /auth", map[string]string{"Cookie": cookie}, 401},
		{"trading", "POST /auth", map[string]string{"Authorization": good}, 204},
		{"trading from here", "POST /auth", map[string]string{"Authorization": good, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}, 204},
		{"trading from elsewhere", "POST /auth", map[string]string{"Authorization": good, "Origin": "http://evil.example"}, 403},
		{"trading from another port", "POST /auth", map[string]string{"Authorization": good, "Origin": "http://127.0.0.1:1"}, 403},
		{"trading from nowhere", "POST /auth", map[string]string{"Authorization": good, "Origin": "null"}, 403},
		{"trading from another site", "POST /auth", map[string]string{"Authorization": good, "Sec-Fetch-Site": "cross-site"}, 403},
		{"trading by another name", "POST /auth", map[string]string{"Authorization": good, "Host": "evil.example:" + port}, 403},
		{"trading by reading", "GET /auth", map[string]string{"Authorization": good}, 405},
		{"trading by asking first", "OPTIONS /auth", map[string]string{"Authorization": good}, 405},
		{"asking first from elsewhere", "OPTIONS /auth", map[string]string{"Origin": "http://evil.example"}, 403},
		{"changing a page", "POST /session/42", map[string]string{"Cookie": cookie}, 405},
		{"changing a page from elsewhere", "POST /session/42", map[string]string{"Cookie": cookie, "Origin": "http://evil.example"}, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			verb, path, ok := strings.Cut(tt.path, " ")
			if !ok {
				verb, path = http.MethodGet, tt.path
			}
			res := w.do(t, verb, path, tt.header)
			if res.StatusCode != tt.want {
				t.Errorf("status %d, want %d", res.StatusCode, tt.want)
			}
			if set := res.Header.Get("Set-Cookie"); (set != "") != (tt.want == http.StatusNoContent) {
				t.Errorf("cookie %q", set)
			}
			if text := body(t, res); strings.Contains(text, testToken) {
				t.Errorf("the answer holds the token: %s", text)
			}
		})
	}
}

func TestPage(t *testing.T) {
	w := start(t, nil)
	const forever = "public, max-age=31536000, immutable"
	tests := []struct {
		path, kind, cache string
		status            int
		body              string
	}{
		{"/", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/index.html", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/42", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/a.b", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/42/", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/workspace/w1", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/%2e%2e", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/rooms/v1.2", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/settings/guard", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/heartbeats", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/rooms/../x.js", "application/json", "no-store", 404, ""},
		{"/session/..%2f..%2fetc%2fpasswd", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/%00", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/%3Cscript%3E", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"//evil.example/session/42", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/session/../x.js", "application/json", "no-store", 404, ""},
		{"/session/a/b.js", "application/json", "no-store", 404, ""},
		{"/session/assets/main-abc123.js", "application/json", "no-store", 404, ""},
		{"/folder", "text/html; charset=utf-8", "no-store", 200, "<!doctype html>the page"},
		{"/assets/main-abc123.js", "text/javascript; charset=utf-8", forever, 200, "js"},
		{"/assets/main-abc123.css", "text/css; charset=utf-8", forever, 200, "css"},
		{"/assets/inter-abc.woff2", "font/woff2", forever, 200, "font"},
		{"/favicon.svg", "image/svg+xml", "no-cache", 200, "<svg/>"},
		{"/site.webmanifest", "application/manifest+json", "no-cache", 200, "{}"},
		{"/data.bin", "application/octet-stream", "no-cache", 200, "\x00"},
		{"/folder/../favicon.svg", "image/svg+xml", "no-cache", 200, "<svg/>"},
		{"/assets/old-000.js", "application/json", "no-store", 404, ""},
		{"/.gitkeep", "application/json", "no-store", 404, ""},
		{"/.secret/file.txt", "application/json", "no-store", 404, ""},
		{"/../../etc/passwd.txt", "application/json", "no-store", 404, ""},
		{"/%00.js", "application/json", "no-store", 404, ""},
		{"/health", "application/json", "no-store", 200, `{"held":2,"problems":[],"protocol":"parley.v1","status":"ok","version":"1.2.3"}`},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			res := w.do(t, http.MethodGet, tt.path, nil)
			got := []any{res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Cache-Control")}
			if diff := cmp.Diff([]any{tt.status, tt.kind, tt.cache}, got); diff != "" {
				t.Error(diff)
			}
			if text := body(t, res); tt.body != "" && text != tt.body {
				t.Errorf("body %q", text)
			}
		})
	}
	t.Run("head", func(t *testing.T) {
		res := w.do(t, http.MethodHead, "/", nil)
		if res.StatusCode != 200 || res.ContentLength == 0 || body(t, res) != "" {
			t.Errorf("%+v", res)
		}
	})
	t.Run("post", func(t *testing.T) {
		for _, path := range []string{"/", "/health"} {
			res := w.do(t, http.MethodPost, path, nil)
			if res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s: %+v", path, res)
			}
		}
	})
}

// Files compressed by the build are sent as such, to clients that accept that.
func TestSqueezed(t *testing.T) {
	const name, text = "/assets/main-abc123.js", "js"
	w := start(t, func(cfg *Config) {
		files := testPage().(fstest.MapFS)
		files["assets/main-abc123.js.br"] = &fstest.MapFile{Data: []byte("as br")}
		files["assets/main-abc123.js.gz"] = &fstest.MapFile{Data: []byte("as gzip")}
		files["assets/main-abc123.css.gz"] = &fstest.MapFile{Data: []byte("css as gzip")}
		cfg.Page = files
	})
	tags := map[string]string{}
	for _, tt := range []struct{ path, accepts, coding, body string }{
		{name, "", "", text},
		{name, "identity", "", text},
		{name, "br", "br", "as br"},
		{name, "gzip", "gzip", "as gzip"},
		{name, "gzip, deflate, br, zstd", "br", "as br"},
		{name, "gzip;q=1.0, br;q=0.5", "br", "as br"},
		{name, "GZIP , br;q=0", "gzip", "as gzip"},
		{name, "br; q=0, gzip;q=0.000", "", text},
		{name, "brotli, x-gzip", "", text},
		{"/assets/main-abc123.css", "gzip, br", "gzip", "css as gzip"},
		{"/favicon.svg", "gzip, br", "", "<svg/>"},
		{"/session/42", "gzip, br", "", "<!doctype html>the page"},
	} {
		t.Run(tt.path+" for "+tt.accepts, func(t *testing.T) {
			header := map[string]string{"Accept-Encoding": tt.accepts}
			res := w.do(t, http.MethodGet, tt.path, header)
			if got := body(t, res); res.StatusCode != 200 || got != tt.body || res.Header.Get("Content-Encoding") != tt.coding || res.ContentLength != int64(len(tt.body)) {
				t.Errorf("%d, %d bytes, %q, %q", res.StatusCode, res.ContentLength, got, res.Header)
			}
			if varies := res.Header.Get("Vary") != ""; varies != strings.HasPrefix(tt.path, "/assets/main-") {
				t.Errorf("varies: %v", varies)
			}
			tag := res.Header.Get("ETag")
			if (tag == "") != (tt.path == "/session/42") {
				t.Fatalf("tag %q", tag)
			}
			if other, ok := tags[tag]; ok && other != tt.body {
				t.Errorf("one tag for %q and %q", other, tt.body)
			}
			tags[tag] = tt.body
			header["If-None-Match"] = tag
			if again := w.do(t, http.MethodGet, tt.path, header); (again.StatusCode == 304) != (tag != "") {
				t.Errorf("asked again: %d", again.StatusCode)
			}
			if head := w.do(t, http.MethodHead, tt.path, header); head.StatusCode == 200 && head.ContentLength != int64(len(tt.body)) {
				t.Errorf("head: %d", head.ContentLength)
			}
		})
	}
	for path := range map[string]bool{"/assets/main-abc123.js.map": true, "/assets/none.js": true} {
		if res := w.do(t, http.MethodGet, path, map[string]string{"Accept-Encoding": "br"}); res.StatusCode != 404 || res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d %q", path, res.StatusCode, res.Header)
		}
	}
}

// The health names problems, without anything that only the user may know.
func TestHealth(t *testing.T) {
	var wrong []problem.Problem
	w := start(t, func(cfg *Config) { cfg.Problems = func() []problem.Problem { return wrong } })
	for _, tt := range []struct {
		wrong []problem.Problem
		want  string
	}{
		{nil, `{"held":2,"problems":[],"protocol":"parley.v1","status":"ok","version":"1.2.3"}`},
		{[]problem.Problem{{ID: "disk_low", Severity: problem.Warning, Since: 5, Title: "secret"}},
			`{"held":2,"problems":[{"id":"disk_low","severity":"warning","since":5}],"protocol":"parley.v1","status":"ok","version":"1.2.3"}`},
		{[]problem.Problem{{ID: "disk_full", Severity: problem.Error, Since: 7, Facts: map[string]string{"folders": "/home/secret"}}, {ID: "disk_low", Severity: problem.Warning, Since: 5}},
			`{"held":2,"problems":[{"id":"disk_full","severity":"error","since":7},{"id":"disk_low","severity":"warning","since":5}],"protocol":"parley.v1","status":"degraded","version":"1.2.3"}`},
	} {
		wrong = tt.wrong
		if res := w.do(t, http.MethodGet, "/health", nil); res.StatusCode != 200 {
			t.Errorf("%+v", res)
		} else if got := body(t, res); got != tt.want {
			t.Error(got)
		}
	}
}

func TestHeadersOnEveryAnswer(t *testing.T) {
	w := start(t, nil)
	want := map[string]string{
		"Content-Security-Policy":      ContentPolicy,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	}
	for _, path := range []string{"/", "/session/42", "/health", "/ws", "/assets/main-abc123.js", "/none.js"} {
		for _, header := range []map[string]string{nil, {"Origin": "null"}} {
			res := w.do(t, http.MethodGet, path, header)
			for name, value := range want {
				if got := res.Header.Get(name); got != value {
					t.Errorf("%s %s: %q", path, name, got)
				}
			}
			if got := res.Header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("%s allows the origin %q", path, got)
			}
		}
	}
}

// The diagram frame may write inline styles, and reaches nothing; nothing else may.
func TestWorkshop(t *testing.T) {
	w := start(t, nil)
	for path, mayStyle := range map[string]bool{
		"/workshop.html": true, "/": false, "/index.html": false, "/workshop.html/": false, "/x/workshop.html": false, "//workshop.html": false, "/workshop.html.js": false,
	} {
		res := w.do(t, http.MethodGet, path, nil)
		policy, frame := res.Header.Get("Content-Security-Policy"), res.Header.Get("X-Frame-Options")
		if strings.Contains(policy, "'unsafe-inline'") != mayStyle || (frame == "SAMEORIGIN") != mayStyle {
			t.Errorf("%s: %q, %q", path, policy, frame)
		}
		if mayStyle && (strings.Contains(policy, "connect-src") || strings.Contains(policy, "img-src") || !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';")) {
			t.Errorf("the workshop may reach something: %s", policy)
		}
	}
}

func TestPageThatIsNotBuilt(t *testing.T) {
	for name, page := range map[string]fstest.MapFS{"nothing": nil, "placeholder": {".gitkeep": {}}} {
		t.Run(name, func(t *testing.T) {
			w := start(t, func(c *Config) { c.Page = page })
			res := w.do(t, http.MethodGet, "/", nil)
			if text := body(t, res); res.StatusCode != 200 || !strings.Contains(text, "npm run build") {
				t.Errorf("%d %s", res.StatusCode, text)
			}
			if res := w.do(t, http.MethodGet, "/assets/x.js", nil); res.StatusCode != 404 {
				t.Errorf("asset: %d", res.StatusCode)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	cfg := Config{Token: testToken, Listen: "0.0.0.0:0"}
	if _, err := Listen(cfg); fault.CodeOf(err) != fault.Forbidden || !strings.Contains(fault.MessageOf(err), "--allow-remote") {
		t.Errorf("open to all: %v", err)
	}
	cfg.Listen = "127.0.0.1:http-nonsense"
	if _, err := Listen(cfg); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("no address: %v", err)
	}
	w := start(t, nil)
	cfg.Listen = w.host()
	if _, err := Listen(cfg); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("in use: %v", err)
	}
	cfg.Token = "short"
	if _, err := Listen(cfg); err == nil {
		t.Error("short token")
	}
}

func TestRemoteListener(t *testing.T) {
	w := start(t, func(c *Config) {
		c.Listen, c.AllowRemote, c.Hosts = "0.0.0.0:0", true, []string{"parley.lan"}
	})
	_, port, _ := net.SplitHostPort(w.host())
	for host, want := range map[string]int{
		"127.0.0.1:" + port:    200,
		"localhost:" + port:    200,
		"parley.lan:" + port:   200,
		"other.lan:" + port:    403,
		"203.0.113.7:" + port:  403,
		"parley.lan":           403,
		"127.0.0.1:1":          403,
		"evil.parley.lan:1234": 403,
	} {
		if res := w.do(t, http.MethodGet, "/", map[string]string{"Host": host}); res.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, res.StatusCode, want)
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	a, b := NewToken(), NewToken()
	if a == b || len(a) != 43 {
		t.Errorf("%q %q", a, b)
	}
}
