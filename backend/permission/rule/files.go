package rule

import (
	"net/url"
	"strings"

	"parley/backend/permission/rule/shell"
)

// access is what a command may do to the files that it is given.
type access struct {
	read, write bool
	tree        bool // to all that is in a folder
	guess       bool // it is not known which, so both are possible
	through     bool // to what the links in a folder lead to
}

// accessOf says what a command does to its files.
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
		return access{read: true, write: has("-i", "--in-place")}
	case "sort", "yq":
		return access{read: true, write: has("-o", "--output", "-i")}
	case "tar", "zip", "7z", "bsdtar":
		return access{read: true, tree: true, guess: true}
	}
	return access{read: true, guess: true}
}

// hasOption finds an option, also among others ("-r" in "-Ern") and with a value.
func hasOption(args []shell.Word, options ...string) bool {
	for _, a := range args {
		for _, o := range options {
			if a.Text == o || strings.HasPrefix(o, "--") && Abbreviates(a.Text, o) {
				return true
			}
			if len(o) == 2 && len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text[1:], o[1:]) {
				return true
			}
		}
	}
	return false
}

// Abbreviates says whether a word may stand for a long option: programs take any
// beginning of it that is clear to them, with a value or without.
func Abbreviates(word, option string) bool {
	name, _, _ := strings.Cut(word, "=")
	return len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(option, name)
}

// namesIn returns what may be names of files in a word: itself, what follows an
// option or a "=", and the pieces of a list.
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
		if strings.HasPrefix(name, "~") { // the program's to expand, or not
			names = append(names, "./"+name)
		}
	}
	add(s) // what looks like an option may be the value of the one before
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

// fileOf are the names of the file of an address: without a host, without escapes, and with
// a hole from where curl takes it for a pattern.
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
		names = append(names, text[:i]+string(shell.Hole))
	}
	return names
}

// harmless says whether a command can do nothing outside of the shell it runs in.
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
		return true // names that matter are in doubt already
	}
	return false
}
