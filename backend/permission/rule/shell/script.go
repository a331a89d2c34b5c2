// Package shell reads a shell command line and says which simple commands it
// would run: those behind operators, inside substitutions, functions and
// here-documents, and those that wrappers such as timeout, sudo or "sh -c" start.
// What cannot be known by reading is said to be in doubt, never left out and never
// guessed.
//
// The package is pure: it starts nothing and looks at no file. It knows nothing of
// rules or risks, and has no goroutines. What it returns may be shared.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of a script. What goes over one is in doubt.
const (
	maxSource   = 256 << 10 // bytes
	maxCommands = 512
	maxDepth    = 8    // scripts inside scripts
	maxWords    = 256  // words that one word's braces stand for
	maxDirs     = 4    // folders a command may run in
	maxCount    = 1000 // words in all
	maxWork     = 2000 // words and statements, over and over again
	maxNested   = 20   // substitutions in substitutions
	maxShown    = 4096 // bytes of a word that is unknown, and eight times as many of all
	maxChain    = 8    // commands joined by && before a variable is set
	maxCounters = 64   // variables that hold numbers
)

// Hole stands in a [Word]'s shape for text that is unknown. It is no character.
const Hole = '\U0010FFFF'

// Script is what a command line would run.
type Script struct {
	// Commands are the simple commands in the order they are written, wrappers
	// unwrapped, at most 512.
	Commands []Command
	// Doubts says in plain sentences why not all of it is known; nil when it is.
	Doubts []string
}

// Command is one simple command.
type Command struct {
	// Layers are the words of wrappers, outermost first, and last the words of the
	// command itself. There is at least one; the last may be empty when only
	// variables are set or output is redirected.
	Layers []Layer
	// Carrier is set for what only starts other commands that are all listed, such
	// as "sh -c …", and for a group of commands that has redirections.
	Carrier bool
	// Assigns are the variables set in front of it.
	Assigns []Assign
	// Redirects are the files that it reads or writes by <, > and the like.
	Redirects []Redirect
	// Stdin is the text of its here-document or here-string, with holes.
	Stdin string
	// Foreign is set when the text depends on a variable that may hold anything.
	Foreign bool
	// Dirs are the folders that it may run in, absolute and clean. Empty means that
	// this is unknown.
	Dirs []string
	// Moved is set when a cd before it changed the folder.
	Moved bool
	// Pipe numbers the pipeline that it belongs to, from 1, or is 0; Stage is its
	// place in it, from 0.
	Pipe, Stage int
	// Doubts says why it is not known for certain what it does.
	Doubts []string
}

// Layer is a wrapper with its options, or the command itself.
type Layer struct {
	Args []Word
	// Transparent is set when the wrapper changes nothing about what the command
	// inside may do, such as timeout and nice.
	Transparent bool
	// Guessed is set when what comes after it may or may not be a command, such as
	// the arguments of "docker exec".
	Guessed bool
}

// Word is one word after the shell has taken away quotes.
type Word struct {
	// Text is its value. Of a word that is unknown it is the source.
	Text string
	// Shape is Text with [Hole] for everything that is unknown or that a pattern
	// for file names stands for.
	Shape string
	// Unknown is set when it depends on a variable, a substitution or the like.
	Unknown bool
	// Glob is set when it is a pattern for file names.
	Glob bool
	// Process is set for <(…) and >(…).
	Process bool
}

// Assign is a variable that is set.
type Assign struct {
	Name  string
	Value Word
}

// Redirect is a file that the shell opens for a command.
type Redirect struct {
	Target Word
	Write  bool
}

// Name is the first word of the command itself, without its folder, or "".
func (c Command) Name() string {
	args := c.Args()
	if len(args) == 0 {
		return ""
	}
	return Base(args[0].Text)
}

// Args are the words of the command itself.
func (c Command) Args() []Word { return c.Layers[len(c.Layers)-1].Args }

// Words are the words from the given layer on.
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

// Text is the command with its wrappers, as a user would type it.
func (c Command) Text() string { return Join(c.Words(0)) }

// Join writes words as a shell reads them, quoted where needed.
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

// Quoted is the word as a shell reads it.
func (w Word) Quoted() string {
	if w.Unknown || w.Glob {
		return w.Text
	}
	return Quote(w.Text)
}

// Quote writes text so that a shell reads it as one word.
func Quote(text string) string {
	q, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return q
}

// Base is the last part of a program's name.
func Base(name string) string {
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Plain returns a word whose text is known.
func Plain(text string) Word { return Word{Text: text, Shape: text} }
