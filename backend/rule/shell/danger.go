package shell

import "strings"

// dangerous says whether a variable can make a harmless command do something else:
// which programs are found, which code they load, where they connect to.
func dangerous(name string) bool {
	switch name {
	case "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "GIT_TERMINAL_PROMPT", "NPM_CONFIG_LOGLEVEL",
		"NPM_CONFIG_YES", "GOOS", "GOARCH", "GOMAXPROCS", "RUST_LOG", "RUST_BACKTRACE":
		return false
	case "IFS", "ENV", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "HOME", "SHELL",
		"CC", "CXX", "LD", "AR", "AS", "CPP", "BROWSER", "VISUAL", "LESSOPEN", "LESSCLOSE", "TERMINFO", "TMPDIR", "USER", "LOGNAME", "MAKE", "DOCKER_HOST",
		"KUBECONFIG", "SSH_AUTH_SOCK", "ZDOTDIR", "FPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "NLSPATH", "FCEDIT", "HISTFILE":
		return true
	}
	upper := strings.ToUpper(name)
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_", "BASH_", "ZSH_", "NPM_CONFIG_", "NODE_", "PYTHON", "PERL", "RUBY", "JAVA_", "JDK_", "CARGO_", "RUSTC",
		"CORECLR_", "DOTNET_", "COR_", "PIP_", "UV_", "BUNDLE_", "GEM_", "MAVEN_", "GRADLE_", "ANTHROPIC_", "CLAUDE", "AWS_", "PARLEY_", "SUDO_", "GCONV_", "MALLOC_", "GLIBC_"} {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"PATH", "_OPTIONS", "_OPTS", "OPTS", "FLAGS", "PAGER", "EDITOR", "_SHELL", "_COMMAND", "_CMD", "ASKPASS", "PROXY", "_HOME",
		"WRAPPER", "_URL", "_HOST", "_ENDPOINT", "PRELOAD", "_RC", "RCFILE", "_CONFIG", "_HOOK", "_LOADER", "_EXEC", "_PROGRAM", "_INIT", "STARTUP", "_RUNNER"} {
		if strings.HasSuffix(upper, suffix) {
			return true
		}
	}
	return false
}

// builtinThatEvaluates names the parts of the shell that run the code in a[$(…)].
func builtinThatEvaluates(name string) bool {
	switch name {
	case "test", "[", "printf", "read", "unset", "let", "wait", "getopts", "mapfile", "readarray", "export", "readonly", "declare", "typeset", "local":
		return true
	}
	return false
}

// evaluated finds a substitution in what is only text for the parser.
func evaluated(text string) bool {
	return strings.Contains(text, "[") && (strings.Contains(text, "$(") || strings.Contains(text, "`"))
}
