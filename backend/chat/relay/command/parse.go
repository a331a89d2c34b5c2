package command

import (
	"strings"
	"unicode"

	"github.com/kballard/go-shellquote"
)

const (
	// maxName bounds a command's name, in letters; a longer word isn't a command.
	maxName = 32
	// maxWord bounds one word, in characters.
	maxWord = 4096
)

// Parse parses a post: true if it is meant as a command, which may be an unknown one. A
// command starts the post, and isn't inside a quotation or code.
func Parse(text string) (Call, bool) {
	line := strings.TrimLeft(text, "\r\n")
	inner := strings.TrimLeft(line, " ")
	if len(line)-len(inner) > 3 { // that is code in markdown
		return Call{}, false
	}
	rest, ok := strings.CutPrefix(inner, "!")
	if !ok {
		return Call{}, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	name, rest := rest[:end], rest[end:]
	if name == "" || len(name) > maxName || rest != "" && !unicode.IsSpace([]rune(rest)[0]) && rest[0] != '.' && rest[0] != '?' {
		return Call{}, false
	}
	if rest != "" && !unicode.IsSpace([]rune(rest)[0]) {
		if strings.Trim(rest, ".? \n") != "" {
			return Call{}, false // "!help.me" isn't a command
		}
		rest = ""
	}
	return Call{Name: strings.ToLower(name), Text: strings.TrimSpace(rest)}, true
}

// cutWord removes the first word of a text as a shell would, and returns the rest
// unchanged. An unclosed quotation mark is only a character, as in "don't". Nothing is
// expanded.
func cutWord(text string) (word, rest string, ok bool) {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) == 0 {
		return "", "", false
	}
	plain := straight(runes)
	for end := 1; end <= min(len(runes), maxWord); end++ {
		if end < len(runes) && !unicode.IsSpace(runes[end]) {
			continue
		}
		if words, err := shellquote.Split(string(plain[:end])); err == nil && len(words) == 1 {
			return words[0], strings.TrimSpace(string(runes[end:])), true
		}
	}
	end := 0
	for end < len(runes) && !unicode.IsSpace(runes[end]) {
		end++
	}
	return string(runes[:end]), strings.TrimSpace(string(runes[end:])), true
}

// words returns all words of a text.
func words(text string) []string {
	var list []string
	for {
		word, rest, ok := cutWord(text)
		if !ok {
			return list
		}
		list, text = append(list, word), rest
	}
}

// quoted returns the content of a text that is entirely quoted.
func quoted(text string) (string, bool) {
	text = strings.TrimSpace(text)
	runes := []rune(text)
	if len(runes) < 2 {
		return "", false
	}
	marks := straight([]rune{runes[0], runes[len(runes)-1]})
	if marks[0] != marks[1] || marks[0] != '"' && marks[0] != '\'' {
		return "", false
	}
	if word, rest, ok := cutWord(text); ok && rest == "" {
		return word, true
	}
	return "", false
}

// free returns a text with optional quotation marks.
func free(text string) string {
	if inner, ok := quoted(text); ok {
		return inner
	}
	return strings.TrimSpace(text)
}

// straight converts typographic quotation marks to plain ones, one character for one.
func straight(text []rune) []rune {
	out := make([]rune, len(text))
	for i, r := range text {
		switch r {
		case '“', '”', '„', '‟', '«', '»', '＂':
			r = '"'
		case '‘', '’', '‚', '‛', '‹', '›', '＇':
			r = '\''
		}
		if unicode.IsSpace(r) && r != '\n' {
			r = ' '
		}
		out[i] = r
	}
	return out
}
