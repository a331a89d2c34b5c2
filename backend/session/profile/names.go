package profile

import (
	"slices"
	"strings"
)

// credential reports whether a variable authenticates requests to a model.
func credential(name string) bool {
	switch name {
	case "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_AWS_API_KEY",
		"ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN":
		return true
	}
	return false
}

// connectionNames returns the variables that determine where the CLI's requests
// go, how they are authenticated, and how models are named there. Those of
// another provider are kept from a profile's CLI.
func connectionNames() []string {
	return []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CODE_OAUTH_REFRESH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
		"CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR", "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
		"ANTHROPIC_PROFILE", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE", "ANTHROPIC_FEDERATION_RULE_ID",
		"ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_BASE_URL", "ANTHROPIC_UNIX_SOCKET", "CLAUDE_CODE_API_BASE_URL",
		"CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST",

		"CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_ANTHROPIC_AWS",
		"CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "CLAUDE_CODE_USE_FOUNDRY",
		"CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_MANTLE_AUTH", "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH",
		"CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
		"ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "ANTHROPIC_AWS_BASE_URL",
		"ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_GOOGLE_CLOUD_BASE_URL", "ANTHROPIC_FOUNDRY_BASE_URL",
		"AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_AWS_API_KEY", "ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN",
		"ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION",

		"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION", "CLAUDE_CODE_SUBAGENT_MODEL",
		"ANTHROPIC_DEFAULT_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL",
		"ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_DEFAULT_FABLE_MODEL", "ANTHROPIC_CUSTOM_MODEL_OPTION",
	}
}

func connection(name string) bool { return slices.Contains(connectionNames(), name) }

// signsAWS reports whether a variable holds an AWS identity. These are unchanged
// unless a profile has one: then the others would contradict it.
func signsAWS(name string) bool {
	switch name {
	case "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_BEARER_TOKEN_BEDROCK":
		return true
	}
	return false
}

// secretive reports whether a variable's name suggests a secret.
func secretive(name string) bool {
	switch name {
	case "CLAUDE_CODE_API_KEY_HELPER_TTL_MS":
		return false
	case "ANTHROPIC_CUSTOM_HEADERS":
		return true // usually an Authorization header
	}
	for part := range strings.SplitSeq(name, "_") {
		for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE"} {
			if strings.HasSuffix(part, word) {
				return true
			}
		}
	}
	return false
}

// barred returns why a profile may not set a variable, "" if it may.
func barred(name string) string {
	switch name {
	case "CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME":
		return "it moves the CLI's conversations to a folder where Parley does not look for them"
	case "PATH", "PWD", "SHELL", "IFS", "ENV", "BASH_ENV", "PS4", "PROMPT_COMMAND",
		"NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "BUN_INSPECT", "COMSPEC", "SYSTEMROOT":
		return "it decides which programs run"
	case "NODE_TLS_REJECT_UNAUTHORIZED":
		return "it would hand the credential to anybody; name the authority's certificate in NODE_EXTRA_CA_CERTS instead"
	case "CLAUDECODE", "CLAUDE_PID", "CLAUDE_AGENT_SDK_VERSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
		"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_TMUX_SESSION",
		"TMUX", "TMUX_PANE", managed:
		return "Parley sets it as the CLI needs it"
	case "CLAUDE_CODE_SIMPLE":
		return "it takes away what Parley needs of the CLI"
	}
	for _, prefix := range []string{"LD_", "DYLD_"} {
		if strings.HasPrefix(name, prefix) {
			return "it decides which programs run"
		}
	}
	if strings.HasPrefix(name, "PARLEY_") {
		return "variables that begin with PARLEY_ are Parley's own"
	}
	return ""
}
