package desktop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

const pagePass = "the document's own"

func newHost(t *testing.T, call func(context.Context, string, json.RawMessage) (json.RawMessage, error)) (*Host, *bytes.Buffer) {
	var log bytes.Buffer
	return &Host{
		ctx: t.Context(), call: call, pass: &pass{known: []string{pagePass}}, park: newPark(1 << 20),
		open:  func(string) error { return nil },
		shown: func(bool) {}, listens: func() {},
		log: slog.New(slog.NewTextHandler(&log, nil)),
	}, &log
}

func TestHostCall(t *testing.T) {
	h, _ := newHost(t, func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"method":"` + method + `","params":` + string(params) + `}`), nil
	})
	for params, want := range map[string]string{
		"":           `{"method":"app.info","params":{}}`,
		`{"a":null}`: `{"method":"app.info","params":{"a":null}}`,
	} {
		got, err := h.Call(pagePass, "app.info", params)
		if err != nil || got != want {
			t.Errorf("Call(%q) = %s, %v; want %s", params, got, err, want)
		}
	}
}

// Events continue when the newest document listens. The previous document, which last reports that
// it is hidden, does not count.
func TestHostShown(t *testing.T) {
	h, _ := newHost(t, nil)
	h.pass.known = []string{pagePass, "the one before"}
	var said []string
	h.shown = func(shown bool) { said = append(said, fmt.Sprint(shown)) }
	h.listens = func() { said = append(said, "listens") }
	for _, c := range []struct {
		secret string
		shown  bool
		want   []string
	}{
		{"the one before", false, []string{"false"}},
		{"a guess", true, nil},
		{pagePass, true, []string{"true", "listens"}},
		{pagePass, false, []string{"false", "listens"}},
	} {
		said = nil
		err := h.Shown(c.secret, c.shown)
		if refused := c.want == nil; refused != (err != nil) || !slices.Equal(said, c.want) {
			t.Errorf("%s, %v: said %v, %v; want %v", c.secret, c.shown, said, err, c.want)
		}
	}
}

func TestHostSettlesEveryPromise(t *testing.T) {
	tests := []struct {
		name string
		call func(context.Context, string, json.RawMessage) (json.RawMessage, error)
		want Failure
		log  string
	}{
		{
			name: "fault",
			call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return nil, fault.Wrap(errors.New("secret"), fault.NotFound, "There is no such session.")
			},
			want: Failure{fault.NotFound, "There is no such session."},
		},
		{
			name: "plain error",
			call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return nil, errors.New("secret")
			},
			want: Failure{fault.Internal, fault.MessageOf(errors.New("any"))},
		},
		{
			name: "panic",
			call: func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
				return params[99:], nil
			},
			want: Failure{fault.Internal, fault.MessageOf(errors.New("any"))},
			log:  "out of range",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, log := newHost(t, tt.call)
			_, err := h.Call(pagePass, "app.info", "{}")
			if err == nil {
				t.Fatal("no error")
			}
			text, ok := formatError(err).(string)
			if !ok {
				t.Fatal("the page would see [object Object]")
			}
			var got Failure
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
			if !strings.Contains(log.String(), tt.log) {
				t.Errorf("the log lacks %q: %s", tt.log, log)
			}
		})
	}
}

func TestHostPull(t *testing.T) {
	h, _ := newHost(t, nil)
	id := h.park.put([]byte(`{"event":"e"}`))
	if got, err := h.Pull(pagePass, id); err != nil || got != `{"event":"e"}` {
		t.Fatalf("Pull = %q, %v", got, err)
	}
	if _, err := h.Pull(pagePass, id); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the second Pull = %v, want not_found", err)
	}
}

func TestHostDrainWaitsForCallsButNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h, log := newHost(t, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			<-release
			return json.RawMessage("{}"), nil
		})
		go func() {
			if _, err := h.Call(pagePass, "slow", ""); err != nil {
				t.Errorf("Call = %v", err)
			}
		}()
		synctest.Wait()
		start := time.Now()
		h.drain(time.Second)
		if took := time.Since(start); took != time.Second {
			t.Errorf("drain returned after %v with a call under way", took)
		}
		if !strings.Contains(log.String(), "still running") {
			t.Errorf("the log says nothing: %s", log)
		}
		close(release)
		synctest.Wait()
		start = time.Now()
		h.drain(time.Second)
		if took := time.Since(start); took != 0 {
			t.Errorf("drain took %v with no call under way", took)
		}
	})
}

func TestOutside(t *testing.T) {
	tests := map[string]string{
		"https://example.com/a?b=c#d":                   "https://example.com/a?b=c#d",
		"HTTP://example.com":                            "http://example.com",
		"https://en.wikipedia.org/wiki/Go_(game)~!*'$x": "https://en.wikipedia.org/wiki/Go_%28game%29%7E%21%2A%27%24x",
		"https://example.com/;rm -rf":                   "https://example.com/%3Brm%20-rf",
		"mailto:a@example.com?subject=x":                "mailto:a@example.com?subject=x",
		"https://example.com/ü":                         "https://example.com/%C3%BC",
		"javascript:alert(1)":                           "",
		"file:///etc/passwd":                            "",
		"vscode://open":                                 "",
		"data:text/html,x":                              "",
		"//example.com":                                 "",
		"https://":                                      "",
		"relative":                                      "",
		"":                                              "",
		"https://a\x00b":                                "",
	}
	for link, want := range tests {
		got, err := outside(link)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("outside(%q) = %q, %v; want %q", link, got, err, want)
		}
		if err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("outside(%q) fails with %q", link, fault.CodeOf(err))
		}
	}
}
