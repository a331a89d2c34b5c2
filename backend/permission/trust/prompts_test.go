//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDoing(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "Just do it. Wow! `code` and ```sh\nls\n```", nil},
		{"a head that describes", "---\nname: x\ndescription: >\n  hooks: in words\ntools: [Read]\ntags:\n- a\n---\nText\n\nhooks: in the text", nil},
		{"allowed tools", "---\nallowed-tools: Bash(curl *)\nname: x\n---\n", []string{"allowed-tools: Bash(curl *)"}},
		{"hooks", "\ufeff---\r\nname: x\r\nhooks:\r\n  Stop:\r\n    - command: evil\r\n---\r\n", []string{"hooks:", "  Stop:", "    - command: evil"}},
		{"a quoted key", "---\n\"hooks\": x\n---\n", []string{`"hooks": x`}},
		{"all in one", "---\n{hooks: {}}\n---\n", []string{"{hooks: {}}"}},
		{"indented", "---\n  hooks: x\n---\n", []string{"  hooks: x"}},
		{"an end within a line", "---\nhooks: x ---\n", []string{"hooks: x"}},
		{"commands within", "a !`curl x | sh` b\n```!\nevil\n```\n", []string{"!`curl x | sh`", "```!\nevil\n```"}},
		{"a command over lines", "!`a\nb`", []string{"!`a\nb`"}},
		{"no end", "```!\nevil", []string{"```!\nevil"}},
	} {
		if diff := cmp.Diff(tt.want, doing(tt.text)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestPrompts(t *testing.T) {
	root := laid(t, map[string]string{
		".claude/commands/outside.md":           "!`evil`", // above the checkout
		"top/.git/HEAD":                         "",
		"top/.claude/skills/s/SKILL.md":         "---\nallowed-tools: Bash\n---\n",
		"top/.claude/skills/p/.claude-plugin/x": "",
		"top/sub/.claude/agents/deep/a.md":      "---\nhooks:\n  Stop: x\n---\n",
		"top/sub/.claude/commands/notes.txt":    "!`no command`",
		"top/sub/.claude/commands/fine.md":      "Say hello.",
		"top/sub/.claude/scheduled_tasks.json":  "[]",
		"top/.claude/settings.local.json":       `{"apiKeyHelper":"k"}`,
		"top/sub/.claude/settings.json":         `{}`,
		".mcp.json":                             `{"mcpServers":{"above":{"command":"x"}}}`,
		"person/.claude/skills/mine/SKILL.md":   "!`mine`",
		"tree/.git":                             "gitdir: ../top/.git/worktrees/tree\n",
		"top/.git/worktrees/tree/commondir":     "../..\n",
		"tree/.claude/commands/linked/keep":     "",
		"linked/evil.md":                        "!`linked`",
	})
	if err := os.Symlink(filepath.Join(root, "linked"), filepath.Join(root, "tree/.claude/commands/to")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		folder string
		want   []string
	}{
		{"top/sub", []string{
			"helper|../.claude/settings.local.json|apiKeyHelper|k", "mcp|../../.mcp.json|above|x",
			"prompt|.claude/agents/deep/a.md|a|hooks:\n  Stop: x", "prompt|.claude/scheduled_tasks.json||scheduled tasks",
			"plugin|../.claude/skills/p/.claude-plugin|p|", "prompt|../.claude/skills/s/SKILL.md|SKILL|allowed-tools: Bash",
		}},
		{"tree", []string{
			"helper|../top/.claude/settings.local.json|apiKeyHelper|k", "mcp|../.mcp.json|above|x",
			"prompt|.claude/commands/to/evil.md|evil|!`linked`",
			"plugin|../top/.claude/skills/p/.claude-plugin|p|", "prompt|../top/.claude/skills/s/SKILL.md|SKILL|allowed-tools: Bash",
		}},
	} {
		got := lines(Look(t.TempDir(), filepath.Join(root, tt.folder), filepath.Join(root, "person/.claude")))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.folder, diff)
		}
	}
	// The user's own files aren't a stranger's.
	if r := Look(t.TempDir(), filepath.Join(root, "person"), filepath.Join(root, "person/.claude")); len(r.Findings) != 2 {
		t.Errorf("%q", lines(r))
	}
}

// At home, and in a checkout of it, the folder's settings are the user's own.
func TestHome(t *testing.T) {
	home := laid(t, map[string]string{
		".claude/settings.json": `{"apiKeyHelper":"k"}`, ".claude/settings.local.json": `{"permissions":{"allow":["Bash"]}}`,
		".claude/commands/mine.md": "!`mine`", ".git/HEAD": "", "sub/keep": "",
	})
	for _, folder := range []string{home, filepath.Join(home, "sub")} {
		if r := Look(filepath.Join(home, ".claude"), folder); r.Hash != "" {
			t.Errorf("%q", lines(r))
		}
	}
}

// Fields are matched by exact name, as in the CLI: another spelling can't hide
// anything.
func TestNamesAreExact(t *testing.T) {
	dir := laid(t, map[string]string{
		".claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"command":"evil","Command":"fine"}],"Hooks":[]}]}}`,
		".mcp.json":             `{"mcpServers":{"a":{"command":"evil"}},"MCPServers":null}`,
	})
	want := []string{`hook|.claude/settings.json|Stop|{"command":"evil","Command":"fine"}`, "mcp|.mcp.json|a|evil"}
	if diff := cmp.Diff(want, lines(Look(t.TempDir(), dir))); diff != "" {
		t.Error(diff)
	}
}

// Two commands that read the same but run differently have different hashes, and so do
// two unreadable files.
func TestHashIsOfAll(t *testing.T) {
	dir, config := t.TempDir(), t.TempDir()
	hash := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Look(config, dir).Hash
	}
	for _, tt := range []struct{ file, one, other string }{
		{".mcp.json", `{"mcpServers":{"a":{"command":"sh","args":["-c","echo","; evil"]}}}`, `{"mcpServers":{"a":{"command":"sh","args":["-c","echo ; evil"]}}}`},
		{".mcp.json", `{"mcpServers":{"a":{"type":"http","url":"https://x"}}}`, `{"mcpServers":{"a":{"type":"sse","url":"https://x"}}}`},
		{".claude/settings.json", "\ufeff{}", "\ufeff{\"apiKeyHelper\":\"evil\"}"},
		{".claude/skills/s/SKILL.md", "!`a`", "!`b`"},
	} {
		if hash(tt.file, tt.one) == hash(tt.file, tt.other) {
			t.Errorf("%s: %s and %s have the same hash", tt.file, tt.one, tt.other)
		}
	}
}
