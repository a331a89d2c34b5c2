package shell

import (
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

// scriptOptions describes where sed or awk has its scripts.
type scriptOptions struct {
	letter  byte     // the option whose value is a script
	long    string   // the same, as a long option
	values  string   // letters of other options that take a value
	valued  []string // long options that may take the next word
	files   string   // letters of options that name a script's file or another file
	named   []string // the same, as long options
	unknown string   // letters of options that can do anything
	suffix  string   // letters after which the rest of the word is a name
}

var (
	sedOptions = scriptOptions{letter: 'e', long: "--expression", values: "l", valued: []string{"--line-length"}, files: "f", named: []string{"--file"}, suffix: "i"}
	awkOptions = scriptOptions{
		letter: 'e', long: "--source", values: "Fv", valued: []string{"--field-separator", "--assign"}, files: "fiEldDop",
		named: []string{"--file", "--include", "--exec", "--load", "--dump-variables", "--debug", "--profile", "--pretty-print"}, unknown: "W",
	}
)

// reach finds the scripts in words: the values of the option, and the first word that is
// no option, unless the option came before it.
func (o scriptOptions) reach(words []Word, of func(text string) Reach) Reach {
	reach := Input
	var texts []string
	plain, ended := false, false
	for i := 0; i < len(words); i++ {
		text := words[i].Shape
		value := func(rest string) string {
			if rest == "" && i+1 < len(words) {
				i++
				rest = words[i].Shape
			}
			return rest
		}
		switch {
		case ended || len(text) < 2 || text[0] != '-':
			if !plain && len(texts) == 0 && reach == Input {
				texts = append(texts, text)
			}
			plain = true
		case text == "--":
			ended = true
		case strings.HasPrefix(text, "--"):
			name, given, has := strings.Cut(text, "=")
			may := func(option string) bool { return strings.HasPrefix(option, name) }
			switch {
			case may(o.long):
				if !has {
					given = value("")
				}
				texts = append(texts, given)
			case slices.ContainsFunc(o.named, may):
				reach = max(reach, Files)
			case !has && slices.ContainsFunc(o.valued, may):
				i++
			}
		default:
			if o.suffix != "" {
				text, _, _ = strings.Cut(text, o.suffix)
			}
			at := strings.IndexAny(text, string(o.letter)+o.values+o.files+o.unknown)
			switch {
			case at < 0:
			case strings.IndexByte(o.unknown, text[at]) >= 0:
				return Programs
			case strings.IndexByte(o.files, text[at]) >= 0:
				reach = max(reach, Files)
			case text[at] == o.letter:
				texts = append(texts, value(text[at+1:]))
			default:
				value(text[at+1:])
			}
		}
	}
	for _, text := range texts {
		if len(texts) > 1 && strings.HasSuffix(text, `\`) {
			return Programs // the next one continues it
		}
		reach = max(reach, of(text))
	}
	return reach
}

// awkReach returns what an awk script can do.
func awkReach(text string) Reach {
	_, printed, prints := strings.Cut(text, "print")
	pipe := func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "||", ""), "|") }
	reads := strings.Contains(text, "getline")
	switch {
	case strings.ContainsRune(text, Unknown), strings.Contains(text, "system"), strings.Contains(text, "@"), pipe(printed), reads && pipe(text):
		return Programs
	case reads, prints && strings.Contains(printed, ">"):
		return Files
	}
	return Input
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
