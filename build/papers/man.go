package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// commandLine matches a line of the program's help that names and describes a command.
var commandLine = regexp.MustCompile(`^  parley ([a-z]+)(?: [^ ]+)*  +\S`)

// noPage are the commands that need no page.
var noPage = []string{"help", "version"}

// commands are those in the program's help that have their own help.
func commands(help string) []string {
	var names []string
	for line := range strings.Lines(help) {
		found := commandLine.FindStringSubmatch(line)
		if found != nil && !slices.Contains(noPage, found[1]) && !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

var roffSpecial = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roff escapes a line of text so that nothing in it is a request.
func roff(line string) string {
	line = roffSpecial.Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

// manual makes a page from a command's help: its usage, a text, and its flags as
// package flag prints them. The help of the program itself is a text with a table.
func manual(name, date, help string) string {
	var b strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	lines := strings.Split(strings.TrimSpace(help), "\n")
	var usage []string
	for len(lines) > 0 && strings.HasPrefix(lines[0], "parley") {
		usage, lines = append(usage, lines[0]), lines[1:]
	}
	if usage == nil {
		usage = []string{"parley [flags]", "parley COMMAND [flags]"}
	}
	line(`.TH %s 1 "%s"`, strings.ToUpper(roff(name)), date)
	line(".SH NAME\n%s \\- %s", roff(name), roff(firstSentence(lines)))
	line(".SH SYNOPSIS")
	for i, u := range usage {
		if i > 0 {
			line(".br")
		}
		line("%s", roff(u))
	}
	line(".SH DESCRIPTION")
	options, filled := false, true
	fill := func(on bool) {
		if on != filled {
			line(map[bool]string{true: ".fi", false: ".nf"}[on])
			filled = on
		}
	}
	for _, text := range lines {
		switch {
		case strings.TrimSpace(text) == "":
			fill(true)
			line(".PP")
		case strings.HasPrefix(text, "  -"):
			fill(true)
			if !options {
				options = true
				line(".SH OPTIONS")
			}
			line(".TP\n.B %s", roff(strings.TrimSpace(text)))
		case options:
			line("%s", roff(strings.TrimSpace(text)))
		case strings.HasPrefix(text, "  "):
			fill(false)
			line("%s", roff(text))
		default:
			fill(true)
			line("%s", roff(text))
		}
	}
	fill(true)
	return b.String()
}

// firstSentence is the description of a command, in one line.
func firstSentence(lines []string) string {
	text := strings.TrimSpace(strings.Join(lines, " "))
	for i, r := range text {
		if r == '.' || r == ':' && i > 0 {
			return strings.ToLower(text[:1]) + text[1:i]
		}
	}
	return text
}
