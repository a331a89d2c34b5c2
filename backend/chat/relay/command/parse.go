package command

import (
	"strings"
	"unicode"

	"github.com/kballard/go-shellquote"
)

const (
	// maxName bounds a command's name, in letters; a longer word is none.
	maxName = 32
	// maxWord bounds one word, in characters.
	maxWord = 4096
)

// Parse reads a post: true when it is meant as a command, which may be one that there is
// none of. A command begins the post: in a quotation or a piece of code there is none.
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
			return Call{}, false // "!help.me" is something else
		}
		rest = ""
	}
	return Call{Name: strings.ToLower(name), Text: strings.TrimSpace(rest)}, true
}

// cutWord takes the first word off a text, as a shell would read it, and returns what
// follows as it was written. A quotation mark that nothing closes is only a character,
// as in "don't". Nothing is expanded.
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

// words are all words of a text.
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

// quoted is what stands between the quotation marks of a text that has nothing else.
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

// free is a text that may be in quotation marks, and need not.
func free(text string) string {
	if inner, ok := quoted(text); ok {
		return inner
	}
	return strings.TrimSpace(text)
}

// straight makes typographic quotation marks those of a keyboard, one character for one.
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
