package claude

import (
	"encoding/json"
	"path/filepath"

	"parley/backend/platform/safeopen"
)

// Credential tells whether the CLI seems to have a credential. It holds the
// name of the source, never the secret.
type Credential struct {
	Found bool
	// Source is a variable's name, or "login", "API key", "apiKeyHelper".
	Source string
	// Hint tells how to get one if there is none.
	Hint string
}

// credentialVars returns the variables that the CLI takes a credential or a
// provider from, in the CLI's order.
func credentialVars() []string {
	return []string{
		"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
		"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN",
	}
}

// Account looks for a credential where the CLI would: in env (in the form of
// os.Environ), then in the CLI's files. home is the user's home folder. It only
// checks whether fields exist. The result is a guess that takes microseconds;
// "claude auth status" is exact and takes 0.2 s.
func Account(env []string, home string) Credential {
	e := environ(env)
	for _, key := range credentialVars() {
		if set(e.get(key)) {
			return Credential{Found: true, Source: key}
		}
	}
	dir := ConfigDir(env, home)
	global := filepath.Join(dir, ".claude.json")
	if e.get(configDirVar) == "" {
		global = filepath.Join(home, ".claude.json")
	}
	var settings struct {
		APIKeyHelper string            `json:"apiKeyHelper"`
		Env          map[string]string `json:"env"`
	}
	readJSON(filepath.Join(dir, "settings.json"), &settings)
	if settings.APIKeyHelper != "" {
		return Credential{Found: true, Source: "apiKeyHelper"}
	}
	for _, key := range credentialVars() {
		if set(settings.Env[key]) {
			return Credential{Found: true, Source: key}
		}
	}
	var credentials struct {
		OAuth json.RawMessage `json:"claudeAiOauth"`
	}
	readJSON(filepath.Join(dir, ".credentials.json"), &credentials)
	var state struct {
		OAuth  json.RawMessage `json:"oauthAccount"`
		APIKey json.RawMessage `json:"primaryApiKey"`
	}
	readJSON(global, &state)
	switch {
	case present(credentials.OAuth), present(state.OAuth):
		return Credential{Found: true, Source: "login"}
	case present(state.APIKey):
		return Credential{Found: true, Source: "API key"}
	}
	return Credential{Hint: "Sign in from Parley's window, or set ANTHROPIC_API_KEY."}
}

// configDirVar overrides the CLI's folder.
const configDirVar = "CLAUDE_CONFIG_DIR"

// ConfigDir returns the folder where a CLI with the environment env keeps its
// settings and, in "projects", its conversations. home is the user's home folder.
func ConfigDir(env []string, home string) string {
	if dir := environ(env).get(configDirVar); dir != "" {
		return dir
	}
	return filepath.Join(home, ".claude")
}

// set reports whether a switch or credential has a value that counts.
func set(v string) bool { return v != "" && v != "0" && v != "false" }

func present(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "{}":
		return false
	}
	return true
}

// readJSON decodes as much of a file as possible into v: a missing or broken file
// says nothing about an account.
func readJSON(path string, v any) {
	if b, err := safeopen.Read(path, 16<<20); err == nil {
		_ = json.Unmarshal(b, v)
	}
}
