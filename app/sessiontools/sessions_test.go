package sessiontools

import (
	"testing"

	"parley/backend/event"
)

// A session started by another one is never laxer than that one.
func TestStartedSessionsInherit(t *testing.T) {
	for _, tt := range []struct {
		name                               string
		mode, guard                        string
		usualMode, usualGuard, want, wants string
	}{
		{"the same", "default", "off", "default", "off", "default", "off"},
		{"a laxer folder", "default", "off", "bypassPermissions", "reviewed", "default", "off"},
		{"a laxer session", "bypassPermissions", "reviewed", "default", "static", "default", "static"},
		{"one that asks nobody", "dontAsk", "static", "acceptEdits", "static", "dontAsk", "static"},
		{"a mode that is not known", "new", "", "acceptEdits", "off", "acceptEdits", "off"},
		{"nothing chosen", "", "", "bypassPermissions", "reviewed", "default", "off"},
		{"nothing that is known", "new", "new", "newer", "newer", "plan", "off"},
	} {
		tool := &sessionSet{begins: func(string) (string, string) { return tt.usualMode, tt.usualGuard }}
		mode, guard := tool.inherited(event.Session{PermissionMode: tt.mode, Guard: tt.guard}, "/here")
		if mode != tt.want || guard != tt.wants {
			t.Errorf("%s: %s and %s", tt.name, mode, guard)
		}
	}
}
