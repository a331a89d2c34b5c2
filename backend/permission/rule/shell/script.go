// Package shell parses a shell command line and lists the simple commands it would
// run: those joined by operators, inside substitutions, functions and
// here-documents, and those started by wrappers such as timeout, sudo or "sh -c".
// What parsing can't determine is reported as in doubt, never omitted and never
// guessed.
//
// The package is pure: it starts nothing and reads no files. It knows nothing of
// rules or risks, and has no goroutines. Its results may be shared.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The limits of a script. Anything beyond them is in doubt.
const (
	maxSource   = 256 << 10 // bytes
	maxCommands = 512
	maxDepth    = 8    // nested scripts
	maxWords    = 256  // words that one word's braces expand to
	maxDirs     = 4    // folders a command may run in
	maxCount    = 1000 // words in total
	maxWork     = 2000 // words and statements, including repetitions
	maxNested   = 20   // nested substitutions
	maxShown    = 4096 // bytes of an unknown word, and eight times as many in total
	maxChain    = 8    // commands joined by && before a variable is set
	maxCounters = 64   // variables that hold numbers
)

// Unknown stands for unknown text in a [Word]'s shape. It is not a valid
// character.
const Unknown = '\U0010FFFF'

// Script is what a command line would run.
type Script struct {
	// Commands are the simple commands in source order, unwrapped, at most
	// 512.
	Commands []Command
	// Doubts are sentences about what is unknown; nil if everything is known.
	Doubts []string
}

// Command is one simple command.
type Command struct {
	// Layers are the words of wrappers, outermost first, and last the words of the
	// command itself. There is at least one; the last may be empty if only
	// variables are set or output is redirected.
	Layers []Layer
	// Carrier is set for a command that only starts other listed commands, such as
	// "sh -c …", and for a group of commands with redirections.
	Carrier bool
	// Assigns are the variables set in front of it.
	Assigns []Assign
	// Redirects are the files it reads or writes with <, > and similar.
	Redirects []Redirect
	// Stdin is the text of its here-document or here-string, with holes.
	Stdin string
	// Foreign is set if Stdin depends on a variable that may hold anything.
	Foreign bool
	// Dirs are the folders it may run in, absolute and clean. Empty means unknown.
	Dirs []string
	// Moved is set if a previous cd changed the folder.
	Moved bool
	// Pipe numbers its pipeline, from 1, or is 0; Stage is its position in it,
	// from 0.
	Pipe, Stage int
	// Doubts are the reasons why its effect isn't certain.
	Doubts []string
}

// Layer is a wrapper with its options, or the command itself.
type Layer struct {
	Args []Word
	// Transparent is set if the wrapper doesn't affect what the command inside
	// may do, such as timeout and nice.
	Transparent bool
	// Guessed is set if what follows may or may not be a command, such as the
	// arguments of "docker exec".
	Guessed bool
}

// Word is one word after quote removal.
type Word struct {
	// Text is its value, or its source if unknown.
	Text string
	// Shape is Text with [Unknown] for everything that is unknown or matched by a
	// file name pattern.
	Shape string
	// Unknown is set if it depends on a variable, a substitution or similar.
	Unknown bool
	// Number is set if what is unknown about it is a number of the shell's own, as in "exit: $?".
	Number bool
	// Glob is set if it is a file name pattern.
	Glob bool
	// Process is set for <(…) and >(…).
	Process bool
}

// Assign is a variable assignment.
type Assign struct {
	Name  string
	Value Word
}

// Redirect is a file that the shell opens for a command.
type Redirect struct {
	Target Word
	Write  bool
}

// Name returns the first word of the command itself without its folder, or "".
func (c Command) Name() string {
	args := c.Args()
	if len(args) == 0 {
		return ""
	}
	return Base(args[0].Text)
}

// Args returns the words of the command itself.
func (c Command) Args() []Word { return c.Layers[len(c.Layers)-1].Args }

// Words returns the words from the given layer on.
func (c Command) Words(layer int) []Word {
	if layer == len(c.Layers)-1 {
		return c.Layers[layer].Args
	}
	var all []Word
	for _, l := range c.Layers[layer:] {
		all = append(all, l.Args...)
	}
	return all
}

// Text returns the command with its wrappers, as a user would type it.
func (c Command) Text() string { return Join(c.Words(0)) }

// Join formats words for a shell, quoted where needed.
func Join(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Quoted())
	}
	return b.String()
}

// Quoted returns the word quoted for a shell.
func (w Word) Quoted() string {
	if w.Unknown || w.Glob {
		return w.Text
	}
	return Quote(w.Text)
}

// Quote quotes text so that a shell reads it as one word.
func Quote(text string) string {
	q, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return q
}

// Base returns the last part of a program's path.
func Base(name string) string {
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Plain returns a word whose text is known.
func Plain(text string) Word { return Word{Text: text, Shape: text} }
