// Package untrusted neutralizes text that the owner of this Parley did not type: messages of
// users in a chat, of other sessions and programs, and memories.
//
// A model and its CLI both read meaning into text. Models take some tags for words of
// their system. The CLI, as measured on 2.1.329, reads the file after an "@" into the
// conversation without asking, and runs text that starts with "/" as a command. Both
// hold for every prompt, whoever wrote it. [Text] takes these meanings away with one
// visible backslash each: nothing is lost, and readers see what was
// written. [Frame] and [Quote] add the source of a text, and the text cannot escape them.
//
// It is pure. The owner's own text does not go through it.
package untrusted

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Name is the name of a frame. All of them are neutralized within every text, so that
// frames can be nested.
type Name string

// The frames of Parley.
const (
	Thread      Name = "chat-thread"
	Post        Name = "post"
	LastAnswer  Name = "last-answer"
	SessionText Name = "session-text"
	Message     Name = "message-from-session"
	Answer      Name = "answer-of-session"
)

// maxValue bounds a value of a frame, in bytes.
const maxValue = 300

// Open is the first line of a frame: its name, and attributes of its content,
// alternating keys, which are Parley's own, and values.
func (n Name) Open(about ...string) string {
	var b strings.Builder
	b.WriteString("<" + string(n))
	for pair := range slices.Chunk(about, 2) {
		b.WriteString(" " + pair[0] + "=" + value(pair[1]))
	}
	return b.String() + ">\n"
}

// Close is the last line of a frame, without its end.
func (n Name) Close() string { return "\n</" + string(n) + ">" }

// Frame wraps a text with its source. Nothing in it ends the frame.
func Frame(n Name, text string, about ...string) string {
	return n.Open(about...) + Text(text) + n.Close()
}

// value is a quoted text.
func value(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"<>\n\t", r) {
			return ' '
		}
		return r
	}, Visible(s))
	if len(s) > maxValue {
		s = strings.ToValidUTF8(s[:maxValue], "")
	}
	return `"` + Text(s) + `"`
}

// mark is the prefix of every line of a quotation.
const mark = "| "

// Quote marks every line of a text as a quotation. Invisible characters are spelled out.
func Quote(text string) string {
	return mark + strings.ReplaceAll(tame(Spelled(text), true), "\n", "\n"+mark)
}

// Text makes a text safe as a prompt, or as part of one: invisible characters are removed, no tag
// in it means something to a model, and the CLI reads no file for it and runs no command.
// It is idempotent.
func Text(s string) string { return tame(Visible(s), true) }

// Typed is [Text] for a terminal in which the CLI runs interactively: there a leading
// sign may also switch away from the prompt, and "!" runs a command of the
// shell without asking.
func Typed(s string) string {
	if s = Text(strings.TrimSpace(s)); s != "" && strings.IndexByte("!#&", s[0]) >= 0 {
		return `\` + s
	}
	return s
}

// Tags is [Text] for what the owner wrote into their own file: it only handles invisible
// characters and tags.
func Tags(s string) string { return tame(Visible(s), false) }

// tame puts a backslash where a text has a meaning: after the "<" of tags, and, with
// signs, before each "@" and "/" that the CLI would follow.
func tame(s string, signs bool) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	before := '\n'
	begins := true // only blanks before it on its line
	for i, r := range s {
		rest := s[i+utf8.RuneLen(r):]
		switch {
		case signs && r == '@' && mentions(before, rest), signs && r == '/' && commands(before, begins, rest):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if opens(r) && tag(rest, r == '<') {
			b.WriteByte('\\')
		}
		begins = r == '\n' || begins && blank(r)
		before = r
	}
	return b.String()
}

var handle = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\)`)

// mentions reports whether the CLI may take an "@" for a file, a resource, an agent: it does
// at the start, after each blank of JavaScript, and after "。", "、", "？" and "！".
// That may change, so all count but the one in an address such as
// anna@example.com or a name such as (@anna), and a lone one.
func mentions(before rune, rest string) bool {
	if before == '(' && handle.MatchString(rest) {
		return false
	}
	return before != '\\' && !word(before) && !(rest != "" && strings.IndexByte(" \t\n", rest[0]) == 0)
}

// commands reports whether the CLI may take a "/" for the start of a command. It runs
// only what starts a prompt; but it also knows skills that are named within a text, and
// one text may be appended to another. A path is not changed if it cannot be a command.
func commands(before rune, begins bool, rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case begins:
		return named(first)
	case !blank(before) && !strings.ContainsRune("。、？！", before) || !letter(first):
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !word(r) && !strings.ContainsRune(".:-_", r) })
	return end < 0 || rest[end] != '/'
}
