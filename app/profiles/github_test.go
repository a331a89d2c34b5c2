package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/fault"
)

func TestGitHubToken(t *testing.T) {
	for name, c := range map[string]struct{ script, want, says string }{
		"signed in":     {`[ "$*" = "auth token --hostname github.com" ] && echo gho_made0up`, "gho_made0up", ""},
		"not signed in": {`echo "gho_leaked: no oauth token" >&2; exit 1`, "", "not signed in"},
		"nothing":       {`true`, "", "not a token"},
		"two lines":     {`printf 'gho_leaked\nsecond\n'`, "", "not a token"},
		"endless":       {`head -c 5000 /dev/zero | tr '\0' x`, "", "not a token"},
		"none":          {"", "", "was not found"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.script != "" {
				if err := os.WriteFile(filepath.Join(dir, "gh"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil { //nolint:gosec // a program
					t.Fatal(err)
				}
			}
			path := dir
			if c.script != "" {
				path += ":/usr/bin:/bin"
			}
			token, err := ghToken(t.Context(), []string{"PATH=" + path})
			if token != c.want || (err == nil) != (c.says == "") {
				t.Fatalf("%q, %v", token, err)
			}
			if err != nil && (!strings.Contains(fault.MessageOf(err), c.says) || strings.Contains(err.Error(), "leaked")) {
				t.Errorf("it says %v", err)
			}
		})
	}
}
