package config

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/backend/chat/relay/port"
	"parley/backend/fault"
	"parley/backend/outside/outsidetest"
	"parley/backend/paths"
	"parley/backend/session/profile"
)

const server = "https://chat.example.org"

func decided() port.ChatConfig {
	return port.ChatConfig{
		Enabled: true, URL: server, Channels: []port.ChatMapping{{ChannelID: strings.Repeat("c", 26), Name: "dev", Folder: "/tmp"}},
		Access: []port.ChatGrant{{Role: port.RoleAdmin, UserID: strings.Repeat("u", 26), Name: "Alice"}},
	}
}

func TestChatFile(t *testing.T) {
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	keep := &outsidetest.Keeper{}
	f := open(dir, keep, log)
	none, revision, problem := f.Get()
	if none.Enabled || problem != nil {
		t.Fatalf("without a file: %+v, %v", none, problem)
	}
	if err := f.Set(decided(), "another"); fault.CodeOf(err) != fault.Conflict {
		t.Fatalf("another revision: %v", err)
	}
	if err := f.Set(decided(), revision); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, paths.ChatFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v", info, err)
	}
	held, revision, _ := f.Get()
	again, same, problem := open(dir, keep, log).Get()
	if diff := cmp.Diff(held, again); diff != "" || same != revision || problem != nil {
		t.Errorf("read again: %s, %v, %v", diff, same == revision, problem)
	}

	for _, tt := range []struct{ name, text string }{
		{"cut off", `{"enabled": true, "url"`},
		{"unknown", `{"enabled": true, "url": "https://evil.example", "everything": "allowed"}`},
		{"impossible", `{"enabled": true, "url": "", "channels": [], "access": []}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(f.path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if !f.Look() || f.Look() {
				t.Error("the change is not seen once")
			}
			holds, broken, problem := f.Get()
			if diff := cmp.Diff(held, holds); diff != "" {
				t.Errorf("what held does not hold any more: %s", diff)
			}
			restarted, _, still := open(dir, keep, log).Get()
			if diff := cmp.Diff(held, restarted); diff != "" || still == nil {
				t.Errorf("what held does not hold after a restart: %s, %v", diff, still)
			}
			if problem == nil || fault.CodeOf(problem) == fault.Internal || !strings.Contains(fault.MessageOf(problem), f.path) {
				t.Errorf("problem: %v", problem)
			}
			if err := f.Set(decided(), broken); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(f.path + ".broken-" + broken)
			if err != nil || string(kept) != tt.text {
				t.Errorf("the broken file is lost: %q, %v", kept, err)
			}
			if _, _, problem := f.Get(); problem != nil {
				t.Errorf("after it was decided anew: %v", problem)
			}
		})
	}

	// An invalid configuration is not saved.
	_, revision, _ = f.Get()
	wrong := decided()
	wrong.Access[0].Role = "owner"
	if err := f.Set(wrong, revision); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("an unknown role: %v", err)
	}
	if now := f.Holds(); now.Access[0].Role != port.RoleAdmin {
		t.Error("what is wrong holds")
	}
	// If writing fails, nothing changes, and the error is reported.
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	other := decided()
	other.Enabled = false
	err = f.Set(other, revision)
	if e := os.Chmod(dir, 0o700); e != nil {
		t.Fatal(e)
	}
	if os.Getuid() != 0 && (fault.CodeOf(err) != fault.Unavailable || !f.Holds().Enabled) {
		t.Errorf("a folder that cannot be written: %v", err)
	}
	// Without a previously accepted version, an unusable file has no effect.
	fresh := t.TempDir()
	if err := os.WriteFile(filepath.Join(fresh, paths.ChatFile), []byte(`{"enabled": true, "url": "https://evil.example", "more": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, _, problem := open(fresh, &outsidetest.Keeper{}, log).Get(); problem == nil || c.Enabled || c.URL != "" {
		t.Errorf("what nobody accepted: %+v, %v", c, problem)
	}
	// An unreadable file is reported until it is readable again.
	whole, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoil := range []func() error{
		func() error { return os.Mkdir(f.path, 0o700) },
		func() error { return os.Symlink(paths.ChatFile, f.path) },
	} {
		f.Look()
		before := f.Holds()
		if err := errors.Join(os.Remove(f.path), spoil()); err != nil {
			t.Fatal(err)
		}
		if _, _, problem := f.Get(); problem != nil || !f.Look() || f.Look() {
			t.Errorf("the change is not seen once; before it: %v", problem)
		}
		if holds, _, problem := f.Get(); problem == nil || !cmp.Equal(before, holds) {
			t.Errorf("%+v, %v", holds, problem)
		}
		if err := errors.Join(os.Remove(f.path), os.WriteFile(f.path, whole, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, _, problem := f.Get(); problem == nil || !f.Look() {
			t.Errorf("that it is back is not seen; before it: %v", problem)
		}
		if holds, _, problem := f.Get(); problem != nil || !cmp.Equal(before, holds) {
			t.Errorf("%+v, %v", holds, problem)
		}
	}
	// Deleting the file removes the configuration, even if it could not be read before.
	if err := errors.Join(os.Remove(f.path), os.Symlink(paths.ChatFile, f.path)); err != nil || !f.Look() {
		t.Fatal(err)
	}
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	if !f.Look() || f.Holds().Enabled {
		t.Error("it holds without its file")
	}
}

// shut is an unavailable keyring.
type shut struct{ profile.Secrets }

func (shut) Get(context.Context, string, string) (string, error) {
	return "", fault.New(fault.Unavailable, "It is locked.")
}

// ring is a keyring in memory.
type ring map[string]string

func (r ring) Get(_ context.Context, id, name string) (string, error) {
	if value, ok := r[id+"/"+name]; ok {
		return value, nil
	}
	return "", profile.ErrNoSecret
}

func (r ring) Set(_ context.Context, id, name, value string) error {
	r[id+"/"+name] = value
	return nil
}

func (r ring) Delete(_ context.Context, id, name string) error {
	delete(r, id+"/"+name)
	return nil
}

func (ring) Check(context.Context) error { return nil }

func TestChatTokens(t *testing.T) {
	ctx := t.Context()
	ring := ring{}
	tokens := &Tokens{keyring: ring}
	if token, from, err := tokens.Of(ctx, server); token != "" || from != "" || err != nil {
		t.Fatalf("nothing is kept: %q, %q, %v", token, from, err)
	}
	if err := tokens.Keep(ctx, "HTTPS://Chat.Example.org/", "kept-token"); err != nil {
		t.Fatal(err)
	}
	for _, k := range []*Tokens{tokens, {keyring: ring}} { // cached, and as stored in the keyring
		if token, from, err := k.Of(ctx, server); token != "kept-token" || from != tokenKeyring || err != nil {
			t.Errorf("%q, %q, %v", token, from, err)
		}
		for _, url := range []string{"https://evil.example", "http://chat.example.org", "https://chat.example.org:8443", "https://chat.example.org/sub", "https://chat.example.org.evil.example"} {
			if token, _, err := k.Of(ctx, url); token != "" || fault.CodeOf(err) != fault.Unauthorized || strings.Contains(err.Error(), "kept-token") {
				t.Errorf("%s got %q, %v", url, token, err)
			}
		}
	}
	// The environment's token takes precedence, but only for its own address.
	both := &Tokens{keyring: ring, secret: given{url: server, token: "given"}}
	if token, from, err := both.Of(ctx, server+"/"); token != "given" || from != tokenEnvironment || err != nil {
		t.Errorf("%q, %q, %v", token, from, err)
	}
	if token, _, err := both.Of(ctx, "https://evil.example"); token != "" || err == nil {
		t.Errorf("elsewhere: %q, %v", token, err)
	}
	if err := tokens.Keep(ctx, server, ""); err != nil {
		t.Fatal(err)
	}
	if token, _, err := tokens.Of(ctx, server); token != "" || err != nil {
		t.Errorf("after it was forgotten: %q, %v", token, err)
	}
	locked := &Tokens{keyring: shut{}, secret: given{url: server, token: "given"}}
	if token, _, err := locked.Of(ctx, server); token != "given" || err != nil {
		t.Errorf("without a keyring: %q, %v", token, err)
	}
	if _, _, err := locked.Of(ctx, "https://other.example"); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a locked keyring: %v", err)
	}
}

// The environment's token is for the address it names, or else for the one configured at the start.
func TestTokenOfTheEnvironment(t *testing.T) {
	_, secrets := feature.TakeSecrets([]string{"PARLEY_MATTERMOST_TOKEN= s3cret ", "PARLEY_MATTERMOST_URL=https://Chat.example.org/"})
	if tokens := newTokens(secrets, nil, ring{}); tokens.secret != (given{server, "s3cret"}) {
		t.Errorf("taken is %+v", tokens.secret)
	}
	for _, bad := range []string{"two words", "with\nline", "ümlaut", strings.Repeat("x", maxToken+1)} {
		if err := CheckToken(bad); fault.CodeOf(err) != fault.Invalid || strings.Contains(err.Error(), bad) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}
