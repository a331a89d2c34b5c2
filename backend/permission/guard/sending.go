package guard

import (
	"path"
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// sending lists what sends something to others or gets something from them.
func sending() []line {
	return []line{
		{High, Exfiltration, "Sends data to another computer.", func(v view) bool {
			return v.is("curl") && (v.has("-d", "-F", "-T", "--upload-file", "--form", "--json") || hasPrefix(v, "--data", "--form") || posts(v)) ||
				v.is("wget") && (hasPrefix(v, "--post", "--body") || posts(v)) || v.is("http", "https", "xh") && (posts(v) || v.contains("@", ":=", "="))
		}},
		{Medium, Exfiltration, "Connects to another computer.", func(v view) bool {
			return downloader(v.name) || v.is("ping", "dig", "host", "nslookup", "drill", "whois", "traceroute", "ftp", "sftp", "tftp", "mosh")
		}},
		{High, Exfiltration, "Opens a tunnel or raw connection to another computer.", func(v view) bool {
			return v.is("nc", "ncat", "netcat", "socat", "telnet", "ngrok", "cloudflared", "chisel", "bore", "localtunnel", "lt", "tailscale") || v.contains("/dev/tcp/", "/dev/udp/")
		}},
		{High, Exfiltration, "Runs on another computer or copies files to one.", func(v view) bool {
			return v.is("ssh", "scp", "sftp", "rclone", "ftp", "lftp", "autossh") || v.is("rsync") && v.contains(":")
		}},
		{High, Exfiltration, "Uploads data to a cloud service.", func(v view) bool {
			return v.is("aws") && v.verb(0) == "s3" && slices.Contains([]string{"cp", "sync", "mv"}, v.verb(1)) || v.is("gsutil") && v.contains("cp", "rsync") ||
				v.is("az") && v.contains("upload") || v.is("gh") && (v.verb(0) == "gist" || v.verbs("release", "create") || v.verbs("release", "upload")) ||
				v.is("mail", "mailx", "sendmail", "mutt", "msmtp")
		}},
		{High, Exfiltration, "Publishes a package, release or site.", func(v view) bool {
			return v.is("npm", "pnpm", "yarn", "cargo", "bun", "poetry", "uv", "flit") && v.verb(0) == "publish" || v.is("twine") || v.is("gem") && v.verb(0) == "push" ||
				v.is("docker", "podman") && v.verb(0) == "push" || v.is("vercel", "netlify", "fly", "flyctl", "wrangler", "firebase", "heroku")
		}},
		{Medium, Exfiltration, "Pushes commits to a remote.", func(v view) bool { return v.is("git") && v.verb(0) == "push" }},
		{High, Exfiltration, "Changes where commits are pushed.", func(v view) bool {
			return v.is("git") && (v.verbs("remote", "add") || v.verbs("remote", "set-url")) || v.is("git") && v.verb(0) == "push" && v.contains("://", "@")
		}},
		{Medium, Exfiltration, "Serves files to the network.", func(v view) bool {
			return v.contains("http.server", "simplehttpserver") || v.is("serve", "http-server", "caddy", "nginx")
		}},
		{Medium, Exfiltration, "Makes changes on GitHub.", func(v view) bool {
			return v.is("gh", "glab", "hub") && slices.ContainsFunc(v.plain, func(s string) bool {
				return slices.Contains([]string{"create", "edit", "merge", "close", "comment", "review", "api", "set", "add", "reopen", "run", "clone", "sync", "login"}, s)
			})
		}},
	}
}

func hasPrefix(v view, prefixes ...string) bool {
	for _, w := range v.words {
		for _, p := range prefixes {
			if strings.HasPrefix(w.Text, p) {
				return true
			}
		}
	}
	return false
}

func posts(v view) bool {
	for _, w := range v.words {
		switch strings.TrimPrefix(strings.TrimPrefix(w.Text, "--request="), "-X") {
		case "POST", "PUT", "PATCH", "DELETE", "--method=POST", "--method=PUT":
			return true
		}
	}
	return false
}

// fetched assesses files whose names come from what is fetched.
func (n *note) fetched(v view, c shell.Command) {
	if !v.is("wget") && !(v.is("curl") && v.has("-O", "--remote-name", "--remote-name-all")) {
		return
	}
	for _, w := range v.words {
		address := w.Text
		if v.name == "curl" {
			address, _, _ = strings.Cut(address, "?")
		}
		if name := path.Base(address); !strings.HasPrefix(w.Text, "-") && strings.Contains(strings.TrimPrefix(address, "//"), "/") && name != "." {
			for _, dir := range c.Dirs {
				n.at(n.engine.Locate(dir, name), false, true, false)
			}
		}
	}
}

// secret lists what shows secrets.
func secret() []line {
	return []line{
		{Medium, Credentials, "Shows environment variables, which may contain secrets.", func(v view) bool {
			return v.is("jq") && v.contains("env") || v.is("printenv") || v.is("env", "set") && len(v.words) == 0 ||
				v.is("export", "declare", "typeset", "readonly", "local") && (len(v.plain) == 0 || v.has("-p"))
		}},
		{High, Credentials, "Reads a file that is named only in its own code.", readsModules},
		{High, Credentials, "Reads stored secrets.", func(v view) bool {
			return v.is("security") && (v.contains("find-generic-password", "find-internet-password", "dump-keychain", "export")) ||
				v.is("secret-tool", "pass", "gopass", "op", "bw", "lpass", "vault", "keyring", "kwallet-query", "ssh-add", "keepassxc-cli", "chamber", "doppler", "sops", "age") ||
				v.is("gpg", "gpg2") && (hasPrefix(v, "--export-secret") || v.has("-d", "--decrypt")) || v.is("git") && v.verb(0) == "credential" ||
				v.is("gh") && v.verbs("auth", "token") || v.is("gcloud") && v.contains("print-access-token", "print-identity-token") ||
				v.is("aws") && (v.contains("get-session-token", "get-secret-value", "get-login-password", "export-credentials") || v.verb(0) == "configure") ||
				v.is("kubectl") && v.contains("secret") || v.is("docker", "npm") && v.verb(0) == "login" || v.is("npm") && v.verb(0) == "token"
		}},
		{High, Credentials, "Inspects other programs, the screen, the clipboard or the network.", func(v view) bool {
			return v.is("gcore", "tcpdump", "tshark", "wireshark", "xinput", "xdotool", "xclip", "xsel", "pbpaste", "screencapture", "scrot", "import", "wl-paste")
		}},
		{Medium, Credentials, "Creates or changes keys.", func(v view) bool {
			return v.is("ssh-keygen", "openssl", "gpg", "gpg2", "certtool", "keytool", "ssh-copy-id")
		}},
	}
}

// configures reports whether git is given settings or changes them.
func configures(v view) bool {
	plain := v.plain
	return slices.Contains(plain[:min(len(plain), 3)], "config") ||
		slices.ContainsFunc(v.words, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-c") || strings.HasPrefix(w.Text, "--c") })
}

// staying lists what continues after the session has ended.
func staying() []line {
	return []line{
		{High, Persistence, "Schedules something to run later or at every start.", func(v view) bool {
			return v.is("crontab") && !v.has("-l") || v.is("at", "batch") ||
				v.is("systemctl") && slices.ContainsFunc(v.plain, func(s string) bool {
					return slices.Contains([]string{"enable", "link", "edit", "mask", "set-default", "daemon-reload", "preset"}, s)
				}) || v.is("launchctl") && !v.verbs("list") && !v.verbs("print") || v.is("update-rc.d", "chkconfig", "rc-update", "systemd-run", "schtasks", "defaults", "osascript", "loginctl")
		}},
		{High, Persistence, "Changes settings that make git run programs.", func(v view) bool {
			return v.is("git") && configures(v) && v.contains("core.hookspath", "alias.", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "credential.helper", "filter.", "diff.external",
				"protocol.", "url.", "include.path", "includeif.", "gpg.program", "sequence.editor", "uploadpack.", "core.gitproxy", "core.attributesfile", "core.askpass")
		}},
		{High, Persistence, "Changes settings that make go run programs.", func(v view) bool { return v.is("go") && v.verb(0) == "env" && v.told("-w") }},
		{Medium, Persistence, "Changes settings.", func(v view) bool {
			return v.is("git") && (v.verb(0) == "config" || v.has("-c", "--config-env")) || v.is("npm", "pnpm", "yarn", "pip", "pip3", "go") && v.verb(0) == "config" ||
				v.is("gsettings", "dconf", "xdg-mime", "xdg-settings", "direnv", "mise", "asdf")
		}},
		{Medium, Persistence, "Keeps running in the background.", func(v view) bool {
			return v.is("nohup", "setsid", "disown", "tmux", "screen", "daemonize", "pm2", "entr", "watch")
		}},
		{High, Persistence, "Removes the system's warning from a downloaded file.", func(v view) bool { return v.is("xattr") && v.contains("quarantine") }},
		{Medium, Persistence, "Can change Claude Code, Parley or the code editor.", func(v view) bool { return v.is("claude", "parley", "code") }},
	}
}

// coding lists what runs code that can't be inspected here.
func coding() []line {
	return []line{
		{High, Code, "Makes this program run another program or load code.", runsAnother},
		{High, Code, "Its script runs programs or opens files, or Parley cannot read it.", func(v view) bool { return v.reach > shell.Input }},
		{Medium, Unclear, "Parley does not know what this program does.", func(v view) bool { return v.is("busybox", "toybox") }}, // the options of its programs are not those of the others
		{High, Code, "Its code starts programs, deletes files or opens connections.", func(v view) bool {
			return interpreter(v.name) && v.has("-c", "-e", "-E", "-r", "--eval", "-p") && v.contains("os.system", "subprocess", "rmtree", "os.remove", "unlink", "child_process", "execsync",
				"spawn", "socket", "requests.", "urllib", "fetch(", "http.", "system(", "exec(", "eval(", "popen", "rmsync", "rm -", "fs.rm", "b64decode", "base64", "marshal", "pty.")
		}},
		{Medium, Code, "Runs code that Parley does not check.", func(v view) bool {
			return interpreter(v.name) && len(v.words) > 0 && !ordinary(v) || v.is("source", ".", "awk", "gawk", "mawk", "nawk", "tclsh", "expect", "java", "dotnet", "erl", "elixir", "ghci", "sqlite3", "psql", "mysql", "vim", "nvim", "vi", "emacs", "nano") && !ordinary(v)
		}},
		{Medium, Code, "Runs the project's own code.", func(v view) bool {
			return v.is("make", "gmake", "ninja", "cmake", "just", "task", "rake", "gradle", "gradlew", "mvn", "mvnw", "ant", "bazel", "tox", "nox", "pytest", "jest", "vitest", "mocha", "playwright",
				"cypress", "tsc", "eslint", "prettier", "vite", "webpack", "rollup", "turbo", "nx", "ruff", "mypy", "black", "flake8", "pylint", "golangci-lint", "shellcheck", "phpunit",
				"rspec", "mix", "sbt", "stack", "cabal", "swift", "xcodebuild", "zig", "gcc", "g++", "clang", "clang++", "cc", "ld", "wails", "esbuild", "biome") && !ordinary(v) ||
				v.is("go", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "poetry", "uv", "pipenv", "bundle", "composer", "rustc") && !ordinary(v) && !installs(v)
		}},
		{Medium, Code, "Downloads and runs code from others.", func(v view) bool {
			return installs(v) || v.is("npx", "bunx", "pnpx", "uvx", "pipx", "nix", "nix-shell", "conda", "mamba", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "brew", "port", "snap", "flatpak", "winget", "choco", "scoop", "dpkg", "rpm")
		}},
		{Medium, Code, "Runs in a container, on another system or in the cloud.", func(v view) bool {
			return v.is("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "helm", "vagrant", "multipass", "lima", "limactl", "wsl", "aws", "gcloud", "az", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook") && !ordinary(v)
		}},
		{Medium, Code, "Runs a command on many items.", func(v view) bool {
			return v.is("xargs", "gxargs", "parallel") || v.is("find", "fd", "fdfind") && !ordinary(v)
		}},
		{Medium, Destructive, "Packs or unpacks files.", func(v view) bool {
			return v.is("tar", "unzip", "zip", "7z", "gzip", "gunzip", "bzip2", "xz", "zstd", "cpio", "bsdtar", "unrar")
		}},
	}
}

func installs(v view) bool {
	switch v.name {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "gem", "go", "cargo", "composer", "bundle", "poetry", "uv", "pipenv", "deno":
		return slices.Contains([]string{"install", "i", "add", "ci", "update", "upgrade", "get", "exec", "x", "dlx", "create", "init", "sync", "require", "pip", "tool", "link", "rebuild"}, v.verb(0)) ||
			v.is("yarn") && len(v.words) == 0
	}
	return false
}
