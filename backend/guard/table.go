package guard

import (
	"slices"
	"strings"

	"parley/backend/rule/shell"
)

// line is one line of the table: what a command must look like, and what to say of
// it.
type line struct {
	level Level
	kind  Kind
	why   string
	when  func(v view) bool
}

// one looks at one command, through all of its wrappers.
func (n *note) one(c shell.Command) {
	known := false
	for i := range c.Layers {
		v := viewOf(c.Words(i))
		if v.name == "" {
			known = known || c.Carrier || len(c.Assigns) > 0 || len(c.Redirects) > 0
			continue
		}
		for _, table := range [][]line{destroying(), privileged(), sending(), secret(), staying(), coding()} {
			for _, l := range table {
				if c.Carrier && l.kind == Code {
					continue // all that it runs is listed beside it
				}
				if l.when(v) {
					n.add(l.level, l.kind, v.text, l.why)
					known = true
				}
			}
		}
		known = known || i == len(c.Layers)-1 && (c.Carrier || ordinary(v)) || c.Layers[i].Transparent
	}
	if v := viewOf(c.Args()); !known || v.name != "" && len(c.Layers) > 1 && !c.Carrier && !ordinary(v) && !n.mentioned(v.text) {
		n.add(Medium, Unclear, v.text, "What this program does is not known.")
	}
}

func (n *note) mentioned(text string) bool {
	return slices.ContainsFunc(n.list, func(f Finding) bool { return f.Words == text && f.Kind != Unclear })
}

// ordinary says whether a command only looks at things, or changes no more than the
// files that it names.
func ordinary(v view) bool {
	if unusual(v) {
		return false
	}
	switch v.name {
	case "ls", "cat", "tac", "head", "tail", "less", "more", "bat", "cut", "uniq", "wc", "diff", "cmp", "comm", "join", "paste", "nl", "rev", "fold", "fmt",
		"grep", "egrep", "fgrep", "rg", "ag", "tree", "stat", "file", "readlink", "realpath", "basename", "dirname", "du", "df", "md5sum", "sha1sum",
		"sha256sum", "sha512sum", "shasum", "cksum", "base64", "xxd", "od", "hexdump", "strings", "jq", "column", "tr", "seq", "sort", "date", "cal", "pwd",
		"cd", "pushd", "popd", "echo", "printf", "true", "false", ":", "test", "[", "exit", "return", "break", "continue", "sleep", "wait", "which", "type",
		"whereis", "whoami", "id", "groups", "uname", "hostname", "nproc", "free", "uptime", "ps", "pgrep", "tty", "locale", "expr", "look",
		"mkdir", "touch", "cp", "mv", "ln", "tee", "read", "shift", "set", "unset", "export", "local", "declare", "readonly", "typeset", "getopts", "let",
		"mapfile", "gofmt", "jobs", "times", "umask", "hash", "rmdir", "help", "tput", "clear":
		return true
	case "command":
		return v.has("-v", "-V")
	case "sed", "gsed":
		return plainSed(v)
	case "find", "fd", "fdfind":
		return !v.has("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fprint0", "-fls", "--exec", "-x", "--exec-batch", "-X")
	case "git":
		return !v.has("-c", "-C", "--git-dir", "--work-tree", "--exec-path", "--config-env", "--output", "--upload-pack", "-u", "--open-files-in-pager", "-O", "--ext-diff") &&
			slices.Contains([]string{"status", "diff", "log", "show", "blame", "ls-files", "ls-tree", "rev-parse", "describe", "shortlog", "grep", "cat-file",
				"rev-list", "merge-base", "reflog", "name-rev", "count-objects", "check-ignore", "add", "cherry", "for-each-ref", "show-ref", "whatchanged"}, v.verb(0)) &&
			!v.verbs("reflog", "expire") && !v.verbs("reflog", "delete")
	case "go":
		return slices.Contains([]string{"version", "doc", "list", "env", "help"}, v.verb(0)) && !v.has("-w", "-u", "-toolexec", "-overlay")
	case "node", "python", "python3", "npm", "cargo", "rustc", "java", "ruby", "php", "docker", "kubectl", "pip", "pip3", "gh", "deno", "bun", "pnpm", "yarn", "make", "gcc", "clang":
		return len(v.words) == 1 && slices.Contains([]string{"--version", "-version", "version", "--help", "help"}, v.words[0].Text)
	case "docker-compose":
		return v.verb(0) == "ps"
	}
	return false
}

// unusual says whether a command that otherwise only looks at things is told to run
// a program or to write a file.
func unusual(v view) bool {
	switch v.name {
	case "uniq", "xxd":
		return len(v.plain()) > 1 || v.name == "xxd" && v.has("-r")
	case "tree", "less", "more", "base64", "shasum":
		return v.has("-o", "-O", "--output", "--log-file") || hasPrefix(v, "+")
	}
	return v.has("--pre", "--pager", "--compress-program", "--hostname-bin", "--files0-from", "--to-command", "--use-compress-program")
}

// plainSed says whether sed only prints, deletes or replaces lines: its commands e
// and w run programs and write files.
func plainSed(v view) bool {
	given := false
	for i := 0; i < len(v.words); i++ {
		text := v.words[i].Text
		switch {
		case text == "-e" && i+1 < len(v.words):
			i++
			if !plainEdit(v.words[i].Text) {
				return false
			}
			given = true
		case text == "-n" || text == "-E" || text == "-r" || text == "-s" || text == "-i" || text == "-u" || text == "-z":
		case strings.HasPrefix(text, "-"):
			return false
		case !given:
			if !plainEdit(text) {
				return false
			}
			given = true
		}
	}
	return given
}

// plainEdit says whether a text is one address with p, d, q or =, or one s command
// that only replaces.
func plainEdit(text string) bool {
	rest := strings.TrimLeft(text, "0123456789,$+~ ")
	switch rest {
	case "p", "d", "q", "=":
		return true
	}
	if len(rest) < 4 || rest[0] != 's' || strings.ContainsAny(text, "\n;{}") {
		return false
	}
	parts := strings.Split(rest, rest[1:2])
	return len(parts) == 4 && rest[1] != '\\' && strings.Trim(parts[3], "gpiI0123456789") == ""
}
