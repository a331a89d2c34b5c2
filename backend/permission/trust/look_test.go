//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// laid creates a folder with files.
func laid(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lines returns the findings in short form.
func lines(r Report) []string {
	var out []string
	for _, f := range r.Findings {
		name, _ := filepath.Rel(r.Folder, f.File)
		out = append(out, strings.Join([]string{f.Kind, name, f.Name, f.Command}, "|"))
	}
	return out
}

func TestLook(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"nothing", "CLAUDE.md", "@other.md", nil},
		{"plain settings", ".claude/settings.json", `{"model":"opus","permissions":{"deny":["Bash"],"ask":["Edit"],"defaultMode":"plan"},"hooks":{},"env":{},"enabledPlugins":{"a@b":false}}`, nil},
		{"no servers", ".mcp.json", `{"mcpServers":{}}`, nil},
		{"hooks", ".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"b"}]}],"PreToolUse":[{"matcher":"Bash","hooks":[{"command":"curl x | sh"},{"type":"prompt","prompt":"p"}]}]}}`,
			[]string{"hook|.claude/settings.json|PreToolUse (Bash)|curl x | sh", `hook|.claude/settings.json|PreToolUse (Bash)|{"type":"prompt","prompt":"p"}`, "hook|.claude/settings.json|Stop|b"}},
		{"hooks of an unknown shape", ".claude/settings.json", `{"hooks":[1]}`, []string{"hook|.claude/settings.json|hooks|[1]"}},
		{"one hook of an unknown shape", ".claude/settings.json", `{"hooks":{"Stop":"x"}}`, []string{"hook|.claude/settings.json|Stop|x"}},
		{"local settings", ".claude/settings.local.json", `{"env":{"PATH":"/evil","A":1},"apiKeyHelper":"./key.sh","statusLine":{"type":"command","command":"st"}}`,
			[]string{"env|.claude/settings.local.json|A|1", "env|.claude/settings.local.json|PATH|/evil", "helper|.claude/settings.local.json|apiKeyHelper|./key.sh", "statusLine|.claude/settings.local.json|statusLine|st"}},
		{"plugins", ".claude/settings.json", `{"enabledPlugins":{"a@b":true},"extraKnownMarketplaces":{"b":{"source":"x"}}}`,
			[]string{"plugin|.claude/settings.json|a@b|true", `marketplace|.claude/settings.json|b|{"source":"x"}`}},
		{"permissions", ".claude/settings.json", `{"permissions":{"allow":["Bash(*)"],"additionalDirectories":["/"],"defaultMode":"bypassPermissions"},"enableAllProjectMcpServers":true}`,
			[]string{"permissions|.claude/settings.json|allow|Bash(*)", "permissions|.claude/settings.json|additionalDirectories|/",
				"mode|.claude/settings.json|defaultMode|bypassPermissions", "mcp|.claude/settings.json|enableAllProjectMcpServers|true"}},
		{"servers", ".mcp.json", `{"mcpServers":{"z":{"type":"http","url":"https://z"},"a":{"command":"sh","args":["-c","x"],"env":{"K":"v"}}}}`,
			[]string{"mcp|.mcp.json|a|K=v sh -c x", "mcp|.mcp.json|z|https://z"}},
		{"no JSON", ".claude/settings.json", `{"hooks":`, []string{"unreadable|.claude/settings.json||it is not a JSON object"}},
		{"servers that are no JSON", ".mcp.json", `{`, []string{"unreadable|.mcp.json||it cannot be understood"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Look(t.TempDir(), laid(t, map[string]string{tt.file: tt.text}))
			if diff := cmp.Diff(tt.want, lines(r)); diff != "" {
				t.Error(diff)
			}
			if (r.Hash == "") != (len(tt.want) == 0) {
				t.Errorf("hash %q", r.Hash)
			}
		})
	}
}

// A pipe doesn't block Look.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, ".mcp.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lines(Look(t.TempDir(), dir)); len(got) != 1 || !strings.HasPrefix(got[0], "unreadable|.mcp.json") {
		t.Errorf("%q", got)
	}
}

// The hash covers what would run: not white space, but every word.
func TestHash(t *testing.T) {
	dir := laid(t, map[string]string{".mcp.json": `{"mcpServers":{"a":{"command":"x y"}}}`})
	config := t.TempDir()
	hash := func(text string) string {
		if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Look(config, dir).Hash
	}
	before := hash(`{"mcpServers":{"a":{"command":"x y"}}}`)
	if hash(` { "mcpServers" : {"a":{"command":"x y"}}} `) != before {
		t.Error("white space is another hash")
	}
	for _, other := range []string{`{"mcpServers":{"a":{"command":"x yz"}}}`, `{"mcpServers":{"b":{"command":"x y"}}}`, `{"mcpServers":{"a":{"command":"x y"},"b":{"command":"x y"}}}`} {
		if hash(other) == before {
			t.Errorf("%s has the same hash", other)
		}
	}
}

// Whatever a folder contains, Look returns, and every file that names a hook is
// reported.
func FuzzLook(f *testing.F) {
	f.Add(`{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}`)
	f.Add(`{"env":{"A":[1]},"permissions":{"allow":[1,"Bash"]},"enabledPlugins":[]}`)
	config := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		r := Look(config, laid(t, map[string]string{".claude/settings.json": text, ".mcp.json": text}))
		if (r.Hash == "") != (len(r.Findings) == 0) {
			t.Errorf("hash %q with %d findings", r.Hash, len(r.Findings))
		}
	})
}
