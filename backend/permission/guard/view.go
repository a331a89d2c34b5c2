package guard

import (
	"regexp"
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// view is a command without the wrappers around it, easy to ask.
type view struct {
	name  string
	words []shell.Word // without the name
	text  string
	// standard is set when the program is not named by a path, or by one of the system's:
	// only then it is what its name says.
	standard bool
	// deep is set, where files are looked at, when it is told to go into folders.
	deep bool
	// own are files of settings that it only reads, see withoutOwn.
	own []string
	// folders are those that it is told to work in, see withFolder.
	folders []string
	// plain are the words that are no options.
	plain []string
}

func viewOf(words []shell.Word) view {
	if len(words) == 0 {
		return view{}
	}
	name := shell.Base(words[0].Text)
	dir := strings.TrimSuffix(words[0].Text, name)
	v := view{name: name, text: short(shell.Join(words[:min(len(words), 100)])), standard: dir == "" || slices.Contains([]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"}, dir)}
	return v.with(words[1:])
}

// with is the view of the program with other words.
func (v view) with(words []shell.Word) view {
	v.words, v.plain = words, nil
	for _, w := range words {
		if !strings.HasPrefix(w.Text, "-") {
			v.plain = append(v.plain, w.Text)
		}
	}
	return v
}

// is says whether the program is one of those.
func (v view) is(names ...string) bool {
	for _, n := range names {
		if v.name == n {
			return true
		}
	}
	return false
}

// has says whether an option is given, also among other letters and with a value.
func (v view) has(options ...string) bool {
	for _, w := range v.words {
		for _, o := range options {
			switch {
			case w.Text == o, strings.HasPrefix(o, "--") && rule.Abbreviates(w.Text, o):
				return true
			case len(o) == 2 && len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text[1:], o[1:]):
				return true
			}
		}
	}
	return false
}

// verb is the word at a place among those that are no options, "" when there is
// none.
func (v view) verb(i int) string {
	if i < len(v.plain) {
		return v.plain[i]
	}
	return ""
}

// verbs says whether the first words are those.
func (v view) verbs(words ...string) bool {
	return len(v.plain) >= len(words) && slices.Equal(v.plain[:len(words)], words)
}

// contains says whether any word contains one of the texts, whatever the case.
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

// modules is what reads another file in a program of jq.
var modules = regexp.MustCompile(`(^|[^.$\w])(import|include|modulemeta)\b`)

// signatures is what has git check a signature, by a program of its configuration.
var signatures = regexp.MustCompile(`%[-+ ]?G|%\(\*?signature`)

func checksSignatures(v view) bool {
	return v.is("git") && slices.ContainsFunc(v.words, func(w shell.Word) bool { return signatures.MatchString(w.Text) })
}

// readsModules says whether jq is told to read files that are no words of the command.
func readsModules(v view) bool {
	return v.is("jq", "gojq", "jaq") && (v.told("-L") || v.told("-f") || v.told("--from-file") || v.told("--library-path") ||
		slices.ContainsFunc(v.words, func(w shell.Word) bool { return modules.MatchString(w.Text) }))
}
