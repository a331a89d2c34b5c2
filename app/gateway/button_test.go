package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A Mattermost server's call is accepted under any name and without a token, because it proves
// itself; nothing else is, and nothing at all while such calls are not enabled.
func TestButton(t *testing.T) {
	var got string
	asked, refused := true, error(nil)
	w := start(t, func(c *Config) {
		c.Button = func(_ context.Context, body []byte) (bool, error) {
			got = string(body)
			return asked, refused
		}
	})
	call := func(method, host, origin, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, w.URL()+"chat/button", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for _, tt := range []struct {
		name, method, host, origin, body string
		asked                            bool
		refused                          error
		status                           int
		taken                            bool
	}{
		{"pressed", "POST", "", "", "{}", true, nil, 200, true},
		{"by another name", "POST", "parley.example.org", "", "{}", true, nil, 200, true},
		{"proves nothing", "POST", "", "", "{}", true, errors.New("no"), 403, true},
		{"a page", "POST", "", strings.TrimSuffix(w.URL(), "/"), "{}", true, nil, 403, false},
		{"a page from elsewhere", "POST", "", "http://evil.example", "{}", true, nil, 403, false},
		{"read", "GET", "", "", "", true, nil, 405, false},
		{"too long", "POST", "", "", strings.Repeat("x", maxButton+1), true, nil, 413, false},
		{"nobody asked", "POST", "", "", "{}", false, nil, 405, true},
		{"nobody asked, by another name", "POST", "parley.example.org", "", "{}", false, nil, 403, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, asked, refused = "", tt.asked, tt.refused
			status, text := call(tt.method, tt.host, tt.origin, tt.body)
			if status != tt.status {
				t.Errorf("status %d, want %d: %s", status, tt.status, text)
			}
			if (got != "") != tt.taken {
				t.Errorf("it was handed on: %v", got != "")
			}
		})
	}
	// Everything else is unaffected.
	for _, path := range []string{"", "health", "ws", "chat/button/x"} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.URL()+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "parley.example.org"
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("/%s by another name: %d", path, answer.StatusCode)
		}
	}
}
