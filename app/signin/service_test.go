package signin

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/fault"
)

// at is a CLI.
type at string

func (a at) Path(context.Context) (string, error) { return string(a), nil }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const url = "https://claude.example/oauth?code=true&state=abc"

// said is the CLI's first output.
const said = "echo 'Opening browser to sign in…'\necho \"If the browser didn't open, visit: " + url + "\"\nprintf 'Paste code here if prompted > '\n"

// served is a service whose CLI is a script.
func served(t *testing.T, script string, desktop bool) *Service {
	t.Helper()
	dir := t.TempDir()
	cli := filepath.Join(dir, "claude")
	if err := os.WriteFile(cli, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := New(Config{
		Env: []string{"PATH=" + os.Getenv("PATH"), "OUT=" + dir}, Home: dir, Desktop: desktop, Log: slog.New(slog.DiscardHandler),
		CLI: at(cli),
	})
	t.Cleanup(s.Close)
	return s
}

func TestSigningIn(t *testing.T) {
	const asks = "while read -r code; do case $code in *'#'*) ;; *) echo 'That is not the full code.' >&2; continue;; esac\n"
	for _, tt := range []struct {
		name, script string
		codes        []string
		want         []SignInNews
	}{
		{"a code", said + asks + "exit 0; done", []string{" abc#def\n"}, []SignInNews{{State: "signedIn"}}},
		{"half a code, then all of it", said + asks + "exit 0; done", []string{"abc", "abc#def"}, []SignInNews{{"waiting", "That is not the full code."}, {State: "signedIn"}}},
		{"refused, and the code is not repeated", said + asks + "echo \"Couldn't log in: $code is wrong\" >&2; exit 1; done", []string{"abc#def"}, []SignInNews{{"failed", "Couldn't log in: … is wrong"}}},
		{"in the browser alone", said + "exit 0", nil, []SignInNews{{State: "signedIn"}}},
		{"it ends", said + "exit 3", nil, []SignInNews{{State: "failed"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := served(t, tt.script, false)
			begun, err := s.Begin(t.Context(), SignInParams{})
			if err != nil || begun.URL != url {
				t.Fatalf("begun %+v, %v", begun, err)
			}
			for i, want := range tt.want {
				if i < len(tt.codes) {
					if _, err := s.Code(t.Context(), SignInCode{ID: begun.ID, Code: tt.codes[i]}); err != nil {
						t.Fatal(err)
					}
				}
				got, err := s.Await(t.Context(), SignInRef{ID: begun.ID})
				for err == nil && got.State == "waiting" && got.State != want.State { // reported before it ended
					got, err = s.Await(t.Context(), SignInRef{ID: begun.ID})
				}
				if err != nil || got != want {
					t.Errorf("%+v, %v, want %+v", got, err, want)
				}
			}
		})
	}
}

// The arguments of the login: no browser but the user's own is opened.
func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name             string
		desktop, console bool
		want             string
	}{
		{"window", true, false, "auth login, browser "},
		{"elsewhere", false, false, "auth login, browser true"},
		{"console", true, true, "auth login --console, browser "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := served(t, "echo \"$*, browser $BROWSER\" > $OUT/begun\n"+said+"exec cat", tt.desktop)
			begun, err := s.Begin(t.Context(), SignInParams{Console: tt.console})
			if err != nil || begun.Opened != tt.desktop {
				t.Fatalf("%+v, %v", begun, err)
			}
			if got, err := os.ReadFile(filepath.Join(s.cfg.Home, "begun")); err != nil || strings.TrimSuffix(string(got), "\n") != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestNoAddress(t *testing.T) {
	s := served(t, "echo 'You are not allowed to.' >&2; exit 1", true)
	if _, err := s.Begin(t.Context(), SignInParams{}); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "You are not allowed to.") {
		t.Errorf("%v", err)
	}
}

func TestCancelled(t *testing.T) {
	for name, end := range map[string]func(s *Service, id string){
		"by the person":   func(s *Service, id string) { _, _ = s.Cancel(context.Background(), SignInRef{ID: id}) },
		"by Parley's end": func(s *Service, _ string) { s.Close() },
		"by another one":  func(s *Service, _ string) { _, _ = s.Begin(context.Background(), SignInParams{}) },
		"with a stubborn CLI": func(s *Service, id string) {
			_, _ = s.Cancel(context.Background(), SignInRef{ID: id})
		},
	} {
		t.Run(name, func(t *testing.T) {
			script := said + "exec cat"
			if strings.Contains(name, "stubborn") {
				script = "trap '' TERM\n" + said + "cat"
			}
			s := served(t, script, true)
			begun, err := s.Begin(t.Context(), SignInParams{})
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.find(begun.ID)
			if err != nil {
				t.Fatal(err)
			}
			end(s, begun.ID)
			if got, _, err := l.wait(t.Context(), func() bool { return false }); err != nil || got.State != "cancelled" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestCodesAreChecked(t *testing.T) {
	s := served(t, said+"exec cat", true)
	begun, err := s.Begin(t.Context(), SignInParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"", "  ", "two words", "two\nlines", "bell\a", strings.Repeat("x", maxCode+1)} {
		if _, err := s.Code(t.Context(), SignInCode{ID: begun.ID, Code: code}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", code, err)
		}
	}
	for name, call := range map[string]func(id string) error{
		"code":  func(id string) error { _, err := s.Code(t.Context(), SignInCode{ID: id, Code: "a#b"}); return err },
		"await": func(id string) error { _, err := s.Await(t.Context(), SignInRef{ID: id}); return err },
	} {
		if err := call("another"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
