package choice

import "testing"

func TestBeyond(t *testing.T) {
	for _, c := range []struct {
		word, other string
		want        bool
	}{
		{"default", "default", false},
		{"auto", "default", true},
		{"plan", "default", false},
		{"dontAsk", "default", false},
		{"bypassPermissions", "auto", true},
		{"unheard", "bypassPermissions", true},
		{"plan", "unheard", true},
		{"unheard", "unheard", false},
		{"", "default", true},
	} {
		if got := Modes().Beyond(c.word, c.other); got != c.want {
			t.Errorf("%q beyond %q: %t", c.word, c.other, got)
		}
	}
}

func TestFirst(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"auto", "default", "default"},
		{"plan", "plan", "plan"},
		{"unheard", "auto", "auto"},
		{"auto", "", "auto"},
		{"unheard", "", "plan"},
	} {
		if got := Modes().First(c.a, c.b); got != c.want {
			t.Errorf("of %q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
