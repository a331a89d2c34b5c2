package guard

import (
	"regexp"
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// view is a command without its wrappers, with helpers for queries.
type view struct {
	name  string
	words []shell.Word // without the name
	text  string
	// standard is set if the program isn't named by a path, or by a system path: only
	// then is it certain what it does.
	standard bool
	// deep is set if it recurses into folders, where that matters.
	deep bool
	// own are settings files that it only reads, see withoutOwn.
	own []string
	// folders are those it is told to work in, see withFolder.
	folders []string
	// reach is what the script in its words can do.
	reach shell.Reach
	// plain are the non-option words.
	plain []string
}

func viewOf(words []shell.Word) view {
	if len(words) == 0 {
		return view{}
	}
	name := shell.Base(words[0].Text)
	dir := strings.TrimSuffix(words[0].Text, name)
	v := view{name: name, text: short(shell.Join(words[:min(len(words), 100)])), standard: dir == "" || slices.Contains([]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"}, dir), reach: shell.ReachOf(words)}
	return v.with(words[1:])
}

// with returns the view of the program with other words.
func (v view) with(words []shell.Word) view {
	v.words, v.plain = words, nil
	for _, w := range words {
		if !strings.HasPrefix(w.Text, "-") {
			v.plain = append(v.plain, w.Text)
		}
	}
	return v
}

// is reports whether the program is one of names.
func (v view) is(names ...string) bool {
	for _, n := range names {
		if v.name == n {
			return true
		}
	}
	return false
}

// has reports whether an option is given, also among combined letters and with a
// value.
func (v view) has(options ...string) bool {
	for _, w := range v.words {
		for _, o := range options {
			switch {
			case w.Text == o, strings.HasPrefix(o, "--") && rule.IsPrefixOf(w.Text, o):
				return true
			case len(o) == 2 && len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text[1:], o[1:]):
				return true
			}
		}
	}
	return false
}

// verb returns the i-th non-option word, "" if there is none.
func (v view) verb(i int) string {
	if i < len(v.plain) {
		return v.plain[i]
	}
	return ""
}

// verbs reports whether the first non-option words are those.
func (v view) verbs(words ...string) bool {
	return len(v.plain) >= len(words) && slices.Equal(v.plain[:len(words)], words)
}

// contains reports whether any word contains one of the texts, ignoring case.
func (v view) contains(texts ...string) bool {
	for _, w := range v.words {
		lower := strings.ToLower(w.Text)
		for _, t := range texts {
			if strings.Contains(lower, t) {
				return true
			}
		}
	}
	return false
}

// modules matches what reads another file in a jq program.
var modules = regexp.MustCompile(`(^|[^.$\w])(import|include|modulemeta)\b`)

// signatures matches what makes git check a signature, using a program from its
// configuration.
var signatures = regexp.MustCompile(`%[-+ ]?G|%\(\*?signature`)

func checksSignatures(v view) bool {
	return v.is("git") && slices.ContainsFunc(v.words, func(w shell.Word) bool { return signatures.MatchString(w.Text) })
}

// readsModules reports whether jq reads files that aren't words of the command.
func readsModules(v view) bool {
	return v.is("jq", "gojq", "jaq") && (v.told("-L") || v.told("-f") || v.told("--from-file") || v.told("--library-path") ||
		slices.ContainsFunc(v.words, func(w shell.Word) bool { return modules.MatchString(w.Text) }))
}
