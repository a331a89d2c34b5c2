package guard

import (
	"slices"
	"strings"

	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// scripted reports whether sed or awk is given a script that runs other programs,
// that reads or writes files it names itself, or that can't be parsed here.
func scripted(v view) bool {
	switch v.name {
	case "sed", "gsed":
		texts, all := v.programs("e", "--expression", "l", "f", "--file")
		return !all || slices.ContainsFunc(texts, func(s string) bool { return !tameSed(s) })
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		texts, all := v.programs("e", "--source", "Fv", "fiElWdDop", "--file", "--include", "--exec", "--load", "--dump-variables", "--debug", "--profile", "--pretty-print")
		return !all || slices.ContainsFunc(texts, func(s string) bool { return !tameAwk(s) })
	}
	return false
}

// programs returns the scripts in the words: the values of an option, or the first
// non-option word. all is false if a script is in a file. values are the letters of other
// options that take the next word, files those of options that name a file.
func (v view) programs(letter, long, values, files string, longFiles ...string) (texts []string, all bool) {
	plain := ""
	for i := 0; i < len(v.words); i++ {
		text := v.words[i].Shape
		value := func(rest string) string {
			if rest == "" && i+1 < len(v.words) {
				i++
				rest = v.words[i].Shape
			}
			return rest
		}
		switch name, given, _ := strings.Cut(text, "="); {
		case strings.HasPrefix(text, "--") && len(text) > 2:
			if rule.Abbreviates(text, long) {
				texts = append(texts, value(given))
			} else if slices.ContainsFunc(longFiles, func(o string) bool { return rule.Abbreviates(name, o) }) {
				return nil, false
			}
		case len(text) > 1 && text[0] == '-' && text != "--":
			if v.is("sed", "gsed") { // what follows i is the end of a name
				text, _, _ = strings.Cut(text, "i")
			}
			at := strings.IndexAny(text[1:], letter+values+files)
			switch {
			case at < 0:
			case strings.ContainsAny(text[1+at:2+at], files):
				return nil, false
			default:
				if taken := value(text[2+at:]); text[1+at:2+at] == letter {
					texts = append(texts, taken)
				}
			}
		case plain == "" && text != "--":
			plain = text
		}
	}
	if len(texts) == 0 {
		texts = []string{plain}
	}
	return texts, true
}

// tameAwk reports whether an awk script runs no other program and opens no files.
func tameAwk(text string) bool {
	for _, word := range []string{string(shell.Unknown), "system", "getline", "@", "print"} {
		_, rest, ok := strings.Cut(text, word)
		if ok && (word[0] != 'p' || strings.ContainsAny(strings.ReplaceAll(rest, "||", ""), "|>")) {
			return false
		}
	}
	return true
}

// tameSed reports whether a sed script can be parsed completely and only reads, deletes
// or changes lines. (e and w run programs and write files; r reads them.)
func tameSed(text string) bool {
	if strings.ContainsRune(text, shell.Unknown) {
		return false
	}
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\n;{}")
		for range 2 {
			var ok bool
			if rest, ok = sedAddress(rest); !ok {
				return false
			}
			rest = strings.TrimPrefix(strings.TrimLeft(rest, " \t"), ",")
		}
		rest = strings.TrimLeft(rest, " \t!")
		if rest == "" {
			return true
		}
		command := rest[0]
		rest = rest[1:]
		switch command {
		case '}', '{', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '=':
		case 'q', 'Q', 'l', 'L':
			rest = strings.TrimLeft(rest, " 0123456789")
		case 's', 'y':
			if rest == "" || rest[0] == '\\' || rest[0] == '\n' {
				return false
			}
			delimiter := rest[0]
			rest = rest[1:]
			for range 2 {
				var ok bool
				if rest, ok = past(rest, delimiter); !ok {
					return false
				}
			}
			if command == 's' {
				rest = strings.TrimLeft(rest, "gpiImM0123456789")
			}
		case '#':
			_, rest, _ = strings.Cut(rest, "\n")
			continue
		case ':', 'b', 't', 'T': // implementations disagree where a name after these ends
			name, more, _ := strings.Cut(rest, "\n")
			if strings.ContainsAny(name, ";}") {
				return false
			}
			rest = more
			continue
		case 'a', 'i', 'c':
			for more := true; more; {
				var line string
				line, rest, _ = strings.Cut(rest, "\n")
				if strings.HasSuffix(line, `\\`) {
					return false
				}
				more = strings.HasSuffix(line, `\`)
			}
			continue
		default:
			return false
		}
		if rest = strings.TrimLeft(rest, " \t"); rest != "" && !strings.ContainsAny(rest[:1], ";\n}{#") && command != '{' && command != '}' {
			return false
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

// past returns what follows a text that ends with a delimiter.
func past(text string, delimiter byte) (rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case delimiter:
			return text[i+1:], true
		}
	}
	return "", false
}
