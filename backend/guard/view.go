package guard

import (
	"slices"
	"strings"

	"parley/backend/rule"
	"parley/backend/rule/shell"
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
}

func viewOf(words []shell.Word) view {
	if len(words) == 0 {
		return view{}
	}
	name := shell.Base(words[0].Text)
	dir := strings.TrimSuffix(words[0].Text, name)
	return view{name: name, words: words[1:], text: short(shell.Join(words[:min(len(words), 100)])), standard: dir == "" || slices.Contains([]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"}, dir)}
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

// plain are the words that are no options.
func (v view) plain() []string {
	var out []string
	for _, w := range v.words {
		if !strings.HasPrefix(w.Text, "-") {
			out = append(out, w.Text)
		}
	}
	return out
}

// verb is the word at a place among those that are no options, "" when there is
// none.
func (v view) verb(i int) string {
	if p := v.plain(); i < len(p) {
		return p[i]
	}
	return ""
}

// verbs says whether the first words are those.
func (v view) verbs(words ...string) bool {
	p := v.plain()
	if len(p) < len(words) {
		return false
	}
	for i, w := range words {
		if p[i] != w {
			return false
		}
	}
	return true
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
