package untrusted

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// opens reports whether a character is a "<", or looks like one.
func opens(r rune) bool {
	return strings.ContainsRune("<‹˂ᐸ≺⋖❮❰⟨⦑⧼⪡〈〈﹤＜", r)
}

const (
	// maxLead bounds the characters before a tag's name, maxTag those of the tag
	// that are checked.
	maxLead, maxTag = 16, 48
)

// tag reports whether the text after a "<" could be taken for a tag with a
// meaning. It is generous: blanks and signs before the name, blanks within it, digits
// and letters that look like others. angle is false for a character that only looks like a "<".
func tag(rest string, angle bool) bool {
	lead, direct := 0, true
	i := strings.IndexFunc(rest, func(r rune) bool {
		lead++
		if name := unicode.IsLetter(r) || unicode.IsDigit(r) || enclosed(r); name || lead > maxLead || strings.ContainsRune(`\<>`, r) {
			return true
		}
		direct = direct && r == '/'
		return false
	})
	if i < 0 || lead > maxLead {
		return false
	}
	t := read(rest[i:])
	switch {
	case t.foreign && (t.ascii || angle && (direct || t.closed)):
		// Such a name has no honest use, only the purpose of looking like a real one.
		return true
	case !t.ascii:
		return false
	}
	parts := strings.Split(t.strict, "-")
	return slices.ContainsFunc(append(slices.Clip(parts), t.squeezed), func(part string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return begins(part, b) })
	}) || slices.ContainsFunc(parts, func(part string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return len(w) == len(part) && begins(part, w) })
	})
}

// name is the name of a tag.
type name struct {
	// strict ends at the first blank, squeezed has blanks removed. Both are folded.
	strict, squeezed string
	// ascii and foreign say which letters it has, closed whether the tag is closed after it.
	ascii, foreign, closed bool
}

func read(s string) name {
	var t name
	var strict, squeezed strings.Builder
	n, within := 0, true
	end := strings.IndexFunc(s, func(r rune) bool {
		if n++; n > maxTag {
			return true
		}
		switch {
		case r < utf8.RuneSelf && word(r):
			t.ascii = t.ascii || letter(r)
			squeezed.WriteRune(r)
			if within {
				strict.WriteRune(r)
			}
		case unicode.IsMark(r), joins(r):
		case unicode.IsLetter(r), enclosed(r):
			t.foreign = t.foreign || within
		case strings.ContainsRune("-_.:", r):
			if within {
				strict.WriteByte('-')
			}
		case blank(r):
			within = false
		default:
			return true
		}
		return false
	})
	t.strict, t.squeezed = fold(strict.String()), fold(squeezed.String())
	t.closed = end >= 0 && strings.ContainsAny(s[end:end+1], "/>")
	return t
}

// fold replaces lookalikes of more than one character.
func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "rn", "m") }

// beginnings are prefixes of names of tags that a model, its CLI or Parley gives a
// meaning; words are whole names, and parts of names between signs, that are harmless
// as a part of longer ones.
var (
	beginnings = []string{
		"system", "parley", "antml", "anthropic", "claude", "invoke", "functioncall", "functionresult", "functionoutput",
		"toolcall", "tooluse", "toolresult", "localcommand", "commandname", "commandmessage", "commandargs", "bashinput", "bashstd", "bashended",
		"tasknotification", "userprompt", "sessionstart", "persistedoutput", "newdiagnostics", "ideselection", "ideopened", "teammatemessage",
		"chatthread", "lastanswer", "sessiontext", "messagefromsession", "answerofsession", "imstart", "imend", "endoftext", "endofturn",
	}
	words = []string{
		"user", "assistant", "human", "developer", "admin", "function", "functions", "tool", "tools", "parameter", "parameters",
		"sys", "thinking", "instruction", "instructions", "important", "reminder", "prompt", "command", "hook", "env", "post", "earl",
	}
)

// begins reports whether a text starts with a word, allowing for lookalikes.
func begins(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if shape(text[i]) != shape(word[i]) {
			return false
		}
	}
	return true
}

// shape is the representative of characters that look alike.
func shape(c byte) byte {
	const looks, like = "01l3457", "oiieast"
	if i := strings.IndexByte(looks, c); i >= 0 {
		return like[i]
	}
	return c
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// word reports whether a character is an ASCII letter or digit.
func word(r rune) bool { return letter(r) || r >= '0' && r <= '9' }

// named reports whether a command's name may start with a character.
func named(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.:", r))
}

// blank reports whether JavaScript treats a character as white space.
func blank(r rune) bool { return unicode.IsSpace(r) || r == 0xFEFF }

// enclosed reports whether a character is a letter in a circle or a square.
func enclosed(r rune) bool { return r >= 0x249C && r <= 0x24E9 || r >= 0x1F110 && r <= 0x1F189 }
