package gateway

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestMetrics(t *testing.T) {
	w := start(t, nil)
	get := func(method, token string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, w.URL()+"metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
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
		return answer, string(text)
	}
	for _, token := range []string{"", "wrong"} {
		if answer, text := get("GET", token); answer.StatusCode != http.StatusUnauthorized || strings.Contains(text, "go_goroutines") {
			t.Errorf("with %q: %d %s", token, answer.StatusCode, text)
		}
	}
	if answer, _ := get("POST", testToken); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", answer.StatusCode)
	}
	answer, text := get("GET", testToken)
	if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%d %s", answer.StatusCode, answer.Header)
	}
	form := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[^}]*\})? [0-9.e+-]+)$`)
	for line := range strings.Lines(text) {
		if !form.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("%q", line)
		}
	}
	for _, want := range []string{"\nparley_sockets 0\n", "\nparley_problems_errors 0\n", "\ngo_goroutines "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}
