package shell

import (
	"regexp"
	"strings"
)

// Dangerous reports whether a variable of that name can change what a program does.
func Dangerous(name string) bool { return dangerous(name) }

// dangerous reports whether a variable can make a harmless command do something
// else: which programs are found, which code they load, where they connect to.
func dangerous(name string) bool {
	switch name {
	case "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "GIT_TERMINAL_PROMPT", "NPM_CONFIG_LOGLEVEL",
		"NPM_CONFIG_YES", "GOOS", "GOARCH", "GOMAXPROCS", "RUST_LOG", "RUST_BACKTRACE":
		return false
	case "IFS", "ENV", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "EXECIGNORE", "HOME", "SHELL",
		"CC", "CXX", "LD", "AR", "AS", "CPP", "BROWSER", "VISUAL", "LESSOPEN", "LESSCLOSE", "TERMINFO", "TMPDIR", "USER", "LOGNAME", "MAKE", "DOCKER_HOST",
		"KUBECONFIG", "SSH_AUTH_SOCK", "ZDOTDIR", "FPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "NLSPATH", "FCEDIT", "HISTFILE", "PS0", "PS3", "PROMPT",
		"RPROMPT", "NULLCMD", "READNULLCMD", "PWD", "OLDPWD", "LESS", "LESSKEY", "LESSKEYIN", "LESSKEY_SYSTEM", "MORE", "TERM", "TERMCAP", "TEXTDOMAIN", "TEXTDOMAINDIR",
		"MAKEFILES", "GREP_COLORS", "EXINIT", "VIMINIT", "GVIMINIT", "MYVIMRC", "PSQLRC", "PGSERVICEFILE", "PHPRC", "WGETRC", "CURLOPT_PROXY", "INPUTRC", "OPENSSL_CONF",
		"OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_FILE", "SSL_CERT_DIR", "CVS_RSH", "RSYNC_RSH", "TAR", "GZIP", "BZIP", "XZ_DEFAULTS", "ZSTD_CLEVEL", "FIGNORE",
		"CONFIG_SITE", "RIPGREP_CONFIG_PATH", "OCAMLRUNPARAM", "TCLLIBPATH", "GROFF_COMMAND_PREFIX", "MANOPT", "MANROFFOPT", "MANSECT", "JQ_LIBRARY_PATH", "HUSKY",
		"COMMAND_NOT_FOUND_HANDLE", "GOENV", "GOTOOLCHAIN", "GOROOT", "GOBIN", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOPRIVATE", "GOVCS", "GOWORK",
		"GOCACHEPROG", "SIMPLE_BACKUP_SUFFIX", "GOEXPERIMENT", "GOAUTH", "GODEBUG", "GOPACKAGESDRIVER":
		return true
	}
	upper := strings.ToUpper(name)
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_", "BASH_", "ZSH_", "NPM_CONFIG_", "NODE_", "PYTHON", "PERL", "RUBY", "JAVA_", "JDK_", "CARGO_", "RUSTC",
		"CORECLR_", "DOTNET_", "COR_", "PIP_", "UV_", "BUNDLE_", "GEM_", "MAVEN_", "GRADLE_", "ANTHROPIC_", "CLAUDE", "AWS_", "PARLEY_", "SUDO_", "GCONV_", "MALLOC_", "GLIBC_", "XDG_", "BASHRC", "CGO_", "PG", "MYSQL_", "DENO_", "BUN_", "YARN_",
		"PNPM_", "COREPACK_", "TS_NODE_", "GH_", "GITHUB_", "SSH_", "GPG_", "GNUPG", "TERMINFO", "LUA_", "R_", "JULIA_", "ERL_", "ELIXIR_", "GUILE_", "PHP_", "PRE_COMMIT_",
		"TOX_", "HOMEBREW_", "NIX_", "DOCKER_", "BUILDKIT_", "COMPOSE_", "KUBE", "HELM_", "TF_", "MAKE_", "FZF_", "VIM", "NVIM_", "EMACS", "SYSTEMD_", "DBUS_", "LC_MESSAGES_"} {
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

// changes reports whether setting a variable to a value can change what a program does.
func changes(name string, value Word) bool {
	return dangerous(name) && (value.Unknown || value.Glob || !usual(name, value.Text))
}

// usual reports whether a sensitive variable has a value that runs, loads and sends
// nothing.
func usual(name, value string) bool {
	switch name {
	case "CGO_ENABLED":
		return value == "0" || value == "1"
	case "GOTOOLCHAIN":
		return value == "local"
	case "GOWORK":
		return value == "off"
	case "GODEBUG":
		return goDebug.MatchString(value)
	case "GOFLAGS":
		return goFlags.MatchString(value)
	case "TERM":
		return value == "dumb" || value == "xterm" || value == "xterm-256color"
	case "PAGER", "GIT_PAGER", "MANPAGER":
		return value == "cat"
	}
	return false
}

var (
	goDebug = regexp.MustCompile(`^(gctrace|schedtrace|inittrace|scheddetail)=[0-9]+$`)
	goFlags = regexp.MustCompile(`^( *-(mod=(mod|readonly|vendor)|trimpath|race|v|x|short|buildvcs=false|count=[0-9]+|p=[0-9]+|tags=[\w,]+))+$`)
)

// special names the variables that the shell evaluates or stores lists in: their text
// is code.
func special(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "OPTIND", "OPTERR", "HISTCMD", "EPOCHSECONDS", "EPOCHREALTIME", "DIRSTACK", "GROUPS", "FUNCNAME", "FUNCNEST",
		"PIPESTATUS", "BASH_REMATCH", "COPROC", "MAPFILE", "COMPREPLY", "COLUMNS", "LINES", "HISTSIZE", "HISTFILESIZE", "SAVEHIST", "TMOUT", "KEYTIMEOUT", "LISTMAX", "MAILCHECK",
		"DIRSTACKSIZE", "BAUD", "SHLVL", "ERRNO", "TTYIDLE", "UID", "EUID", "GID", "EGID", "PPID", "IGNOREEOF", "POSIXLY_CORRECT", "_":
		return true
	}
	return strings.HasPrefix(name, "COMP_") || strings.HasPrefix(name, "READLINE_")
}

// tables names the lists with a special meaning in zsh: they define what names mean.
func tables(name string) bool {
	switch name {
	case "aliases", "galiases", "saliases", "functions", "commands", "builtins", "options", "modules", "dirstack", "nameddirs", "userdirs", "argv", "psvar":
		return true
	}
	return strings.HasSuffix(name, "_functions")
}
