package guard

import (
	"slices"
	"strings"
)

// sending is what gives something to others, or gets something from them.
func sending() []line {
	return []line{
		{High, Exfiltration, "It sends data to another machine.", func(v view) bool {
			return v.is("curl") && (v.has("-d", "-F", "-T", "--upload-file", "--form", "--json") || hasPrefix(v, "--data", "--form") || posts(v)) ||
				v.is("wget") && (hasPrefix(v, "--post", "--body") || posts(v)) || v.is("http", "https", "xh") && (posts(v) || v.contains("@", ":=", "="))
		}},
		{Medium, Exfiltration, "It talks to another machine.", func(v view) bool {
			return downloader(v.name) || v.is("ping", "dig", "host", "nslookup", "drill", "whois", "traceroute", "ftp", "sftp", "tftp", "mosh")
		}},
		{High, Exfiltration, "It opens a line to another machine that anything can go over.", func(v view) bool {
			return v.is("nc", "ncat", "netcat", "socat", "telnet", "ngrok", "cloudflared", "chisel", "bore", "localtunnel", "lt", "tailscale") || v.contains("/dev/tcp/", "/dev/udp/")
		}},
		{High, Exfiltration, "It works on another machine or copies files to one.", func(v view) bool {
			return v.is("ssh", "scp", "sftp", "rclone", "ftp", "lftp", "autossh") || v.is("rsync") && v.contains(":")
		}},
		{High, Exfiltration, "It puts data into a cloud.", func(v view) bool {
			return v.is("aws") && v.verb(0) == "s3" && slices.Contains([]string{"cp", "sync", "mv"}, v.verb(1)) || v.is("gsutil") && v.contains("cp", "rsync") ||
				v.is("az") && v.contains("upload") || v.is("gh") && (v.verb(0) == "gist" || v.verbs("release", "create") || v.verbs("release", "upload")) ||
				v.is("mail", "mailx", "sendmail", "mutt", "msmtp")
		}},
		{High, Exfiltration, "It publishes something.", func(v view) bool {
			return v.is("npm", "pnpm", "yarn", "cargo", "bun", "poetry", "uv", "flit") && v.verb(0) == "publish" || v.is("twine") || v.is("gem") && v.verb(0) == "push" ||
				v.is("docker", "podman") && v.verb(0) == "push" || v.is("vercel", "netlify", "fly", "flyctl", "wrangler", "firebase", "heroku")
		}},
		{Medium, Exfiltration, "It sends commits to another place.", func(v view) bool { return v.is("git") && v.verb(0) == "push" }},
		{High, Exfiltration, "It changes where commits are sent.", func(v view) bool {
			return v.is("git") && (v.verbs("remote", "add") || v.verbs("remote", "set-url")) || v.is("git") && v.verb(0) == "push" && v.contains("://", "@")
		}},
		{Medium, Exfiltration, "It shows files to others on the network.", func(v view) bool {
			return v.contains("http.server", "simplehttpserver") || v.is("serve", "http-server", "caddy", "nginx")
		}},
		{Medium, Exfiltration, "It changes things at GitHub.", func(v view) bool {
			return v.is("gh", "glab", "hub") && slices.ContainsFunc(v.plain(), func(s string) bool {
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

// secret is what shows secrets.
func secret() []line {
	return []line{
		{Medium, Credentials, "It shows the environment, which may hold secrets.", func(v view) bool {
			return v.is("jq") && v.contains("env") || v.is("printenv") || v.is("env") && len(v.words) == 0 || v.is("set", "export", "declare") && len(v.words) == 0 || v.is("export", "declare") && v.has("-p")
		}},
		{High, Credentials, "It takes secrets out of a store.", func(v view) bool {
			return v.is("security") && (v.contains("find-generic-password", "find-internet-password", "dump-keychain", "export")) ||
				v.is("secret-tool", "pass", "gopass", "op", "bw", "lpass", "vault", "keyring", "kwallet-query", "ssh-add", "keepassxc-cli", "chamber", "doppler", "sops", "age") ||
				v.is("gpg", "gpg2") && (hasPrefix(v, "--export-secret") || v.has("-d", "--decrypt")) || v.is("git") && v.verb(0) == "credential" ||
				v.is("gh") && v.verbs("auth", "token") || v.is("gcloud") && v.contains("print-access-token", "print-identity-token") ||
				v.is("aws") && (v.contains("get-session-token", "get-secret-value", "get-login-password", "export-credentials") || v.verb(0) == "configure") ||
				v.is("kubectl") && v.contains("secret") || v.is("docker", "npm") && v.verb(0) == "login" || v.is("npm") && v.verb(0) == "token"
		}},
		{High, Credentials, "It watches or reads other programs.", func(v view) bool {
			return v.is("gcore", "tcpdump", "tshark", "wireshark", "xinput", "xdotool", "xclip", "xsel", "pbpaste", "screencapture", "scrot", "import", "wl-paste")
		}},
		{Medium, Credentials, "It makes or changes keys.", func(v view) bool {
			return v.is("ssh-keygen", "openssl", "gpg", "gpg2", "certtool", "keytool", "ssh-copy-id")
		}},
	}
}

// staying is what goes on when the session is over.
func staying() []line {
	return []line{
		{High, Persistence, "It makes something run later or at every start.", func(v view) bool {
			return v.is("crontab") && !v.has("-l") || v.is("at", "batch") ||
				v.is("systemctl") && slices.ContainsFunc(v.plain(), func(s string) bool {
					return slices.Contains([]string{"enable", "link", "edit", "mask", "set-default", "daemon-reload", "preset"}, s)
				}) || v.is("launchctl") && !v.verbs("list") && !v.verbs("print") || v.is("update-rc.d", "chkconfig", "rc-update", "systemd-run", "schtasks", "defaults", "osascript", "loginctl")
		}},
		{High, Persistence, "It changes settings that make git run programs.", func(v view) bool {
			return v.is("git") && v.contains("core.hookspath", "alias.", "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "credential.helper", "filter.", "diff.external",
				"protocol.", "url.", "include.path", "includeif.", "gpg.program", "sequence.editor", "uploadpack.", "core.gitproxy", "core.attributesfile", "core.askpass")
		}},
		{Medium, Persistence, "It changes settings.", func(v view) bool {
			return v.is("git") && (v.verb(0) == "config" || v.has("-c", "--config-env")) || v.is("npm", "pnpm", "yarn", "pip", "pip3", "go") && (v.verb(0) == "config" || v.has("-w")) ||
				v.is("gsettings", "dconf", "xdg-mime", "xdg-settings", "direnv", "mise", "asdf")
		}},
		{Medium, Persistence, "It goes on in the background.", func(v view) bool {
			return v.is("nohup", "setsid", "disown", "tmux", "screen", "daemonize", "pm2", "entr", "watch")
		}},
		{High, Persistence, "It takes a mark off a file that the system warns of.", func(v view) bool { return v.is("xattr") && v.contains("quarantine") }},
		{Medium, Persistence, "It adds a server or a plugin to the assistant itself.", func(v view) bool { return v.is("claude", "parley", "code") }},
	}
}

// coding runs what cannot be looked into here.
func coding() []line {
	return []line{
		{High, Code, "It tells the program to run another one, or to load code.", runsAnother},
		{High, Code, "Its code starts programs, deletes files or opens connections.", func(v view) bool {
			return interpreter(v.name) && v.has("-c", "-e", "-E", "-r", "--eval", "-p") && v.contains("os.system", "subprocess", "rmtree", "os.remove", "unlink", "child_process", "execsync",
				"spawn", "socket", "requests.", "urllib", "fetch(", "http.", "system(", "exec(", "eval(", "popen", "rmsync", "rm -", "fs.rm", "b64decode", "base64", "marshal", "pty.")
		}},
		{Medium, Code, "It runs code that is not looked into.", func(v view) bool {
			return interpreter(v.name) && len(v.words) > 0 && !ordinary(v) || v.is("source", ".", "awk", "gawk", "mawk", "nawk", "tclsh", "expect", "java", "dotnet", "erl", "elixir", "ghci", "sqlite3", "psql", "mysql", "vim", "nvim", "vi", "emacs", "nano") && !ordinary(v)
		}},
		{Medium, Code, "It runs the project's own code.", func(v view) bool {
			return v.is("make", "gmake", "ninja", "cmake", "just", "task", "rake", "gradle", "gradlew", "mvn", "mvnw", "ant", "bazel", "tox", "nox", "pytest", "jest", "vitest", "mocha", "playwright",
				"cypress", "tsc", "eslint", "prettier", "vite", "webpack", "rollup", "turbo", "nx", "ruff", "mypy", "black", "flake8", "pylint", "golangci-lint", "shellcheck", "phpunit",
				"rspec", "mix", "sbt", "stack", "cabal", "swift", "xcodebuild", "zig", "gcc", "g++", "clang", "clang++", "cc", "ld", "wails", "esbuild", "biome") && !ordinary(v) ||
				v.is("go", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "poetry", "uv", "pipenv", "bundle", "composer", "rustc") && !ordinary(v) && !installs(v)
		}},
		{Medium, Code, "It gets and runs code of others.", func(v view) bool {
			return installs(v) || v.is("npx", "bunx", "pnpx", "uvx", "pipx", "nix", "nix-shell", "conda", "mamba", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "brew", "port", "snap", "flatpak", "winget", "choco", "scoop", "dpkg", "rpm")
		}},
		{Medium, Code, "It runs something in another place.", func(v view) bool {
			return v.is("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "helm", "vagrant", "multipass", "lima", "limactl", "wsl", "aws", "gcloud", "az", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook") && !ordinary(v)
		}},
		{Medium, Code, "It runs a command for each of many things.", func(v view) bool {
			return v.is("xargs", "gxargs", "parallel") || v.is("find", "fd", "fdfind") && !ordinary(v)
		}},
		{Medium, Destructive, "It packs or unpacks files.", func(v view) bool {
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
