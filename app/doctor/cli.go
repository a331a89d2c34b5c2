package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"parley/backend/claude"
	"parley/backend/claude/clisettings"
	"parley/backend/permission/guard"
	rules "parley/backend/permission/rule"
)

// setting is a string in settings.json, "" if it is missing or unreadable.
func (m *Machine) setting(name string) string {
	text, err := m.Read(m.data("settings.json"))
	var all map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &all) != nil {
		return ""
	}
	var value string
	_ = json.Unmarshal(all[name], &value)
	return value
}

func (m *Machine) cli() (claude.Found, error) {
	return claude.Find(claude.FindConfig{Setting: m.setting("cliPath"), Env: m.Env, Home: m.Dirs.Home, DataDir: m.Dirs.Data})
}

// cliChecks are the checks of the Claude Code CLI.
func cliChecks() []check {
	return []check{
		{"cli.found", "Parley runs the Claude Code CLI. Without it, no session starts.", func(_ context.Context, m *Machine) finding {
			at, err := m.cli()
			if err != nil {
				return found(Wrong, "Install it with: npm install -g @anthropic-ai/claude-code@latest", "%s", sentence(err))
			}
			return fine("%s (%s)", at.Path, at.Source)
		}, nil},
		{"cli.version", "Older versions of the CLI lack features that Parley needs.", func(ctx context.Context, m *Machine) finding {
			at, err := m.cli()
			if err != nil {
				return left("there is no CLI to ask")
			}
			version, err := m.Version(ctx, at.Path)
			if err != nil {
				return found(Wrong, "Update it with: claude update", "%s", sentence(err))
			}
			return fine("%s", version)
		}, nil},
		{"cli.known", "Some versions of the CLI have known bugs.", func(ctx context.Context, m *Machine) finding {
			at, err := m.cli()
			if err != nil {
				return left("there is no CLI to ask")
			}
			version, err := m.Version(ctx, at.Path)
			if err != nil {
				return left("it doesn't report its version")
			}
			for _, bad := range mistakes {
				if bad.in(version, m.OS) {
					return found(Warning, "Update it with: claude update", "%s: %s; %s and newer do not", version, bad.what, bad.mended)
				}
			}
			return fine("no known bugs in %s", version)
		}, nil},
		{"cli.account", "Without an account or a key, the CLI cannot ask the model.", func(_ context.Context, m *Machine) finding {
			account := claude.Account(m.Env, m.Dirs.Home)
			if !account.Found {
				return found(Wrong, "Sign in: run claude in a terminal and type /login, or set ANTHROPIC_API_KEY.", "no credential was found")
			}
			return fine("by %s", account.Source)
		}, nil},
		{"cli.settings", "The CLI ignores settings that it cannot read, and with them what they forbid.", func(_ context.Context, m *Machine) finding {
			for _, file := range clisettings.Read(m.config(), "") {
				if file.Problem != "" {
					return found(Wrong, "Fix the file.", "%s: %s", file.Path, file.Problem)
				}
			}
			return fine("readable")
		}, nil},
		{"cli.mode", "If the CLI's own settings turn off permission requests, Parley isn't asked either.", func(_ context.Context, m *Machine) finding {
			for _, file := range clisettings.Read(m.config(), "") {
				var permissions struct {
					Mode string `json:"defaultMode"`
				}
				_ = json.Unmarshal(file.Settings["permissions"], &permissions)
				if permissions.Mode == "bypassPermissions" {
					return found(Warning, "Remove permissions.defaultMode, unless you want this.", "%s turns off all permission requests", file.Path)
				}
			}
			return fine("it asks for permission")
		}, nil},
		{"rules.wide", "A rule that allows every command may allow more than intended.", func(_ context.Context, m *Machine) finding {
			for _, file := range clisettings.Read(m.config(), "") {
				for _, rule := range file.Rules() {
					if rule.Effect == "allow" && wide(rule.Text) {
						return found(Warning, "Narrow the rule to the commands you need.", "%s allows %s", file.Path, rule.Text)
					}
				}
			}
			return fine("none of the CLI's rules allows everything")
		}, nil},
		{"cli.hooks", "Hooks in your CLI settings run commands in every session without asking.", func(_ context.Context, m *Machine) finding {
			for _, file := range clisettings.Read(m.config(), "") {
				var hooks map[string]json.RawMessage
				_ = json.Unmarshal(file.Settings["hooks"], &hooks)
				if len(hooks) > 0 {
					return found(Note, "Make sure you added them yourself.", "%s has hooks for %d events", file.Path, len(hooks))
				}
			}
			return fine("none")
		}, nil},
		{"cli.nested", "The CLI behaves differently when it runs inside another session.", func(_ context.Context, m *Machine) finding {
			if m.get("CLAUDECODE") != "" {
				return found(Warning, "Start Parley from a terminal or from your desktop's menu.", "Parley was started from inside a Claude Code session")
			}
			return fine("Parley wasn't started from a session")
		}, nil},
		{"cli.conversations", "Conversations are the CLI's files. Parley lists those it can read.", func(_ context.Context, m *Machine) finding {
			dir := filepath.Join(m.config(), "projects")
			info, err := m.Stat(dir)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return fine("none yet")
			case err != nil:
				return found(Wrong, "Check the permissions of the folder.", "%v", err)
			case !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
				return found(Wrong, "Move the file elsewhere.", "%s isn't a folder", dir)
			}
			return fine("%s", dir)
		}, nil},
		program("tool.git", "git", "Parley uses git for diffs, branches, and undo.", "Install git."),
		program("tool.tmux", "tmux", "Parley uses tmux to manage Claude Code in terminals.", "Install tmux if you want this."),
		{"tool.node", "A CLI installed with npm needs Node 18 or newer.", func(ctx context.Context, m *Machine) finding {
			if _, err := m.Find("node"); err != nil {
				return left("no Node; a standalone CLI doesn't need it")
			}
			said, err := m.Output(ctx, "node", "--version")
			major, _, _ := strings.Cut(strings.TrimPrefix(said, "v"), ".")
			if err != nil || len(major) < 2 || len(major) == 2 && major < "18" {
				return found(Warning, "Install a newer Node, or the standalone CLI (claude install).", "node is %.100s", said)
			}
			return fine("%s", said)
		}, nil},
	}
}

// mistake is a known bug of some CLI versions.
type mistake struct {
	// os is a GOOS value, "" for all.
	os string
	// since is the first version with the bug, "" for all before mended.
	since, mended string
	what          string
}

// mistakes are the bugs documented in the CLI's release notes that affect Parley's users. Versions
// before [claude.MinVersion] are refused, and not listed here.
var mistakes = []mistake{
	{"darwin", "2.1.255", "2.1.258", "it does not start on macOS 12"},
	{"", "", "2.1.258", "a session may be unable to continue (\"user messages must have non-empty content\") after an answer to its question was sent twice"},
}

func (b mistake) in(version, system string) bool {
	return (b.os == "" || b.os == system) && claude.Older(version, b.mended) && !claude.Older(version, b.since)
}

// wide reports whether a rule matches every call of a powerful tool.
func wide(rule string) bool {
	r, err := rules.Parse(rule, rules.Allow)
	return rule == "*" || err == nil && guard.Anything(r)
}

// program checks for an optional program.
func program(id, name, meaning, todo string) check {
	return check{id, meaning, func(_ context.Context, m *Machine) finding {
		path, err := m.Find(name)
		if err != nil {
			return found(Note, todo, "%s isn't in PATH", name)
		}
		return fine("%s", path)
	}, nil}
}
