package profile_test

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/session/profile"
)

// A credential reaches no provider but its own.
func TestEnviron(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the helper is called in another way")
	}
	base := []string{
		"LANG=C", "ANTHROPIC_API_KEY=outside", "ANTHROPIC_BASE_URL=https://outside.example", "CLAUDE_CODE_USE_VERTEX=1",
		"ANTHROPIC_MODEL=outside", "AWS_PROFILE=outside", "AWS_ACCESS_KEY_ID=outside", "HTTPS_PROXY=http://outside",
	}
	const managed = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST=1"
	aws := []string{"AWS_PROFILE=outside", "AWS_ACCESS_KEY_ID=outside"}
	quiet := append([]string{"LANG=C"}, append(aws, "HTTPS_PROXY=http://outside")...)
	type vars = map[string]string
	for _, tt := range []struct {
		name        string
		c           profile.Change
		base, extra []string
		// helper and env are settings; env only names some of the contents.
		settings bool
		helper   string
		env      vars
	}{
		{"gateway", profile.Change{Kind: "gateway", Env: vars{"ANTHROPIC_BASE_URL": "https://x.example", "ANTHROPIC_MODEL": "own"}, Secrets: vars{"ANTHROPIC_API_KEY": "k"}},
			quiet, []string{"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=https://x.example", "ANTHROPIC_MODEL=own", managed}, false, "", nil},
		{"gateway with a helper", profile.Change{Kind: "gateway", Env: vars{"ANTHROPIC_BASE_URL": "https://x.example"}, Helper: " pass show it "},
			quiet, []string{"ANTHROPIC_BASE_URL=https://x.example", "PARLEY_HELPER=pass show it"}, true, `eval "$PARLEY_HELPER"`,
			vars{"ANTHROPIC_BASE_URL": "https://x.example", "ANTHROPIC_API_KEY": "", "CLAUDE_CODE_USE_VERTEX": "", "ANTHROPIC_MODEL": ""}},
		{"anthropic with a key", profile.Change{Kind: "anthropic", Secrets: vars{"ANTHROPIC_API_KEY": "k"}},
			quiet, []string{"ANTHROPIC_API_KEY=k", managed}, false, "", nil},
		{"anthropic with the login", profile.Change{Kind: "anthropic", Env: vars{"ANTHROPIC_MODEL": "own"}},
			quiet, []string{"ANTHROPIC_MODEL=own"}, true, "", vars{"ANTHROPIC_MODEL": "own", "ANTHROPIC_BASE_URL": "", "ANTHROPIC_AUTH_TOKEN": ""}},
		{"anthropic with the login and a secret header", profile.Change{Kind: "anthropic", Secrets: vars{"ANTHROPIC_CUSTOM_HEADERS": "X-A: b"}},
			quiet, []string{"ANTHROPIC_CUSTOM_HEADERS=X-A: b"}, true, "", vars{"ANTHROPIC_BASE_URL": ""}},
		{"bedrock with what there is", profile.Change{Kind: "bedrock", Env: vars{"AWS_REGION": "x"}},
			quiet, []string{"AWS_REGION=x", "CLAUDE_CODE_USE_BEDROCK=1", managed}, false, "", nil},
		{"bedrock as someone else", profile.Change{Kind: "bedrock", Env: vars{"AWS_REGION": "x", "AWS_PROFILE": "own"}},
			[]string{"LANG=C", "HTTPS_PROXY=http://outside"}, []string{"AWS_PROFILE=own", "AWS_REGION=x", "CLAUDE_CODE_USE_BEDROCK=1", managed}, false, "", nil},
		{"vertex", profile.Change{Kind: "vertex", Env: vars{"CLOUD_ML_REGION": "r", "ANTHROPIC_VERTEX_PROJECT_ID": "p"}},
			quiet, []string{"ANTHROPIC_VERTEX_PROJECT_ID=p", "CLAUDE_CODE_USE_VERTEX=1", "CLOUD_ML_REGION=r", managed}, false, "", nil},
		{"custom with a provider", profile.Change{Kind: "custom", Env: vars{"CLAUDE_CODE_USE_FOUNDRY": "1"}},
			quiet, []string{"CLAUDE_CODE_USE_FOUNDRY=1", managed}, false, "", nil},
		{"custom without", profile.Change{Kind: "custom", Env: vars{"HTTPS_PROXY": "http://own"}},
			base, []string{"HTTPS_PROXY=http://own"}, false, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(base...)
			tt.c.Name = "P"
			env, err := r.Environ(t.Context(), r.set(t, tt.c).ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.base, env.Base); diff != "" {
				t.Errorf("base: %s", diff)
			}
			if diff := cmp.Diff(tt.extra, env.Extra); diff != "" {
				t.Errorf("extra: %s", diff)
			}
			if (env.Settings != nil) != tt.settings {
				t.Fatalf("settings %v", env.Settings)
			}
			if !tt.settings {
				return
			}
			if env.Settings["apiKeyHelper"] != tt.helper {
				t.Errorf("helper %q", env.Settings["apiKeyHelper"])
			}
			got, _ := env.Settings["env"].(vars)
			for name, value := range tt.env {
				if v, ok := got[name]; !ok || v != value {
					t.Errorf("%s is %q (%v)", name, v, ok)
				}
			}
			if _, ok := got["ANTHROPIC_CUSTOM_HEADERS"]; ok == (tt.c.Secrets["ANTHROPIC_CUSTOM_HEADERS"] != "") {
				t.Error("the settings overrule a secret, or leave out a variable that is no secret")
			}
		})
	}
}
