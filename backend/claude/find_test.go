//go:build unix

package claude_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude"
	"parley/backend/fault"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	home, data := filepath.Join(root, "home"), filepath.Join(root, "data")
	none := []string{filepath.Join(root, "none")}
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	// Every place has a CLI; each case removes the more likely ones.
	own := script(t, at("data", "cli", "node_modules", ".bin"), "claude", "")
	system := script(t, at("system"), "claude", "")
	bun := script(t, at("home", ".bun", "bin"), "claude", "")
	fnm := script(t, at("home", ".local", "share", "fnm", "node-versions", "v22.1.0", "installation", "bin"), "claude", "")
	volta := script(t, at("home", ".volta", "bin"), "claude", "")
	script(t, at("home", ".nvm", "versions", "node", "v9.11.2", "bin"), "claude", "")
	nvm := script(t, at("home", ".nvm", "versions", "node", "v10.2.0", "bin"), "claude", "")
	script(t, at("home", ".nvm", "versions", "node", "v10.2.0-rc", "bin"), "other", "")
	npmrc := script(t, at("home", "npm packages", "bin"), "claude", "")
	if err := os.WriteFile(at("home", ".npmrc"), []byte("registry=x\nprefix = ${HOME}/npm packages\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	prefix := script(t, at("prefix", "bin"), "claude", "")
	global := script(t, at("home", ".npm-global", "bin"), "claude", "")
	local := script(t, at("home", ".claude", "local"), "claude", "")
	native := script(t, at("home", ".local", "bin"), "claude", "")
	onPath := script(t, at("path"), "claude", "")
	env := []string{"PATH=relative:" + at("empty") + ":" + at("path"), "NPM_CONFIG_PREFIX=" + at("prefix")}

	for _, want := range []claude.Found{
		{Path: onPath, Source: claude.SourcePath},
		{Path: native, Source: claude.SourceWellKnown},
		{Path: local, Source: claude.SourceWellKnown},
		{Path: global, Source: claude.SourceWellKnown},
		{Path: prefix, Source: claude.SourceWellKnown},
		{Path: npmrc, Source: claude.SourceWellKnown},
		{Path: nvm, Source: claude.SourceWellKnown},
		{Path: at("home", ".nvm", "versions", "node", "v9.11.2", "bin", "claude"), Source: claude.SourceWellKnown},
		{Path: volta, Source: claude.SourceWellKnown},
		{Path: fnm, Source: claude.SourceWellKnown},
		{Path: bun, Source: claude.SourceWellKnown},
		{Path: system, Source: claude.SourceWellKnown},
		{Path: own, Source: claude.SourceParley},
	} {
		got, err := claude.Find(claude.FindConfig{Env: env, Home: home, DataDir: data, SystemDirs: []string{at("system")}})
		if err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if err := os.Remove(want.Path); err != nil {
			t.Fatal(err)
		}
	}

	_, err := claude.Find(claude.FindConfig{Env: env, Home: home, DataDir: data, SystemDirs: none})
	if fault.CodeOf(err) != fault.CLIMissing || !strings.Contains(fault.MessageOf(err), claude.InstallCommand) {
		t.Errorf("nothing there: %v", err)
	}
	// A file that can't be run is skipped, and named if there is no other.
	if err := os.WriteFile(onPath, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = claude.Find(claude.FindConfig{Env: env, Home: home, DataDir: data, SystemDirs: none})
	if fault.CodeOf(err) != fault.CLIUnusable || !strings.Contains(fault.MessageOf(err), onPath) {
		t.Errorf("not executable: %v", err)
	}
	script(t, at("home", ".local", "bin"), "claude", "")
	if got, err := claude.Find(claude.FindConfig{Env: env, Home: home, DataDir: data, SystemDirs: none}); err != nil || got.Path != native {
		t.Errorf("got %+v, %v; want the one that can be run", got, err)
	}
}

// A path that the user named is used or rejected, never skipped.
func TestFindNamed(t *testing.T) {
	dir := t.TempDir()
	good := script(t, dir, "good", "")
	other := script(t, dir, "other", "")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + filepath.Dir(script(t, filepath.Join(dir, "path"), "claude", ""))
	tests := []struct {
		name, setting, bin string
		want               claude.Found
		code               fault.Code
	}{
		{"setting wins", good, other, claude.Found{Path: good, Source: claude.SourceSetting}, ""},
		{"environment", "", other, claude.Found{Path: other, Source: claude.SourceEnvironment}, ""},
		{"setting is gone", filepath.Join(dir, "gone"), other, claude.Found{Path: filepath.Join(dir, "gone"), Source: claude.SourceSetting}, fault.CLIMissing},
		{"setting is a folder", dir, "", claude.Found{Path: dir, Source: claude.SourceSetting}, fault.CLIUnusable},
		{"not executable", "", plain, claude.Found{Path: plain, Source: claude.SourceEnvironment}, fault.CLIUnusable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := claude.Find(claude.FindConfig{Setting: tt.setting, Env: []string{path, "PARLEY_CLAUDE_BIN=" + tt.bin}})
			if got != tt.want || fault.CodeOf(err) != tt.code {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte("\x7fnot a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path, want, says string
	}{
		{"usual", script(t, dir, "usual", `echo "2.1.329 (Claude Code)"`), "2.1.329", ""},
		{"newer", script(t, dir, "newer", "echo 10.0.0-beta.1"), "10.0.0", ""},
		{"too old", script(t, dir, "old", "echo 2.1.197"), "2.1.197", "needs " + claude.MinVersion},
		{"another program", script(t, dir, "other", "echo GNU bash"), "", "is not the Claude Code CLI"},
		{"fails", script(t, dir, "fails", "echo a; echo node: not found >&2; exit 127"), "", "node: not found"},
		{"garbage", garbage, "", "exec format error"},
		{"missing", filepath.Join(dir, "none"), "", "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := claude.Version(t.Context(), tt.path, os.Environ())
			if got != tt.want || (err == nil) != (tt.says == "") {
				t.Fatalf("got %q, %v", got, err)
			}
			code := fault.CLIUnusable
			if got != "" {
				code = fault.CLITooOld
			}
			if err != nil && (fault.CodeOf(err) != code || !strings.Contains(fault.MessageOf(err), tt.says)) {
				t.Errorf("fault %q, want it to say %q", fault.MessageOf(err), tt.says)
			}
		})
	}
	t.Run("hangs", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := claude.Version(ctx, script(t, dir, "hangs", "exec sleep 60"), os.Environ()); fault.CodeOf(err) != fault.CLIUnusable {
			t.Errorf("got %v", err)
		}
	})
}

func TestEnviron(t *testing.T) {
	home := t.TempDir()
	local := filepath.Dir(script(t, filepath.Join(home, ".local", "bin"), "x", ""))
	cli := filepath.Dir(script(t, filepath.Join(home, "cli"), "claude", ""))
	got := claude.Environ(claude.EnvironConfig{
		Base: []string{
			"PATH=/no/such/dir:/usr/bin", "HOME=" + home, "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "TMUX=x", "TMUX_PANE=%1",
			"PARLEY_TOKEN=secret", "PARLEY_CLAUDE_BIN=x", "ANTHROPIC_BASE_URL=http://x", "CLAUDE_CONFIG_DIR=/c", "TERM=xterm", "broken",
		},
		Home: home, PathDirs: []string{cli, "relative", "/usr/bin"},
		Extra: []string{"TERM=dumb", "PARLEY_SESSION=s"},
	})
	i := slices.IndexFunc(got, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	path := strings.Split(strings.TrimPrefix(got[i], "PATH="), ":")
	want := []string{
		"HOME=" + home, "ANTHROPIC_BASE_URL=http://x", "CLAUDE_CONFIG_DIR=/c", "TERM=dumb", "PARLEY_SESSION=s",
	}
	if diff := cmp.Diff(want, slices.Delete(slices.Clone(got), i, i+1)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/no/such/dir", "/usr/bin", cli, local}, path[:4]); diff != "" {
		t.Errorf("start of PATH (-want +got):\n%s", diff)
	}
	seen := make(map[string]bool)
	for _, dir := range path {
		if seen[dir] {
			t.Errorf("%s is in PATH twice", dir)
		}
		seen[dir] = true
	}
}

func TestAccount(t *testing.T) {
	tests := []struct {
		name   string
		env    []string
		files  map[string]string
		config bool // CLAUDE_CONFIG_DIR points at the folder of the files
		want   string
	}{
		{name: "nothing"},
		{name: "key", env: []string{"ANTHROPIC_API_KEY=secret-1"}, want: "ANTHROPIC_API_KEY"},
		{name: "empty key", env: []string{"ANTHROPIC_API_KEY="}},
		{name: "switch off", env: []string{"CLAUDE_CODE_USE_BEDROCK=0"}},
		{name: "provider first", env: []string{"ANTHROPIC_API_KEY=secret-1", "CLAUDE_CODE_USE_VERTEX=1"}, want: "CLAUDE_CODE_USE_VERTEX"},
		{name: "token", env: []string{"CLAUDE_CODE_OAUTH_TOKEN=secret-1"}, want: "CLAUDE_CODE_OAUTH_TOKEN"},
		{name: "login", files: map[string]string{".claude/.credentials.json": `{"claudeAiOauth":{"accessToken":"secret-1"}}`}, want: "login"},
		{name: "login on macOS", files: map[string]string{".claude.json": `{"oauthAccount":{"emailAddress":"secret-1"}}`}, want: "login"},
		{name: "console key", files: map[string]string{".claude.json": `{"oauthAccount":null,"primaryApiKey":"secret-1"}`}, want: "API key"},
		{name: "helper", files: map[string]string{".claude/settings.json": `{"apiKeyHelper":"secret-1"}`}, want: "apiKeyHelper"},
		{name: "key in settings", files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_AUTH_TOKEN":"secret-1"}}`}, want: "ANTHROPIC_AUTH_TOKEN"},
		{name: "other folder", config: true, files: map[string]string{".claude.json": `{"oauthAccount":{"x":1}}`}, want: "login"},
		{name: "broken files", files: map[string]string{".claude.json": `{"oauth`, ".claude/settings.json": `[]`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			dir := home
			if tt.config {
				dir = t.TempDir()
				tt.env = append(tt.env, "CLAUDE_CONFIG_DIR="+dir)
			}
			for name, content := range tt.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := claude.Account(tt.env, home)
			if got.Found != (tt.want != "") || got.Source != tt.want || (got.Hint == "") != got.Found {
				t.Errorf("got %+v, want source %q", got, tt.want)
			}
		})
	}
}
