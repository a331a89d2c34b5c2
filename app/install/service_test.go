package install

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app/feature"
	"parley/backend/fault"
	"parley/backend/problem"
	"parley/backend/settings"
)

// A CLI that did not report its version in time is asked again; a file that is no CLI is not.
func TestSlowCLIIsAskedAgain(t *testing.T) {
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	asked := 0
	answers := []error{
		fault.Wrap(context.DeadlineExceeded, fault.CLIUnusable, "It did not tell its version."), nil,
	}
	c := New(Config{Settings: func() settings.Values { return settings.Values{CLIPath: program} }})
	c.ask = func(context.Context, string, []string) (string, error) {
		asked++
		return "2.1.329", answers[asked-1]
	}
	if _, err := c.Path(t.Context()); fault.CodeOf(err) != fault.CLIUnusable {
		t.Errorf("too slow: %v", err)
	}
	for range 2 {
		if _, version, err := c.Find(t.Context()); version != "2.1.329" || err != nil {
			t.Errorf("asked again: %q, %v", version, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	c.checked, answers = fileIdentity{}, append(answers, fault.New(fault.CLIUnusable, "It is none."))
	for range 2 {
		if _, err := c.Path(t.Context()); fault.CodeOf(err) != fault.CLIUnusable {
			t.Errorf("none: %v", err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times, or an unusable CLI was accepted", asked)
	}
}

func TestNpmReason(t *testing.T) {
	log := "npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log\n"
	for _, tt := range []struct{ name, output, want string }{
		{"no network", "npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error errno SELF_SIGNED_CERT_IN_CHAIN\n" +
			"npm error request to https://example.org/cli failed, reason: self-signed certificate in certificate chain\n" + log,
			"request to https://example.org/cli failed, reason: self-signed certificate in certificate chain"},
		{"no package", "npm warn deprecated\nnpm error code E404\nnpm error 404 Not Found - GET https://example.org/cli\nnpm error 404\n" + log, "404 Not Found - GET https://example.org/cli"},
		{"no rights", "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /opt\nnpm error errno -13\nnpm error Error: EACCES: permission denied, mkdir '/opt'\n" + log,
			"Error: EACCES: permission denied, mkdir '/opt'"},
		{"an older npm", "npm ERR! code ENOSPC\nnpm ERR! nospc ENOSPC: no space left on device, write\n", "nospc ENOSPC: no space left on device, write"},
		{"no error of npm's", "sh: 1: node: not found\n\n", "sh: 1: node: not found"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := npmReason(tt.output); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestInstallAsksForTheNewest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\necho \"npm error $*\"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := New(Config{Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}, Home: dir, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	_, err := c.Install(t.Context(), feature.Empty{})
	if want := "@anthropic-ai/claude-code@latest"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("npm was asked for %v, want %s", err, want)
	}
}

// An unusable CLI is reported once a session needed it, and until it is replaced.
func TestUnusableCLI(t *testing.T) {
	dir := t.TempDir()
	c := New(Config{Env: []string{"PATH=" + dir}, Home: dir, DataDir: dir, Settings: func() settings.Values { return settings.Values{} }, Log: slog.New(slog.DiscardHandler)})
	wrong := func(want bool, words string) {
		t.Helper()
		if p, is := c.unusable(); is != want || is && (p.ID != problem.CLIUnusable || !strings.Contains(p.Facts["cause"], words)) {
			t.Errorf("%v, %+v", is, p)
		}
	}
	put := func(script string) {
		t.Helper()
		path := filepath.Join(dir, "claude")
		done(t, os.WriteFile(path+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		done(t, os.Rename(path+".new", path))
	}
	wrong(false, "") // not needed yet
	_, err := c.Path(t.Context())
	if err == nil {
		t.Fatal("there is one")
	}
	wrong(true, "not found")
	put("echo '0.2.1 (Claude Code)'")
	wrong(false, "")
	_, _ = c.Path(t.Context())
	wrong(true, "0.2.1")
	put("echo '2.1.329 (Claude Code)'")
	wrong(false, "")
	if _, err := c.Path(t.Context()); err != nil {
		t.Fatal(err)
	}
	wrong(false, "")
	done(t, os.Remove(filepath.Join(dir, "claude")))
	wrong(false, "") // reported once a session needs it
	_, _ = c.Path(t.Context())
	wrong(true, "not found")
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
