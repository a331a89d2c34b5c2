// Package untrusted makes text harmless that the owner of this Parley did not type: what
// people write in a chat, what other sessions and programs say, what was remembered.
//
// A model and its CLI both read meaning into text. Models take some tags for words of
// their system. The CLI, as measured on 2.1.329, reads the file behind an "@" into the
// conversation without asking anybody, and runs what begins with "/" as a command. Both
// hold for every prompt, whoever wrote it. [Text] takes these meanings away with one
// backslash each, in plain sight: nothing is lost, and whoever reads it sees what was
// written. [Frame] and [Quote] add where a text is from, so that it cannot get out.
//
// It is pure. What the owner typed does not go through it.
package untrusted

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Name is what a frame is called. All of them are dead within every text, so that
// frames can stand in one another.
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

// Open is the first line of a frame: its name, and what is said about what stands in it,
// as keys, which are Parley's own, and values in turn.
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

// Frame says where a text is from. Nothing in it ends the frame.
func Frame(n Name, text string, about ...string) string {
	return n.Open(about...) + Text(text) + n.Close()
}

// value is a text in quotes.
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

// mark begins every line of a quotation.
const mark = "| "

// Quote marks every line of a text as somebody else's. What does not show is spelled out.
func Quote(text string) string {
	return mark + strings.ReplaceAll(tame(Spelled(text), true), "\n", "\n"+mark)
}

// Text is a text that can stand in a prompt, or be one: what does not show is gone, no tag
// in it means something to a model, and the CLI reads no file for it and runs no command.
// It is idempotent.
func Text(s string) string { return tame(Visible(s), true) }

// Typed is [Text] for a terminal in which the CLI runs by itself: there it also takes a
// sign at the beginning for something else than a prompt, and "!" for a command of the
// shell that it runs without a question.
func Typed(s string) string {
	if s = Text(strings.TrimSpace(s)); s != "" && strings.IndexByte("!#&", s[0]) >= 0 {
		return `\` + s
	}
	return s
}

// Tags is [Text] for what the owner wrote into a file of their own: only what does not
// show, and tags.
func Tags(s string) string { return tame(Visible(s), false) }

// tame puts a backslash where a text means something: after the "<" of tags, and, with
// signs, before each "@" and "/" that the CLI would follow.
func tame(s string, signs bool) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	before := '\n'
	begins := true // only blanks stand before it on its line
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

// mentions says whether the CLI may take an "@" for a file, a resource, an agent: it does
// at the beginning, after each blank of JavaScript, and after "。", "、", "？" and "！".
// It may do so elsewhere tomorrow, so all count but the one in an address as
// anna@example.com or a name as (@anna), and what stands alone.
func mentions(before rune, rest string) bool {
	if before == '(' && handle.MatchString(rest) {
		return false
	}
	return before != '\\' && !word(before) && !(rest != "" && strings.IndexByte(" \t\n", rest[0]) == 0)
}

// commands says whether the CLI may take a "/" for the beginning of a command. It runs
// only what begins a prompt; but it knows skills that are named within a text, too, and
// one text may be put behind another. A path keeps its look where it cannot be one.
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
