package rule

import (
	"net/url"
	"strings"

	"parley/backend/permission/rule/shell"
)

// access is what a command may do with its files.
type access struct {
	read, write bool
	tree        bool // to everything in a folder
	guess       bool // unknown which, so both are possible
	through     bool // to the targets of links in a folder
}

// accessOf returns what a command does with its files.
func accessOf(c shell.Command) access {
	has := func(options ...string) bool { return hasOption(c.Args(), options...) }
	switch c.Name() {
	case "", "cd", "pushd", "popd", "exit", "return", ":", "true", "false", "echo", "printf", "pwd", "sleep", "wait", "kill", "which", "type", "date",
		"whoami", "hostname", "uname", "id", "seq", "basename", "dirname", "break", "continue", "shift", "set", "unset", "export", "local", "declare",
		"readonly", "typeset", "read", "trap", "eval", "command":
		return access{}
	case "test", "[", "ls", "stat", "file", "readlink", "realpath", "du", "df", "tree", "lsof":
		return access{read: true}
	case "cat", "tac", "head", "tail", "less", "more", "bat", "cut", "wc", "diff", "cmp", "comm", "join", "paste", "nl", "rev", "fold", "fmt",
		"md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "base64", "base32", "od", "hexdump", "strings", "jq", "column", "source", ".",
		"mapfile", "readarray", "awk", "gawk", "mawk", "pr", "look", "zcat", "zgrep", "gpg", "openssl", "ssh-keygen":
		return access{read: true}
	case "uniq", "xxd": // a second file is written
		return access{read: true, guess: len(c.Args()) > 2}
	case "grep", "egrep", "fgrep":
		return access{read: true, tree: has("-r", "-R", "--recursive", "--dereference-recursive")}
	case "rg", "ag", "ack", "fd", "fdfind":
		return access{read: true, tree: true}
	case "find":
		if has("-delete", "-fprint", "-fprintf", "-fls", "-fprint0") {
			return access{read: true, write: true, tree: true}
		}
		return access{read: true, tree: true}
	case "rm", "rmdir", "unlink", "shred", "srm", "trash", "chmod", "chown", "chgrp", "chattr", "setfacl":
		return access{write: true, tree: true}
	case "touch", "mkdir", "truncate", "tee", "mkfifo", "mknod", "mktemp", "sponge", "fallocate":
		return access{write: true}
	case "mv", "cp", "install", "rsync", "scp", "ln", "ditto":
		return access{read: true, write: true, tree: true}
	case "dd", "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "patch":
		return access{read: true, write: true}
	case "sed", "gsed", "perl", "ruby":
		in := has("-i", "--in-place")
		return access{read: true, write: in, tree: in && len(c.Layers) > 1} // BusyBox's sed renames folders, too
	case "sort", "yq":
		return access{read: true, write: has("-o", "--output", "-i")}
	case "tar", "zip", "7z", "bsdtar":
		return access{read: true, tree: true, guess: true}
	}
	return access{read: true, guess: true}
}

// hasOption finds an option, also among combined letters ("-r" in "-Ern") and
// with a value.
func hasOption(args []shell.Word, options ...string) bool {
	for _, a := range args {
		for _, o := range options {
			if a.Text == o || strings.HasPrefix(o, "--") && IsPrefixOf(a.Text, o) {
				return true
			}
			if len(o) == 2 && len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text[1:], o[1:]) {
				return true
			}
		}
	}
	return false
}

// IsPrefixOf reports whether a word may stand for a long option: programs
// accept any unambiguous prefix, with or without a value.
func IsPrefixOf(word, option string) bool {
	name, _, _ := strings.Cut(word, "=")
	return len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(option, name)
}

// namesIn returns the possible file names in a word: the word itself, what
// follows an option or a "=", and the elements of a list.
func namesIn(w shell.Word) []string {
	if w.Unknown {
		return nil
	}
	s := w.Shape
	if i := strings.Index(strings.ToLower(s), "file://"); i >= 0 {
		return fileOf(s[i+len("file://"):])
	} else if strings.Contains(s, "://") {
		return nil // an address
	}
	names := make([]string, 0, 4)
	add := func(name string) {
		if at, ok := strings.CutPrefix(name, "@"); ok { // a file with more arguments, or a name
			names = append(names, "./"+name)
			name = at
		}
		if name != "" && len(name) <= 4096 {
			names = append(names, name)
		}
		if strings.HasPrefix(name, "~") { // expanded by the program, or not
			names = append(names, "./"+name)
		}
	}
	add(s) // an apparent option may be the value of the previous one
	if strings.HasPrefix(s, "-") && len(s) > 2 && s[1] != '-' {
		add(s[2:])
	}
	if _, value, ok := strings.Cut(s, "="); ok {
		add(value)
	}
	if strings.ContainsAny(s, ":,") {
		for _, piece := range strings.FieldsFunc(s, func(c rune) bool { return c == ':' || c == ',' || c == '=' }) {
			add(piece)
		}
	}
	return names
}

// fileOf returns the file names of an address: without host and escapes, and with a hole
// from where curl treats it as a pattern.
func fileOf(text string) []string {
	if i := strings.IndexByte(text, '/'); i > 0 {
		text = text[i:]
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	names := []string{text}
	if plain, err := url.PathUnescape(text); err == nil && plain != text {
		names = append(names, plain)
		text = plain
	}
	if i := strings.IndexAny(text, "{["); i >= 0 {
		names = append(names, text[:i]+string(shell.Unknown))
	}
	return names
}

// harmless reports whether a command has no effect outside its shell.
func harmless(c shell.Command) bool {
	if len(c.Layers) > 1 {
		return false
	}
	args := c.Args()
	if len(args) == 0 {
		return true
	}
	switch args[0].Text {
	case ":", "true", "false", "echo", "pwd", "exit", "return", "break", "continue", "sleep", "wait", "test", "[", "cd", "shift":
		return true
	case "printf":
		return !hasOption(args[:min(len(args), 2)], "-v")
	case "command":
		return len(args) > 1 && (args[1].Text == "-v" || args[1].Text == "-V")
	case "export", "local", "readonly", "declare", "typeset":
		return true // names that matter are already in doubt
	}
	return false
}
