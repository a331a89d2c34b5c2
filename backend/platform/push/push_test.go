package push

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/backend/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "0123456789abcdef"

func newSender(t *testing.T, secret string) *Sender {
	t.Helper()
	s := NewSender(Config{
		Secret: func(context.Context, Target) (string, error) { return secret, nil },
		Log:    slog.New(slog.DiscardHandler),
	})
	t.Cleanup(s.Close)
	return s
}

func word(event, session string) Word {
	return Word{Event: event, Title: "Upload \"a\"", Text: "Waits.", SessionID: session, Folder: "/work", At: time.Now()}
}

// got is a received request.
type got struct {
	path   string
	header http.Header
	body   string
}

// receiver answers with a status, and records the request.
func receiver(t *testing.T, answer http.HandlerFunc) (address string, last func() got) {
	t.Helper()
	var mu sync.Mutex
	var seen got
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = got{r.URL.Path, r.Header, string(raw)}
		mu.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() got {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func TestWebhookIsSigned(t *testing.T) {
	url, last := receiver(t, nil)
	for _, tt := range []struct {
		name, secret string
		raw          []byte
	}{
		{"a key as it stands", key, []byte(key)},
		{"a key in base64", "whsec_" + base64.StdEncoding.EncodeToString([]byte("sixteen bytes 16")), []byte("sixteen bytes 16")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSender(t, tt.secret)
			if err := s.Try(t.Context(), Target{ID: "a", Kind: Webhook, URL: url + "/hook"}, word("question", "s")); err != nil {
				t.Fatal(err)
			}
			r := last()
			mac := hmac.New(sha256.New, tt.raw)
			fmt.Fprintf(mac, "%s.%s.%s", r.header.Get("Webhook-Id"), r.header.Get("Webhook-Timestamp"), r.body)
			if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("Webhook-Signature") != want {
				t.Errorf("signature %q", r.header.Get("Webhook-Signature"))
			}
			var body map[string]string
			if err := json.Unmarshal([]byte(r.body), &body); err != nil || body["event"] != "question" || body["title"] != `Upload "a"` || body["session"] != "s" || body["folder"] != "/work" {
				t.Errorf("body %s (%v)", r.body, err)
			}
		})
	}
}

func TestTemplate(t *testing.T) {
	url, last := receiver(t, nil)
	s := newSender(t, "")
	if err := s.Try(t.Context(), Target{Kind: Webhook, URL: url, Template: `{"text": "{{title}}: {{ text }}"}`}, word("done", "s")); err != nil {
		t.Fatal(err)
	}
	if r := last(); r.body != `{"text": "Upload \"a\": Waits."}` || r.header.Get("Webhook-Signature") != "" {
		t.Errorf("%s, %v", r.body, r.header)
	}
}

func TestNtfy(t *testing.T) {
	url, last := receiver(t, nil)
	s := newSender(t, "tk_secret")
	if err := s.Try(t.Context(), Target{Kind: Ntfy, URL: url + "/under/my-topic"}, word("failed", "s")); err != nil {
		t.Fatal(err)
	}
	r := last()
	if want := `{"topic":"my-topic","title":"Upload \"a\"","message":"Waits.","priority":4}`; r.body != want || r.path != "/under/" || r.header.Get("Authorization") != "Bearer tk_secret" {
		t.Errorf("%s %s %v", r.path, r.body, r.header)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		kind, url, template, wrong string
	}{
		{Webhook, "https://example.org/hook?a=b", "", ""},
		{Webhook, "http://192.168.1.2:8080", `{"a": "{{time}}"}`, ""},
		{Ntfy, "https://ntfy.sh/topic", "", ""},
		{Webhook, "ftp://example.org", "", "https://"},
		{Webhook, "https://", "", "https://"},
		{Webhook, "https://:80", "", "https://"},
		{Webhook, "javascript:alert(1)", "", "https://"},
		{Webhook, "https://ada:hush@example.org", "", "password"},
		{Webhook, "https://example.org/" + strings.Repeat("a", maxURL), "", "too long"},
		{Webhook, "https://example.org", `{"a": "{{secret}}"}`, "unknown placeholder"},
		{Webhook, "https://example.org", `{"a": {{title}}}`, "inside quotes"},
		{Webhook, "https://example.org", `"` + strings.Repeat("a", maxTemplate) + `"`, "longer"},
		{Ntfy, "https://ntfy.sh/", "", "topic"},
		{Ntfy, "https://ntfy.sh", "", "topic"},
		{Ntfy, "https://ntfy.sh/a%20b", "", "topic"},
		{Ntfy, "https://ntfy.sh/a?b=c", "", "topic"},
		{Ntfy, "https://ntfy.sh/a", "{}", "template"},
		{"fax", "https://example.org", "", "kind"},
	} {
		err := Check(Target{Kind: tt.kind, URL: tt.url, Template: tt.template})
		if tt.wrong == "" && err != nil || tt.wrong != "" && (fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), tt.wrong) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("%s %.60s %.30s: %v", tt.kind, tt.url, tt.template, err)
		}
	}
	for secret, ok := range map[string]bool{key: true, "short": false, "whsec_c2hvcnQ=": false, "line\nbreak-0123456789": false, strings.Repeat("a", maxSecret+1): false} {
		if err := CheckSecret(Webhook, secret); (err == nil) != ok || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%.30q: %v", secret, err)
		}
	}
}

// Hostile answers: none is followed, and each is reported.
func TestHostileAnswers(t *testing.T) {
	elsewhere, moved := receiver(t, nil)
	for _, tt := range []struct {
		name, says string
		answer     http.HandlerFunc
		stopped    bool
	}{
		{"redirects", "Enter the final address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}, false},
		{"is gone", "accepts no more notifications", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }, true},
		{"refuses", "Check the key or token", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, false},
		{"knows nothing", "Check the address", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, false},
		{"has too long a head", "could not be reached", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("a", 2*maxHeader))
		}, false},
		{"hangs up", "could not be reached", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		{"never ends", "", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := receiver(t, tt.answer)
			s := newSender(t, key)
			to := Target{ID: "a", Kind: Webhook, URL: url + "/hidden-path"}
			err := s.Try(t.Context(), to, word("test", ""))
			status := s.Status("a")
			if tt.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(fault.MessageOf(err), tt.says) || strings.Contains(err.Error(), "hidden-path") || strings.Contains(err.Error(), key) {
				t.Errorf("%v", err)
			}
			if status.Problem != fault.MessageOf(err) || status.Stopped != tt.stopped {
				t.Errorf("%+v", status)
			}
			s.Send(to, word("done", "s"))
			if waiting := s.Status("a").Waiting; tt.stopped && waiting != 0 {
				t.Errorf("%d wait", waiting)
			}
		})
	}
	if moved().body != "" {
		t.Error("a redirect was followed")
	}
}

// answers is a fake network: each request gets the next answer, repeating the last one.
type answers struct {
	mu   sync.Mutex
	list []any // a status, or a function that may block
	at   []time.Time
	ids  []string
	body []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	raw, _ := io.ReadAll(r.Body)
	a.at, a.ids, a.body = append(a.at, time.Now()), append(a.ids, r.Header.Get("Webhook-Id")), append(a.body, string(raw))
	next := a.list[0]
	if len(a.list) > 1 {
		a.list = a.list[1:]
	}
	a.mu.Unlock()
	if wait, ok := next.(func(context.Context) error); ok {
		return nil, wait(r.Context())
	}
	header := http.Header{"Retry-After": {"60"}}
	return &http.Response{StatusCode: next.(int), Header: header, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := &answers{list: []any{hang, 503, 200}}
		s := NewSender(Config{Secret: func(context.Context, Target) (string, error) { return "", nil }, Log: slog.New(slog.DiscardHandler)})
		defer s.Close()
		s.client.Transport = net
		start := time.Now()
		s.Send(Target{ID: "a", Kind: Webhook, URL: "https://example.org"}, word("done", "s"))
		time.Sleep(time.Hour)
		synctest.Wait()
		var after []time.Duration
		for _, at := range net.at {
			after = append(after, at.Sub(start))
		}
		// The first hangs for ten seconds, the second asks for a minute.
		if want := "[0s 15s 1m15s]"; fmt.Sprint(after) != want {
			t.Errorf("tried after %v", after)
		}
		if net.ids[0] != net.ids[2] {
			t.Error("a try has another id")
		}
		if status := s.Status("a"); status.Problem != "" || status.SentAt != start.Add(75*time.Second).UnixMilli() || status.Waiting != 0 || status.Lost != 0 {
			t.Errorf("%+v", status)
		}
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := &answers{list: []any{func(context.Context) error { return errors.New("no route") }}}
		s := NewSender(Config{Secret: func(context.Context, Target) (string, error) { return "", nil }, Log: slog.New(slog.DiscardHandler)})
		s.client.Transport = net
		to := Target{ID: "a", Kind: Webhook, URL: "https://example.org"}
		for i := range 3 * maxWaiting {
			s.Send(to, word("done", fmt.Sprint(i)))
			synctest.Wait()
		}
		if status := s.Status("a"); status.Waiting != maxWaiting+1 || status.Lost != 2*maxWaiting-1 {
			t.Errorf("%+v", status)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		// Notifications older than an hour are tried at most once.
		if status := s.Status("a"); status.Waiting != 0 || status.Lost != 3*maxWaiting || len(net.at) > 4*len(backoff())+4+maxWaiting+1 {
			t.Errorf("%+v after %d tries", status, len(net.at))
		}
		s.Send(to, word("done", "last"))
		s.Close() // it doesn't wait for the next try
		s.Send(to, word("done", "later"))
		if status := s.Status("a"); status.Waiting != 0 {
			t.Errorf("%+v after the end", status)
		}
	})
}

// Notifications that became obsolete are no longer sent, neither queued ones nor the one
// being retried.
func TestDropAndForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := &answers{list: []any{503, 200}}
		s := NewSender(Config{Secret: func(context.Context, Target) (string, error) { return "", nil }, Log: slog.New(slog.DiscardHandler)})
		defer s.Close()
		s.client.Transport = net
		to := Target{ID: "a", Kind: Webhook, URL: "https://example.org"}
		for _, w := range []Word{word("question", "s"), word("question", "s"), word("question", "other"), word("done", "s")} {
			s.Send(to, w)
		}
		synctest.Wait()
		s.Drop("question", "s")
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(net.body) != 3 || !strings.Contains(net.body[1], "other") || !strings.Contains(net.body[2], "done") {
			t.Errorf("%q", net.body)
		}
		net.list = []any{503}
		s.Send(to, word("done", "s"))
		synctest.Wait()
		s.Forget("a")
		tries := len(net.body)
		time.Sleep(time.Hour)
		synctest.Wait()
		if status := s.Status("a"); status != (Status{}) || len(net.body) != tries {
			t.Errorf("%+v after %d tries", status, len(net.body)-tries)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{"text": "{{title}}"}`, "a\"b", "\\")
	f.Add(`"{{text}}{{time}}"`, "\u2028\x00", "</script>")
	f.Add(`{"a":"\{{title}}"}`, "u0041", "n")
	f.Fuzz(func(t *testing.T, template, title, text string) {
		if checkTemplate(template) != nil || template == "" {
			return
		}
		if body := fill(template, Word{Event: "done", Title: title, Text: text}); !json.Valid(body) {
			t.Errorf("%q became %q", template, body)
		}
	})
}
