package desktop

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/backend/fault"
)

func TestPassIsForOneLoad(t *testing.T) {
	p := newPass()
	if p.admits("") || p.admits("guess") {
		t.Fatal("a call is admitted before there is a document")
	}
	first, ok := p.issue()
	if !ok || len(first) < 26 {
		t.Fatalf("issue = %q, %v; want 128 bits", first, ok)
	}
	// A frame that requests the document is not the window.
	if other, ok := p.issue(); ok || other != "" {
		t.Fatalf("a second issue in one load = %q, %v", other, ok)
	}
	for _, wrong := range []string{"", first[:len(first)-1], first + "A", strings.ToLower(first)} {
		if p.admits(wrong) {
			t.Errorf("%q is admitted, the secret is %q", wrong, first)
		}
	}
	if !p.admits(first) {
		t.Fatal("the document is not admitted")
	}

	p.expect()
	second, ok := p.issue()
	if !ok || second == first {
		t.Fatalf("issue for the next load = %q, %v after %q", second, ok, first)
	}
	// The previous document saves its state while it closes.
	if !p.admits(first) {
		t.Error("the document that goes is not admitted any more")
	}
	if !p.admits(second) {
		t.Fatal("the new document is not admitted")
	}
	if p.admits(first) {
		t.Error("the secret of the load before is admitted after the new document called")
	}
}

func TestPassForgetsLoadsThatNeverCalled(t *testing.T) {
	p := newPass()
	first, _ := p.issue()
	p.expect()
	p.issue()
	p.expect()
	p.issue()
	if p.admits(first) {
		t.Error("a secret outlives two loads")
	}
}

func TestHostRefusesCallsWithoutThePass(t *testing.T) {
	called := false
	h, log := newHost(t, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		called = true
		return json.RawMessage("{}"), nil
	})
	opened := false
	h.open = func(string) error { opened = true; return nil }
	id := h.park.put([]byte(`{"event":"e"}`))
	for _, secret := range []string{"", "guess", pagePass + " "} {
		calls := map[string]func() error{
			"app.info": func() error { _, err := h.Call(secret, "app.info", "{}"); return err },
			"pull":     func() error { _, err := h.Pull(secret, id); return err },
			"open":     func() error { return h.Open(secret, "https://example.com") },
		}
		for name, call := range calls {
			log.Reset()
			if err := call(); fault.CodeOf(err) != fault.Forbidden {
				t.Errorf("%s with the secret %q = %v, want forbidden", name, secret, err)
			}
			if !strings.Contains(log.String(), name) || (secret != "" && strings.Contains(log.String(), secret)) {
				t.Errorf("the log of a refused %s is %q", name, log)
			}
		}
	}
	if called || opened {
		t.Error("a refused call was carried out")
	}
	if _, err := h.Pull(pagePass, id); err != nil {
		t.Errorf("the refused Pull took the event away: %v", err)
	}
}
