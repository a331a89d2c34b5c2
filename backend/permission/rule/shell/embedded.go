package shell

import (
	"regexp"
	"slices"
	"strings"
)

// Reach is what a script in the words of sed or awk can do beside reading its input.
type Reach int

const (
	// Input means that it only reads its input and prints.
	Input Reach = iota
	// Files means that it opens files it names itself, or that the script is in a file.
	Files
	// Programs means that it can run programs, or that it can't be parsed here.
	Programs
)

// WhyScript is the doubt about a command whose reach is Programs.
const WhyScript = "Its script can run programs, or Parley cannot read it."

// ReachOf returns what the script in a command's words can do, Input if the command is
// not sed or awk.
func ReachOf(words []Word) Reach {
	if len(words) == 0 {
		return Input
	}
	switch Base(words[0].Text) {
	case "sed", "gsed":
		return sedOptions.reach(words[1:], sedReach)
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		return awkOptions.reach(words[1:], awkReach)
	}
	return Input
}

// scriptOptions are the options of sed or awk. Any other option may do anything.
type scriptOptions struct {
	script byte   // the letter of the option whose value is a script
	file   byte   // of the one whose value is a script's file
	values string // of those with another value
	opens  string // of those that open other files; some versions ignore them
	flags  string // of those that do neither
	suffix string // of those in flags for which the rest of the word is a value

	longScript, longFile string
	longValues           []string // the value may be in the next word
	longOpens            []string
	longFlags            []string
}

// The options are those in the manuals of GNU sed, POSIX awk, gawk, mawk, BusyBox and
// the original awk. The last one ignores options that it doesn't know.
var (
	sedOptions = scriptOptions{
		script: 'e', file: 'f', values: "l", flags: "nrEsuzbi", suffix: "i",
		longScript: "--expression", longFile: "--file", longValues: []string{"--line-length"},
		longFlags: []string{"--quiet", "--silent", "--debug", "--binary", "--follow-symlinks", "--in-place", "--posix", "--regexp-extended", "--sandbox", "--separate", "--unbuffered", "--null-data", "--zero-terminated", "--help", "--version"},
	}
	awkOptions = scriptOptions{
		script: 'e', file: 'f', values: "Fv", opens: "EildDop", flags: "bcCghIkLMnNOPrsStV", suffix: "L",
		longScript: "--source", longFile: "--file", longValues: []string{"--field-separator", "--assign"},
		longOpens: []string{"--exec", "--include", "--load", "--dump-variables", "--debug", "--profile", "--pretty-print"},
		longFlags: []string{"--characters-as-bytes", "--traditional", "--copyright", "--csv", "--gen-pot", "--help", "--trace", "--lint", "--lint-old", "--bignum", "--use-lc-numeric", "--non-decimal-data", "--optimize", "--no-optimize", "--posix", "--re-interval", "--sandbox", "--version"},
	}
)

// scripts collects what the words of sed or awk say about its scripts.
type scripts struct {
	scriptOptions
	words []Word // those that are left
	texts []string
	given bool // an option gave a script or a script's file
	reach Reach
}

// reach returns what the scripts in words can do: the values of the options for them, or
// else the first word that is no option. A word that is a script in one version of the
// program only is parsed, too.
func (o scriptOptions) reach(words []Word, of func(text string) Reach) Reach {
	s := scripts{scriptOptions: o, words: words}
	for operand := false; len(s.words) > 0; {
		text := s.words[0].Shape
		s.words = s.words[1:]
		switch {
		case text == "--":
			if len(s.words) > 0 && !operand && !s.given {
				s.texts = append(s.texts, s.next(""))
			}
			s.words = nil
		case len(text) < 2 || text[0] != '-':
			if !operand && !s.given {
				s.texts = append(s.texts, text)
			}
			operand = operand || text != "" // -i may take the first one
		case strings.HasPrefix(text, "--"):
			if !s.long(text) {
				return Programs
			}
		case !s.letters(text[1:]):
			return Programs
		}
	}
	for i, text := range s.texts {
		if i+1 < len(s.texts) && strings.HasSuffix(text, `\`) {
			return Programs // the next one continues it
		}
		s.reach = max(s.reach, of(text))
	}
	return s.reach
}

// next returns an option's value: the rest of its word, or the next word.
func (s *scripts) next(rest string) string {
	if rest != "" || len(s.words) == 0 {
		return rest
	}
	w := s.words[0]
	s.words = s.words[1:]
	if (w.Unknown || w.Glob) && !oneWord.MatchString(w.Text) {
		s.reach = Programs // it may be no word, or several: the script may be anywhere
	}
	return w.Shape
}

// oneWord matches the source of a word that is one word whatever its variables hold.
var oneWord = regexp.MustCompile("^[\\w.,:=%+-]*\"([^\"`$\\\\]|\\$\\w+|\\$\\{\\w+\\})*\"$")

// long parses a long option. It returns false if it isn't known.
func (s *scripts) long(text string) bool {
	name, value, has := strings.Cut(text, "=")
	may := func(option string) bool { return strings.HasPrefix(option, name) }
	switch {
	case may(s.longScript), may(s.longFile):
		if !has {
			value = s.next("")
		}
		s.given = true
		if may(s.longFile) {
			s.reach = max(s.reach, Files)
		}
		if may(s.longScript) {
			s.texts = append(s.texts, value)
		}
	case slices.ContainsFunc(s.longOpens, may), slices.ContainsFunc(s.longValues, may):
		if !has {
			s.texts = append(s.texts, s.next(""))
		}
		if slices.ContainsFunc(s.longOpens, may) {
			s.reach = max(s.reach, Files)
		}
	default:
		return slices.ContainsFunc(s.longFlags, may)
	}
	return true
}

// letters parses short options. It returns false if one isn't known.
func (s *scripts) letters(text string) bool {
	for i := range len(text) {
		is := func(letters string) bool { return strings.IndexByte(letters, text[i]) >= 0 }
		rest := text[i+1:]
		switch {
		case text[i] == s.script:
			s.given = true
			s.texts = append(s.texts, s.next(rest))
			return true
		case text[i] == s.file:
			s.given = true
			s.reach = max(s.reach, Files)
			s.next(rest)
			return true
		case is(s.values):
			s.next(rest)
			return true
		case is(s.opens):
			s.reach = max(s.reach, Files)
			s.texts = append(s.texts, s.next(rest))
			return true
		case is(s.suffix):
			return true
		case !is(s.flags):
			return false
		}
	}
	return true
}

// awkReach returns what an awk script can do.
func awkReach(text string) Reach {
	if strings.ContainsRune(text, Unknown) || strings.Contains(text, "system") || strings.Contains(text, "@") {
		return Programs
	}
	code, ok := awkCode(text)
	if !ok {
		return Programs
	}
	_, printed, prints := strings.Cut(code, "print")
	pipe := func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "||", ""), "|") }
	reads := strings.Contains(code, "getline")
	switch {
	case pipe(printed), reads && pipe(code):
		return Programs
	case reads, prints && strings.Contains(printed, ">"), strings.Contains(code, "ARGV"):
		return Files
	}
	return Input
}

// awkCode removes what is inside strings. Where a slash may begin an expression, or a
// comment may hold a quote, the text is returned as it is.
func awkCode(text string) (code string, ok bool) {
	if strings.ContainsAny(text, "/#") {
		return text, true
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, `"`)
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		if text, ok = past(rest, '"'); !ok {
			return "", false
		}
		b.WriteString(`""`)
	}
}

// sedReach returns what a sed script can do. (e runs programs, w writes files and r reads
// them.)
func sedReach(text string) Reach {
	if strings.ContainsRune(text, Unknown) {
		return Programs
	}
	reach := Input
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\n;{}")
		for range 2 {
			var ok bool
			if rest, ok = sedAddress(rest); !ok {
				return Programs
			}
			rest = strings.TrimPrefix(strings.TrimLeft(rest, " \t"), ",")
		}
		rest = strings.TrimLeft(rest, " \t!")
		if rest == "" {
			return reach
		}
		command := rest[0]
		rest = rest[1:]
		switch command {
		case '}', '{', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '=':
		case 'q', 'Q', 'l', 'L':
			rest = strings.TrimLeft(rest, " 0123456789")
		case 's', 'y':
			if rest == "" || rest[0] == '\\' || rest[0] == '\n' {
				return Programs
			}
			delimiter := rest[0]
			rest = rest[1:]
			for range 2 {
				var ok bool
				if rest, ok = past(rest, delimiter); !ok {
					return Programs
				}
			}
			if command == 's' {
				rest = strings.TrimLeft(rest, "gpiImM0123456789")
				if strings.HasPrefix(rest, "w") {
					reach = Files
					_, rest, _ = strings.Cut(rest, "\n")
					continue
				}
			}
		case 'r', 'R', 'w', 'W': // the name ends with the line
			reach = Files
			_, rest, _ = strings.Cut(rest, "\n")
			continue
		case '#':
			_, rest, _ = strings.Cut(rest, "\n")
			continue
		case ':', 'b', 't', 'T': // implementations disagree where a name after these ends
			name, more, _ := strings.Cut(rest, "\n")
			if strings.ContainsAny(strings.TrimSpace(name), ";} \t") {
				return Programs
			}
			rest = more
			continue
		case 'a', 'i', 'c':
			for more := true; more; {
				var line string
				line, rest, _ = strings.Cut(rest, "\n")
				if strings.HasSuffix(line, `\\`) {
					return Programs
				}
				more = strings.HasSuffix(line, `\`)
			}
			continue
		default:
			return Programs
		}
		if rest = strings.TrimLeft(rest, " \t"); rest != "" && !strings.ContainsAny(rest[:1], ";\n}{#") && command != '{' && command != '}' {
			return Programs
		}
	}
}

// sedAddress removes a command's line address.
func sedAddress(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, " \t0123456789$+~")
	switch {
	case strings.HasPrefix(rest, "/"):
		rest, ok = past(rest[1:], '/')
	case strings.HasPrefix(rest, `\`) && len(rest) > 1:
		rest, ok = past(rest[2:], rest[1])
	default:
		return rest, true
	}
	return strings.TrimLeft(rest, "IM"), ok
}

// past returns what follows a text that ends with a delimiter on the same line.
func past(text string, delimiter byte) (rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case delimiter:
			return text[i+1:], true
		case '\n':
			return "", false
		}
	}
	return "", false
}
