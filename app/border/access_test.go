//go:build linux

package border

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"parley/app/method"
	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// Who gets access, and who does not.
func TestAccess(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	host := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/")
	port := host[strings.LastIndexByte(host, ':'):]
	bearer := "Bearer " + p.token
	other := "x" + p.token[1:]
	if p.token[0] == 'x' {
		other = "y" + p.token[1:]
	}
	cookie, bound := p.trade(""), p.trade("a-proof-that-is-long-enough")
	for _, tt := range []struct {
		name, path                         string
		auth, host, origin, protos, cookie string
		want                               int
	}{
		{name: "cookie", path: "ws", cookie: cookie, origin: "http://" + host, want: 101},
		{name: "cookie and our protocol", path: "ws", cookie: cookie, protos: "parley.v1", want: 101},
		{name: "cookie with its proof", path: "ws", cookie: bound, protos: "parley.v1, proof.a-proof-that-is-long-enough", want: 101},
		{name: "cookie without its proof", path: "ws", cookie: bound, protos: "parley.v1", want: 401},
		{name: "cookie and a wrong token", path: "ws", cookie: cookie, auth: "Bearer " + other, want: 401},
		{name: "wrong cookie", path: "ws", cookie: cookie + "x", want: 401},
		{name: "cookie and a foreign origin", path: "ws", cookie: cookie, origin: "http://example.com", want: 403},
		{name: "cookie and another port", path: "ws", cookie: cookie, origin: "http://127.0.0.1:1", want: 403},
		{name: "health", path: "health", want: 200},
		{name: "page", path: "", want: 200},
		{name: "health of another host", path: "health", host: "example.com", want: 403},
		{name: "page from elsewhere", path: "", origin: "http://example.com", want: 403},
		{name: "socket without a token", path: "ws", want: 401},
		{name: "empty token", path: "ws", auth: "Bearer ", want: 401},
		{name: "wrong token", path: "ws", auth: "Bearer " + other, want: 401},
		{name: "short token", path: "ws", auth: bearer[:len(bearer)-1], want: 401},
		{name: "long token", path: "ws", auth: bearer + "x", want: 401},
		{name: "another scheme", path: "ws", auth: "Basic " + p.token, want: 401},
		{name: "token in the address", path: "ws?token=" + p.token, want: 401},
		{name: "wrong token as a protocol", path: "ws", protos: "parley.v1, token." + other, want: 401},
		{name: "no token as a protocol", path: "ws", protos: "parley.v1", want: 401},
		{name: "right token", path: "ws", auth: bearer, want: 101},
		{name: "right token as a protocol", path: "ws", protos: "parley.v1, token." + p.token, want: 101},
		{name: "our page", path: "ws", protos: "parley.v1, token." + p.token, origin: "http://" + host, want: 101},
		{name: "our page by name", path: "ws", auth: bearer, host: "localhost" + port, origin: "http://localhost" + port, want: 101},
		{name: "foreign origin", path: "ws", auth: bearer, origin: "http://example.com", want: 403},
		{name: "foreign origin without a token", path: "ws", origin: "http://example.com", want: 403},
		{name: "no origin", path: "ws", auth: bearer, origin: "null", want: 403},
		{name: "origin with https", path: "ws", auth: bearer, origin: "https://" + host, want: 403},
		{name: "origin with another port", path: "ws", auth: bearer, origin: "http://127.0.0.1:1", want: 403},
		{name: "origin that begins like ours", path: "ws", auth: bearer, origin: "http://" + host + ".example.com", want: 403},
		{name: "foreign host", path: "ws", auth: bearer, host: "example.com", want: 403},
		{name: "foreign host with our port", path: "ws", auth: bearer, host: "example.com" + port, want: 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(tt.path, "ws") {
				req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
					"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
			}
			for key, value := range map[string]string{"Authorization": tt.auth, "Origin": tt.origin, "Sec-WebSocket-Protocol": tt.protos, "Cookie": tt.cookie} {
				if value != "" {
					req.Header.Set(key, value)
				}
			}
			if tt.host != "" {
				req.Host = tt.host
			}
			res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.want {
				t.Fatalf("status %d, want %d", res.StatusCode, tt.want)
			}
			if tt.protos != "" && res.StatusCode == 101 && res.Header.Get("Sec-WebSocket-Protocol") != "parley.v1" {
				t.Errorf("protocol %q", res.Header.Get("Sec-WebSocket-Protocol"))
			}
			if res.StatusCode == 101 {
				return
			}
			body, err := io.ReadAll(res.Body)
			if err != nil || strings.Contains(string(body), p.token) {
				t.Errorf("the body holds the token, or %v", err)
			}
			if tt.path == "health" && tt.want == 200 {
				var health struct{ Status string }
				if err := json.Unmarshal(body, &health); err != nil || health.Status != "ok" {
					t.Errorf("health %s", body)
				}
			}
		})
	}
}

// trade exchanges a page's proof for its cookie.
func (p *parley) trade(proof string) string {
	p.t.Helper()
	body := strings.NewReader(`{"token":"` + p.token + `","proof":"` + proof + `"}`)
	res, err := http.Post(p.url+"auth", "application/json", body)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent || len(res.Cookies()) != 1 {
		p.t.Fatalf("status %d, cookies %v", res.StatusCode, res.Cookies())
	}
	return res.Cookies()[0].Name + "=" + res.Cookies()[0].Value
}

// A client gets the events that it subscribed to, and none before.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Hello.")))
	s := p.open()
	none, exact, pattern, left := p.dial(), p.dial(), p.dial(), p.dial()
	exact.subscribe("session.done", "session.result")
	pattern.subscribe("session.*")
	left.subscribe("*")
	call[m](left, "unsubscribe", m{"events": []string{"*"}})
	none.refused("subscribe", m{"events": []string{"*session"}}, "invalid", "*session")
	none.refused("subscribe", m{"events": "session.*"}, "invalid", "events")
	first := s.record().LastSeq
	turn := s.prompt("hello?")
	s.done(turn, "completed")
	last := await(p.watcher, s.id, "the end of the turn", func(e *event.Done) bool { return e.TurnID == turn }).Seq
	if _, err := pattern.find(func(e seen) bool { return e.Header().Seq >= last }); err != nil {
		t.Fatal(err)
	}
	between := func(c *client) (n int) {
		for _, e := range c.all() {
			if head := e.Header(); head.SessionID == s.id && head.Seq > first && head.Seq <= last {
				n++
			}
		}
		return n
	}
	if want, got := between(p.watcher), between(pattern); want < 2 || got != want {
		t.Errorf("session.*: %d events, want %d", got, want)
	}
	if _, err := exact.find(func(e seen) bool { return e.name == "session.done" }); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range exact.all() {
		names = append(names, e.name)
	}
	if !slices.Equal(names, []string{"session.result", "session.done"}) {
		t.Errorf("exact names: %v", names)
	}
	for _, c := range []*client{none, left} {
		call[m](c, "subscribe", m{"events": []string{"session.done"}})
		if n := len(c.all()); n > 0 {
			t.Errorf("%d events before subscribing", n)
		}
	}
	s.turn("again")
	if _, err := none.find(func(e seen) bool { return e.name == "session.done" }); err != nil || len(none.all()) != 1 {
		t.Errorf("%d events after subscribing (%v)", len(none.all()), err)
	}
}

// Every bad call gets a specific error.
func TestBadCalls(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	s := p.open()
	work := p.path("work")
	for _, tt := range []struct {
		method string
		params any
		code   string
		words  []string
	}{
		{"session.destroy", m{}, "not_found", []string{"session.destroy", "method.list"}},
		{"session.create", m{}, "invalid", []string{"missing", "cwd"}},
		{"session.create", nil, "invalid", []string{"cwd"}},
		{"session.create", []string{work}, "invalid", []string{"object"}},
		{"session.create", m{"cwd": 7}, "invalid", []string{"cwd", "string"}},
		{"session.create", m{"cwd": work, "colour": "red"}, "invalid", []string{"unknown", "colour"}},
		{"session.create", m{"cwd": work, "permissionMode": "yolo"}, "invalid", []string{"permissionMode", "yolo", "acceptEdits"}},
		{"session.create", m{"cwd": work, "effort": "some"}, "invalid", []string{"effort", "some"}},
		{"session.create", m{"cwd": work, "engine": "steam"}, "invalid", []string{"engine", "steam"}},
		{"session.create", m{"cwd": "work"}, "invalid", []string{"absolute", "cwd"}},
		{"session.create", m{"cwd": ""}, "invalid", []string{"cwd"}},
		{"session.create", m{"cwd": p.path("nowhere")}, "not_found", []string{p.path("nowhere"), "cwd"}},
		{"session.create", m{"cwd": program}, "invalid", []string{"not a folder", "cwd"}},
		{"session.get", m{"sessionId": "nobody"}, "not_found", []string{"nobody"}},
		{"session.prompt", m{"sessionId": "nobody", "text": "hello"}, "not_found", []string{"nobody"}},
		{"session.prompt", m{"sessionId": s.id}, "invalid", []string{"text"}},
		{"session.prompt", m{"sessionId": s.id, "text": ""}, "invalid", []string{"empty", "text"}},
		{"session.prompt", m{"sessionId": s.id, "text": "x", "attachments": []m{{"name": "a", "mediaType": "image/bmp", "data": "AAAA"}}},
			"invalid", []string{"attachments[0]", "image/bmp"}},
		{"session.prompt", m{"sessionId": s.id, "text": "x", "attachments": []m{{"name": "a", "mediaType": "image/png", "data": "?"}}},
			"invalid", []string{"attachments[0]", "base64"}},
		{"session.prompt", m{"sessionId": s.id, "text": "x", "attachments": []m{{"name": "a", "mediaType": "image/png"}}},
			"invalid", []string{"attachments[0]", "data"}},
		{"session.prompt", m{"sessionId": s.id, "text": strings.Repeat("x", 9<<20)}, "too_large", []string{"prompt"}},
		{"session.history", m{"sessionId": s.id, "limit": -1}, "invalid", []string{"limit"}},
		{"session.history", m{"sessionId": s.id, "limit": 1.5}, "invalid", []string{"limit"}},
		{"session.list", m{"offset": -1}, "invalid", []string{"offset"}},
		{"session.setPermissionMode", m{"sessionId": s.id, "mode": "yolo"}, "invalid", []string{"mode", "yolo"}},
		{"session.setEffort", m{"sessionId": s.id, "effort": ""}, "invalid", []string{"effort"}},
		{"session.context", m{"sessionId": s.id}, "unavailable", []string{"running"}},
		{"permission.respond", m{"requestId": "nobody"}, "invalid", []string{"behavior"}},
		{"folder.list", m{"path": "work"}, "invalid", []string{"work"}},
		{"folder.list", m{"path": p.path("nowhere")}, "not_found", []string{p.path("nowhere")}},
		{"folder.pick", m{}, "unavailable", nil},
		{"settings.set", m{"theme": "pink"}, "invalid", []string{"theme", "pink"}},
	} {
		s.c.refused(tt.method, tt.params, tt.code, tt.words...)
	}
	if r := s.record(); r.State != "idle" || r.LastSeq != 0 {
		t.Errorf("after bad calls: %+v", r)
	}
}

// method.list describes every method, and the socket survives invalid calls.
func TestMethodList(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	var names []string
	for _, method := range call[method.MethodList](p.watcher, "method.list", m{}).Methods {
		names = append(names, method.Name)
		for _, schema := range []json.RawMessage{method.Params, method.Result} {
			var s struct{ Type string }
			if err := json.Unmarshal(schema, &s); err != nil || s.Type != "object" || method.Doc == "" {
				t.Errorf("%s: %q with the schema %s", method.Name, method.Doc, schema)
			}
		}
	}
	for _, want := range []string{"session.create", "session.prompt", "session.interrupt", "session.close", "session.get",
		"session.list", "session.history", "session.setPermissionMode", "session.setModel", "session.setEffort",
		"permission.list", "permission.respond", "subscribe", "unsubscribe", "method.list"} {
		if !slices.Contains(names, want) {
			t.Errorf("no method %s in %v", want, names)
		}
	}
	c := p.dial()
	c.mu.Lock()
	nobody := make(chan answer, 4)
	c.answers["null"], c.answers[""] = nobody, nobody
	c.mu.Unlock()
	if err := c.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":`)); err != nil {
		t.Fatal(err)
	}
	if a := <-nobody; a.OK || a.Error.Code != "invalid" {
		t.Errorf("no JSON: %+v", a)
	}
	call[sessions.SessionList](c, "session.list", m{})
}
