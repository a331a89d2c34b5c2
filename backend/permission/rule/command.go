package rule

import (
	"slices"
	"strings"

	"parley/backend/permission/rule/shell"
)

// commandPattern is the pattern of a Bash rule.
type commandPattern struct {
	words  []string // the words that a command starts with, or all of them
	prefix bool     // words may follow
	named  bool     // the last word may continue after a colon
	exact  string   // the pattern as written, without *
	wild   string   // a pattern with *
	order  ordered  // for deny and ask rules
}

// newCommandPattern reads the pattern of a Bash rule: an exact command, a prefix
// ("npm run:*", "npm run *"), or text with * anywhere.
func newCommandPattern(pattern string) commandPattern {
	pattern = strings.TrimSpace(pattern)
	p := commandPattern{}
	begin, prefix := strings.CutSuffix(pattern, ":*")
	colon := prefix
	if !prefix {
		begin, prefix = strings.CutSuffix(pattern, " *")
	}
	if strings.Contains(begin, "*") {
		if prefix {
			pattern = begin + " *"
		}
		p.wild = pattern
		return p
	}
	p.prefix = prefix
	p.exact = begin
	p.words = wordsOf(begin)
	p.named = colon && runsScript(p.words)
	return p
}

// runsScript reports whether the last word names a project script. Such names continue after
// a colon, so "npm run test:*" is read as users mean it: test, test:unit, test:e2e.
func runsScript(words []string) bool {
	return len(words) == 3 && (words[1] == "run" || words[1] == "run-script") && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, words[0])
}

// wordsOf returns the words of a simple command, or nil if it isn't one.
func wordsOf(text string) []string {
	if !strings.ContainsAny(text, "\\\"'$`|&;<>(){}[]?~#\n") {
		return strings.Fields(text)
	}
	script := shell.Read(text, shell.Env{})
	if len(script.Commands) == 0 || len(script.Doubts) > 0 {
		return nil
	}
	c := script.Commands[0]
	var words []string
	for _, w := range c.Words(0) {
		if w.Unknown || w.Glob {
			return nil
		}
		words = append(words, w.Text)
	}
	if len(c.Redirects) > 0 || len(c.Assigns) > 0 || len(script.Commands) > 1 && !c.Carrier {
		return nil
	}
	return words
}

// form is one view of a command: with or without its wrappers.
type form struct {
	words  []shell.Word
	quoted string // as a shell reads it
	plain  string // words with blanks between, for deny and ask rules
	shape  string // plain, with holes
}

func newForm(words []shell.Word) form {
	f := form{words: words, quoted: shell.Join(words)}
	var plain, shape strings.Builder
	for i, w := range words {
		if i > 0 {
			plain.WriteByte(' ')
			shape.WriteByte(' ')
		}
		plain.WriteString(w.Text)
		shape.WriteString(w.Shape)
	}
	f.plain, f.shape = plain.String(), shape.String()
	return f
}

// strict reports whether the pattern matches, for allow rules.
func (p commandPattern) strict(f form) bool {
	if p.wild != "" {
		return p.wildFits(f.quoted)
	}
	if p.words == nil {
		return false
	}
	if len(f.words) < len(p.words) || !p.prefix && len(f.words) != len(p.words) {
		return false
	}
	for i, want := range p.words {
		named := p.named && i == len(p.words)-1 && strings.HasPrefix(f.words[i].Text, want+":")
		if f.words[i].Unknown || f.words[i].Text != want && !named {
			return false
		}
	}
	return true
}

// wildFits treats a trailing blank and * as "nothing more, or a blank and more".
func (p commandPattern) wildFits(text string) bool {
	if fits(p.wild, text) {
		return true
	}
	begin, ok := strings.CutSuffix(p.wild, " *")
	return ok && fits(begin, text)
}

// loose reports whether the pattern matches any spelling of the command, for
// deny and ask rules.
func (p commandPattern) loose(f form) bool {
	if p.strict(f) {
		return true
	}
	if p.wild != "" && p.wildFits(f.plain) {
		return true
	}
	return p.wild == "" && (f.plain == p.exact || p.prefix && strings.HasPrefix(f.plain, p.exact+" ")) || p.order.fits(f.words)
}

// possible reports whether the pattern could match the command, depending on
// its unknown parts.
func (p commandPattern) possible(f form) bool {
	if !strings.ContainsRune(f.shape, shell.Unknown) {
		return false
	}
	if p.order.perhaps(f.words) {
		return true
	}
	if p.wild != "" {
		begin, _ := strings.CutSuffix(p.wild, " *")
		return could(p.wild, f.shape) || could(begin, f.shape)
	}
	want := strings.Join(p.words, " ")
	if p.words == nil {
		want = p.exact
	}
	return could(want, f.shape) || p.prefix && could(want+" *", f.shape)
}
