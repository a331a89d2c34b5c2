package rule

import (
	"path"
	"strings"

	"parley/backend/permission/rule/shell"
)

// backups returns the files that a command creates because it keeps what it replaces
// under another name. The sources are the manuals of GNU sed (-i, --in-place) and of the
// GNU coreutils (-b, -S and --suffix).
func backups(c shell.Command) []shell.Word {
	var patterns []string // with NUL for the name
	words := c.Args()
	switch c.Name() {
	case "sed", "gsed":
		for _, suffix := range suffixes(words, 'i', "efl", "--in-place", false) {
			if !strings.Contains(suffix, "*") {
				suffix = "*" + suffix
			}
			patterns = append(patterns, strings.ReplaceAll(suffix, "*", "\x00"))
		}
	case "cp", "mv", "ln", "install":
		for _, suffix := range suffixes(words, 'S', "gmot", "--suffix", true) {
			patterns = append(patterns, "\x00"+suffix)
		}
		if len(patterns) > 0 || hasOption(words, "-b", "--backup") {
			patterns = append(patterns, "\x00~", "\x00.~"+string(shell.Unknown)+"~")
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	last := words[len(words)-1].Shape
	var out []shell.Word
	for _, w := range words[1:] {
		if strings.HasPrefix(w.Shape, "-") && len(w.Shape) > 1 {
			continue
		}
		for _, pattern := range patterns {
			name := strings.ReplaceAll(pattern, "\x00", path.Base(w.Shape))
			for _, dir := range []string{".", path.Dir(w.Shape), last} {
				out = append(out, shell.Plain(dir+"/"+name))
			}
			if path.IsAbs(name) {
				out = append(out, shell.Plain(name))
			}
		}
	}
	return out
}

// suffixes returns the values of an option that is given as a letter or in full. Behind a
// letter in valued, the rest of the word is that option's value. next is set if the value
// may be the next word.
func suffixes(words []shell.Word, letter byte, valued, long string, next bool) []string {
	var out []string
	for i, w := range words {
		text, value, found := w.Shape, "", false
		switch {
		case strings.HasPrefix(text, "--"):
			if found = IsPrefixOf(text, long); found {
				_, value, _ = strings.Cut(text, "=")
			}
		case strings.HasPrefix(text, "-"):
			if at := strings.IndexByte(text, letter); at > 0 && !strings.ContainsAny(text[:at], valued) {
				value, found = text[at+1:], true
			}
		}
		if found && value == "" && next && i+1 < len(words) {
			value = words[i+1].Shape
		}
		if value != "" && len(out) < 10 {
			out = append(out, value)
		}
	}
	return out
}
