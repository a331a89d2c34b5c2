package profile_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/backend/fault"
	"parley/backend/session/profile"
	"parley/backend/store/model"
)

// What a profile may contain, and the error text otherwise.
func TestRules(t *testing.T) {
	type vars = map[string]string
	change := func(kind string, env, secrets vars, helper string) profile.Change {
		return profile.Change{Name: "P", Kind: kind, Env: env, Secrets: secrets, Helper: helper}
	}
	custom := func(name, value string) profile.Change { return change("custom", vars{name: value}, nil, "") }
	many := vars{}
	for i := range 101 {
		many[fmt.Sprint("V", i)] = "x"
	}
	for _, tt := range []struct {
		name string
		c    profile.Change
		// words are in the message; none means accepted.
		words []string
	}{
		{"anthropic with the login", change("anthropic", nil, nil, ""), nil},
		{"anthropic with a key", change("anthropic", nil, vars{"ANTHROPIC_API_KEY": "k"}, ""), nil},
		{"anthropic with a helper", change("anthropic", nil, nil, "pass show key"), nil},
		{"anthropic elsewhere", change("anthropic", vars{"ANTHROPIC_BASE_URL": "https://x.example"}, nil, ""), []string{"ANTHROPIC_BASE_URL", "anthropic"}},
		{"anthropic in a cloud", change("anthropic", vars{"CLAUDE_CODE_USE_BEDROCK": "1"}, nil, ""), []string{"CLAUDE_CODE_USE_BEDROCK"}},
		{"gateway without an address", change("gateway", nil, vars{"ANTHROPIC_API_KEY": "k"}, ""), []string{"gateway", "ANTHROPIC_BASE_URL"}},
		{"gateway without a credential", change("gateway", vars{"ANTHROPIC_BASE_URL": "https://x.example"}, nil, ""), []string{"ANTHROPIC_AUTH_TOKEN", "helper"}},
		{"gateway with a helper", change("gateway", vars{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, nil, "cat key"), nil},
		{"gateway with both", change("gateway", vars{"ANTHROPIC_BASE_URL": "http://x"}, vars{"ANTHROPIC_API_KEY": "k"}, "cat key"), []string{"helper", "not both"}},
		{"address of another kind", change("gateway", vars{"ANTHROPIC_BASE_URL": "ftp://x"}, vars{"ANTHROPIC_API_KEY": "k"}, ""), []string{"ANTHROPIC_BASE_URL", "https://"}},
		{"address without a host", change("gateway", vars{"ANTHROPIC_BASE_URL": "https://"}, vars{"ANTHROPIC_API_KEY": "k"}, ""), []string{"ANTHROPIC_BASE_URL"}},
		{"no address", change("gateway", vars{"ANTHROPIC_BASE_URL": "models"}, vars{"ANTHROPIC_API_KEY": "k"}, ""), []string{"ANTHROPIC_BASE_URL"}},
		{"password in the address", change("gateway", vars{"ANTHROPIC_BASE_URL": "https://a:b@x.example"}, vars{"ANTHROPIC_API_KEY": "k"}, ""), []string{"secret"}},
		{"bedrock", change("bedrock", vars{"AWS_REGION": "eu-central-1", "AWS_PROFILE": "work"}, nil, ""), nil},
		{"bedrock, switched on", change("bedrock", vars{"AWS_REGION": "eu-central-1", "CLAUDE_CODE_USE_BEDROCK": "1"}, nil, ""), nil},
		{"bedrock, switched off", change("bedrock", vars{"AWS_REGION": "eu-central-1", "CLAUDE_CODE_USE_BEDROCK": "0"}, nil, ""), []string{"CLAUDE_CODE_USE_BEDROCK", "1"}},
		{"bedrock nowhere", change("bedrock", nil, nil, ""), []string{"AWS_REGION"}},
		{"bedrock with keys", change("bedrock", vars{"AWS_REGION": "x"}, vars{"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}, ""), nil},
		{"bedrock with a plain key", change("bedrock", vars{"AWS_REGION": "x", "AWS_ACCESS_KEY_ID": "k"}, nil, ""), []string{"AWS_ACCESS_KEY_ID", "secret"}},
		{"bedrock with a helper", change("bedrock", vars{"AWS_REGION": "x"}, nil, "cat key"), []string{"helper", "bedrock"}},
		{"vertex", change("vertex", vars{"CLOUD_ML_REGION": "us-east5", "ANTHROPIC_VERTEX_PROJECT_ID": "p"}, nil, ""), nil},
		{"vertex nowhere", change("vertex", nil, nil, ""), []string{"CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"}},
		{"vertex in another cloud", change("vertex", vars{"CLOUD_ML_REGION": "x", "ANTHROPIC_VERTEX_PROJECT_ID": "p", "CLAUDE_CODE_USE_BEDROCK": "1"}, nil, ""), []string{"CLAUDE_CODE_USE_BEDROCK"}},
		{"custom", custom("CLAUDE_CODE_USE_FOUNDRY", "1"), nil},
		{"another kind", change("other", nil, nil, ""), []string{"other", "anthropic, gateway, bedrock, vertex and custom"}},
		{"no name", profile.Change{Name: " ", Kind: "custom"}, []string{"name"}},
		{"long name", profile.Change{Name: strings.Repeat("ü", 81), Kind: "custom"}, []string{"80"}},
		{"name of two lines", profile.Change{Name: "a\nb", Kind: "custom"}, []string{"name"}},

		{"lower case", custom("http_proxy", "x"), []string{"http_proxy"}},
		{"digit first", custom("1A", "x"), []string{"1A"}},
		{"nothing", custom("", "x"), []string{"valid variable name"}},
		{"equals sign", custom("A=B", "x"), []string{"A=B"}},
		{"long variable", custom(strings.Repeat("A", 129), "x"), []string{"128"}},
		{"underscore first", custom("_A1", "x"), nil},
		{"line end", custom("A", "x\ny"), []string{"A", "one line"}},
		{"zero byte", custom("A", "x\x00y"), []string{"one line"}},
		{"no text", custom("A", "\xff"), []string{"one line"}},
		{"long value", custom("A", strings.Repeat("x", 8<<10+1)), []string{"8192"}},
		{"longest value", custom("A", strings.Repeat("x", 8<<10)), nil},
		{"too many", change("custom", many, nil, ""), []string{"100"}},

		{"loader", custom("LD_PRELOAD", "x"), []string{"LD_PRELOAD", "programs"}},
		{"loader of macOS", custom("DYLD_INSERT_LIBRARIES", "x"), []string{"programs"}},
		{"path", custom("PATH", "/x"), []string{"PATH", "programs"}},
		{"options of the runtime", custom("NODE_OPTIONS", "--require x"), []string{"programs"}},
		{"mark of Parley", custom("PARLEY_PID", "1"), []string{"PARLEY_"}},
		{"token of Parley", change("custom", nil, vars{"PARLEY_MCP_TOKEN": "x"}, ""), []string{"PARLEY_"}},
		{"config folder", custom("CLAUDE_CONFIG_DIR", "/x"), []string{"conversations"}},
		{"home", custom("HOME", "/x"), []string{"conversations"}},
		{"entry point", custom("CLAUDE_CODE_ENTRYPOINT", "x"), []string{"Parley"}},
		{"certificates unchecked", custom("NODE_TLS_REJECT_UNAUTHORIZED", "0"), []string{"NODE_EXTRA_CA_CERTS"}},
		{"certificates", custom("NODE_EXTRA_CA_CERTS", "/etc/ca.pem"), nil},

		{"plain key", custom("ANTHROPIC_API_KEY", "x"), []string{"ANTHROPIC_API_KEY", "secret"}},
		{"plain token", custom("GITHUB_TOKEN", "x"), []string{"secret"}},
		{"plain password", custom("DB_PASSWORD_OLD", "x"), []string{"secret"}},
		{"plain secret", custom("SECRET", "x"), []string{"secret"}},
		{"headers", custom("ANTHROPIC_CUSTOM_HEADERS", "X-Team: blue"), []string{"secret"}},
		{"a key by its looks", custom("NOTE", "sk-ant-api03-x"), []string{"NOTE", "secret"}},
		{"proxy with a password", custom("HTTPS_PROXY", "http://me:pw@proxy:8080"), []string{"HTTPS_PROXY", "secret"}},
		{"proxy", custom("HTTPS_PROXY", "http://proxy:8080"), nil},
		{"a number of tokens is no secret", custom("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "1000"), nil},
		{"a time to live", custom("CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "1000"), nil},
		{"twice", change("custom", vars{"A": "x"}, vars{"A": "y"}, ""), []string{"both"}},
		{"secret of two lines", change("custom", nil, vars{"A": "x\ny"}, ""), []string{"one line"}},
		{"long secret", change("custom", nil, vars{"A": strings.Repeat("x", 2401)}, ""), []string{"2400"}},
		{"many secrets", change("custom", nil, many, ""), []string{"100"}},

		{"helper of two lines", change("anthropic", nil, nil, "a\nb"), []string{"one line"}},
		{"long helper", change("anthropic", nil, nil, strings.Repeat("x", 4<<10+1)), []string{"script"}},
		{"helper with a key", change("anthropic", nil, nil, "echo sk-ant-api03-x"), []string{"secret"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig()
			_, err := r.Set(t.Context(), tt.c)
			if tt.words == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			refused(t, err, fault.Invalid, tt.words...)
			if len(r.records.all) != 0 || len(r.secrets.all) != 0 {
				t.Error("something was kept")
			}
			for _, values := range []map[string]string{tt.c.Env, tt.c.Secrets} {
				for _, value := range values {
					if len(value) > 3 && value != "https://" && value != "models" && err != nil && strings.Contains(err.Error(), value) {
						t.Errorf("the error repeats a value: %v", err)
					}
				}
			}
		})
	}
}

func TestSetListDelete(t *testing.T) {
	r := newRig()
	one := r.set(t, gateway())
	two := r.set(t, profile.Change{Name: "bees", Kind: "anthropic"})
	list, keyring, err := r.List(t.Context())
	if err != nil || keyring != "" {
		t.Fatal(err, keyring)
	}
	want := []profile.Status{
		{Profile: model.Profile{ID: two.ID, Name: "bees", Kind: "anthropic"}, Missing: []string{}},
		{Profile: model.Profile{ID: one.ID, Name: "Work", Kind: "gateway", Env: gateway().Env, Secrets: []string{"ANTHROPIC_AUTH_TOKEN"}}, Missing: []string{}},
	}
	if diff := cmp.Diff(want, list, cmpopts.IgnoreFields(model.Profile{}, "UpdatedAt"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if !r.Known(one.ID) || r.Known("other") {
		t.Error("what is known is not what there is")
	}

	// A change keeps the secrets that it doesn't name.
	change := gateway()
	change.ID, change.Name, change.Secrets = one.ID, "Job", map[string]string{"HTTPS_PROXY": "http://me:pw@proxy"}
	changed := r.set(t, change)
	if diff := cmp.Diff([]string{"ANTHROPIC_AUTH_TOKEN", "HTTPS_PROXY"}, changed.Secrets); diff != "" || changed.Name != "Job" || changed.ID != one.ID {
		t.Error(diff, changed.Name)
	}
	change.Secrets = map[string]string{"HTTPS_PROXY": "", "ANTHROPIC_AUTH_TOKEN": "newer"}
	r.set(t, change)
	if diff := cmp.Diff(map[string]string{one.ID + "/ANTHROPIC_AUTH_TOKEN": "newer"}, r.secrets.all); diff != "" {
		t.Error(diff)
	}
	// The last credential can't be removed.
	change.Secrets = map[string]string{"ANTHROPIC_AUTH_TOKEN": ""}
	_, err = r.Set(t.Context(), change)
	refused(t, err, fault.Invalid, "ANTHROPIC_AUTH_TOKEN")

	if err := r.Delete(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if len(r.secrets.all) != 0 || len(r.records.all) != 1 {
		t.Errorf("left: %v, %v", slices.Collect(maps.Keys(r.secrets.all)), r.records.all)
	}
	refused(t, r.Delete(t.Context(), one.ID), fault.NotFound)
	_, err = r.Environ(t.Context(), one.ID)
	refused(t, err, fault.NotFound, "deleted", "Choose another")
	_, err = r.Set(t.Context(), change)
	refused(t, err, fault.NotFound)
}

func TestNames(t *testing.T) {
	r := newRig()
	r.set(t, profile.Change{Name: "Büro 仕事", Kind: "custom"})
	for _, same := range []string{"büro 仕事", "BÜRO-仕事"} {
		_, err := r.Set(t.Context(), profile.Change{Name: same, Kind: "custom"})
		refused(t, err, fault.Conflict, "Büro 仕事")
	}
	r.set(t, profile.Change{Name: "Büro 会社", Kind: "custom"})
}

func TestTooMany(t *testing.T) {
	r := newRig()
	for i := range 200 {
		r.records.all[fmt.Sprint(i)] = model.Profile{ID: fmt.Sprint(i), Name: fmt.Sprint("p", i), Kind: "custom"}
	}
	_, err := r.Set(t.Context(), profile.Change{Name: "one more", Kind: "custom"})
	refused(t, err, fault.TooLarge, "200")
	r.set(t, profile.Change{ID: "7", Name: "another name", Kind: "custom"})
}

// A change is applied completely or not at all.
func TestAllOrNothing(t *testing.T) {
	r := newRig()
	one := r.set(t, gateway())
	before := maps.Clone(r.secrets.all)
	change := gateway()
	change.ID, change.Name = one.ID, "Other"
	change.Secrets = map[string]string{"ANTHROPIC_AUTH_TOKEN": "newer", "HTTPS_PROXY": "new", "ZED": "new"}

	t.Run("the keyring refuses one", func(t *testing.T) {
		r.secrets.failSet = "ZED"
		defer func() { r.secrets.failSet = "" }()
		_, err := r.Set(t.Context(), change)
		refused(t, err, fault.Unavailable, "locked")
	})
	t.Run("the store fails", func(t *testing.T) {
		r.records.fail = errors.New("disk full")
		defer func() { r.records.fail = nil }()
		if _, err := r.Set(t.Context(), change); !errors.Is(err, r.records.fail) {
			t.Error(err)
		}
	})
	if diff := cmp.Diff(before, r.secrets.all); diff != "" {
		t.Error(diff)
	}
	if got := r.records.all[one.ID].Name; got != "Work" {
		t.Errorf("the name is %q", got)
	}
}

// Without a keyring everything that needs none works, and the rest reports it.
func TestNoKeyring(t *testing.T) {
	r := newRig("PARLEY_SECRET_WORK_ANTHROPIC_AUTH_TOKEN=from the start", "PARLEY_SECRET_WORK_PATH=/x")
	r.secrets.fail = locked()
	_, err := r.Set(t.Context(), profile.Change{Name: "Key", Kind: "anthropic", Secrets: map[string]string{"ANTHROPIC_API_KEY": "hush"}})
	refused(t, err, fault.Unavailable, "locked")
	one := r.set(t, profile.Change{Name: "work", Kind: "gateway", Env: gateway().Env})
	if err := r.Unusable(); err != nil {
		t.Errorf("nobody needed it, and it says %v", err)
	}
	env, err := r.Environ(t.Context(), one.ID)
	if err != nil || !slices.Contains(env.Extra, "ANTHROPIC_AUTH_TOKEN=from the start") || slices.Contains(env.Extra, "PATH=/x") {
		t.Error(env.Extra, err)
	}
	list, keyring, err := r.List(t.Context())
	if err != nil || keyring != "The keyring is locked." || len(list) != 1 || len(list[0].Missing) != 0 {
		t.Error(list, keyring, err)
	}
	r.records.all["x"] = model.Profile{ID: "x", Name: "Old one", Kind: "anthropic", Secrets: []string{"ANTHROPIC_API_KEY"}}
	_, err = r.Environ(t.Context(), "x")
	refused(t, err, fault.Unavailable, "locked", "Old one", "PARLEY_SECRET_OLD_ONE_ANTHROPIC_API_KEY")
	refused(t, r.Unusable(), fault.Unavailable, "locked")
	r.secrets.fail = nil
	_, _, _ = r.List(t.Context())
	if err := r.Unusable(); err != nil {
		t.Errorf("it can be used again: %v", err)
	}
	r.secrets.fail = locked()
	refused(t, r.Delete(t.Context(), "x"), fault.Unavailable, "was deleted", "x/ANTHROPIC_API_KEY")
	if r.Known("x") {
		t.Error("the profile is still there")
	}
}

func TestMissing(t *testing.T) {
	r := newRig()
	one := r.set(t, gateway())
	clear(r.secrets.all)
	list, keyring, err := r.List(t.Context())
	if err != nil || keyring != "" || !slices.Equal(list[0].Missing, []string{"ANTHROPIC_AUTH_TOKEN"}) {
		t.Error(list, keyring, err)
	}
	_, err = r.Environ(t.Context(), one.ID)
	refused(t, err, fault.Unavailable, "ANTHROPIC_AUTH_TOKEN", `"Work"`, "Set it again", "PARLEY_SECRET_WORK_ANTHROPIC_AUTH_TOKEN")
}

// Secrets are only in the keyring and in the source of a CLI's environment.
func TestSecretsStayHidden(t *testing.T) {
	const secret = "made-up-token"
	r := newRig()
	one := r.set(t, gateway())
	r.secrets.failSet, r.records.fail = "ZED", nil
	change := gateway()
	change.ID, change.Secrets = one.ID, map[string]string{"ANTHROPIC_AUTH_TOKEN": secret + "2", "ZED": secret}
	_, failed := r.Set(t.Context(), change)
	list, _, err := r.List(t.Context())
	if err != nil || failed == nil {
		t.Fatal(err, failed)
	}
	env, err := r.Environ(t.Context(), one.ID)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"the records": fmt.Sprintf("%+v", r.records.all), "the list": fmt.Sprintf("%+v", list), "the log": r.log.String(),
		"an error": fmt.Sprintf("%+v", failed), "the settings": fmt.Sprint(env.Settings),
		"the environment in words": fmt.Sprintf("%v %+v %#v %s", env, env, env, env.LogValue()),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("a secret in %s", what)
		}
	}
	if !slices.Contains(env.Extra, "ANTHROPIC_AUTH_TOKEN="+secret) {
		t.Error("the CLI does not get it")
	}
}
