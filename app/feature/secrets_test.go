package feature

import (
	"slices"
	"testing"
)

// Nothing that Parley starts receives Parley's secrets.
func TestSecretsStayHere(t *testing.T) {
	taken := map[string]string{
		"PARLEY_MATTERMOST_TOKEN": " s3cret ", "PARLEY_MATTERMOST_URL": "https://chat.example.org/", "PARLEY_NATS_TOKEN": "s3cret", "PARLEY_NATS_USER": "me",
		"PARLEY_NATS_PASSWORD": "a=b", "PARLEY_NATS_CREDS": "/c", "PARLEY_NATS_CA": "/d",
	}
	left := []string{"PATH=/bin", "PARLEY_CLAUDE_BIN=/e", "EMPTY", "=odd", "PARLEY_NATS_TOKENS=x", ""}
	offered := []string{"PARLEY_SECRET_WORK_ANTHROPIC_API_KEY=key", "PARLEY_SECRET_"}
	env := slices.Concat(left[:2], offered, left[2:])
	for name, value := range taken {
		env = append(env, name+"="+value)
	}
	rest, s := TakeSecrets(env)
	if !slices.Equal(rest, left) || !slices.Equal(s.Offered, offered) {
		t.Errorf("left is %q, offered %q", rest, s.Offered)
	}
	for name, want := range taken {
		if got := s.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if s.Get("PATH") != "" {
		t.Error("more was taken")
	}
}
