package shell

import (
	"regexp"
	"strings"
)

// builtin checks the arguments of a shell builtin: a name argument is looked up or
// set, and its subscript expanded. It returns the doubt, or "" if the call is
// understood.
func builtin(name string, args []Word) string {
	switch name {
	case "let", "integer", "float", "nameref", "private", "zmodload", "autoload", "functions", "zle", "vared", "zparseopts", "add-zsh-hook", "disable", "unhash",
		"bindkey", "sched", "print", "bind", "complete", "compgen", "compopt", "fc", "zformat", "zstyle", "functrace", "getln", "zregexparse":
		return "It uses shell syntax that Parley does not understand."
	case "alias", "enable", "hash", "unalias":
		return "It redefines a command name."
	case "shopt", "setopt", "unsetopt", "emulate":
		return "It changes how the shell reads the rest."
	case "source", ".":
		if len(args) == 1 && !args[0].Unknown && !args[0].Glob && environment.MatchString(args[0].Text) {
			return ""
		}
		return "It runs a file in the same shell, which can change the rest."
	case "declare", "typeset", "local", "export", "readonly":
		return declared(args)
	case "read":
		return settings(args, "rs", "ptnNdui", "a")
	case "mapfile", "readarray":
		return settings(args, "t", "nOsdu", "")
	case "unset":
		return settings(args, "vfn", "", "")
	case "getopts":
		if len(args) < 2 {
			return ""
		}
		return settings(args[1:2], "", "", "")
	case "wait":
		return waited(args)
	case "printf":
		return printed(args)
	case "test", "[":
		return tested(args)
	case "shift", "break", "continue", "exit", "return":
		if len(args) > 1 || len(args) == 1 && !args[0].Unknown && !isNumber(args[0].Text) {
			return whyCalculates
		}
	case "set":
		return set(args)
	case "jobs":
		for _, a := range args {
			if strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "x") {
				return "It uses shell syntax that Parley does not understand."
			}
		}
	}
	return ""
}

// environment matches how a Python virtual environment is activated: its programs then come
// first. The files in such a folder count as run later.
var environment = regexp.MustCompile(`^(\./)?(\.venv|venv|env)/bin/activate$`)

// named checks whether variables of that name may be set.
func named(name string) string {
	switch {
	case dangerous(name):
		return "It sets " + name + ", which changes how other commands behave."
	case !isName(name), special(name):
		return whyNames
	}
	return ""
}

// declared checks the arguments of export and similar.
func declared(args []Word) string {
	for _, a := range args {
		name, value, set := strings.Cut(a.Text, "=")
		switch {
		case a.Unknown && !set, a.Glob:
			return whyNames
		case strings.HasPrefix(name, "-") || strings.HasPrefix(name, "+"):
			if a.Text != "--" && strings.Trim(a.Text, "-xrgp") != "" {
				return whyNames
			}
			continue
		case strings.HasPrefix(value, "("): // a list, if it is known as one
			return whyNames
		}
		if why := named(name); why != "" {
			return why
		}
	}
	return ""
}

// settings checks the arguments of builtins that set named variables: options,
// options with a value, options with a name, and names.
func settings(args []Word, flags, values, names string) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Unknown || a.Glob {
			return whyNames
		}
		if len(a.Text) > 1 && a.Text[0] == '-' && a.Text != "--" {
			last := a.Text[len(a.Text)-1:]
			if strings.Trim(a.Text[1:len(a.Text)-1], flags) != "" {
				if !strings.Contains(values, a.Text[1:2]) { // -n1
					return whyNames
				}
				if a.Text[1] == 't' && !isDecimal(Plain(a.Text[2:])) {
					return whyCalculates
				}
				continue
			}
			switch {
			case strings.Contains(flags, last):
			case strings.Contains(values, last):
				if i++; last == "t" && i < len(args) && !isDecimal(args[i]) { // zsh evaluates it
					return whyCalculates
				}
			case !strings.Contains(names, last) || i+1 == len(args):
				return whyNames
			}
			continue
		}
		if a.Text == "--" {
			continue
		}
		if why := named(a.Text); why != "" {
			return why
		}
	}
	return ""
}

// isDecimal reports whether a word is a number of seconds.
func isDecimal(w Word) bool { return !w.Unknown && strings.Trim(w.Text, "0123456789.") == "" }

// waited checks the arguments of wait: jobs, and the name that -p sets.
func waited(args []Word) string {
	for _, a := range args {
		if a.Text != "-n" && a.Text != "-f" && strings.Trim(a.Text, "%0123456789") != "" {
			return whyNames
		}
	}
	return ""
}

// printed checks a format: some shells evaluate its number arguments, and %n sets a
// variable.
func printed(args []Word) string {
	if len(args) > 0 && args[0].Text == "-v" {
		if len(args) < 2 || args[1].Unknown {
			return whyNames
		}
		if why := named(args[1].Text); why != "" {
			return why
		}
		args = args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	format := args[0]
	if format.Unknown || strings.HasPrefix(format.Text, "-") {
		return whyNames
	}
	var kinds []byte
	for text := strings.ReplaceAll(format.Text, "%%", ""); ; {
		_, rest, ok := strings.Cut(text, "%")
		if !ok {
			break
		}
		rest = strings.TrimLeft(rest, "-+ #0123456789.")
		if rest == "" || !strings.Contains("sbqcdiuoxXeEfFgGaA", rest[:1]) {
			return whyCalculates
		}
		kinds, text = append(kinds, rest[0]), rest[1:]
	}
	for i, a := range args[1:] {
		if len(kinds) > 0 && !strings.ContainsRune("sbqc", rune(kinds[i%len(kinds)])) && !a.Unknown && strings.Trim(a.Text, "0123456789.-") != "" {
			return whyCalculates
		}
	}
	return ""
}

// tested checks the arguments of test: some shells evaluate numbers.
func tested(args []Word) string {
	for i, a := range args {
		switch a.Text {
		case "-v", "-R":
			if i+1 < len(args) && !isName(args[i+1].Text) {
				return whyCalculates
			}
		case "-t": // zsh evaluates the descriptor
			if i+1 < len(args) && !args[i+1].Unknown && !isNumber(args[i+1].Text) && args[i+1].Text != "]" {
				return whyCalculates
			}
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			for _, j := range []int{i - 1, i + 1} {
				if j >= 0 && j < len(args) && !args[j].Unknown && !isNumber(args[j].Text) {
					return whyCalculates
				}
			}
		}
	}
	return ""
}

// set checks the shell options that are changed.
func set(args []Word) string {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "--" || text == "-":
			return ""
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			if strings.Trim(text[1:], "eufxvCabmo") != "" {
				return "It changes how the shell reads the rest."
			}
			if strings.Contains(text, "o") {
				if i++; i < len(args) && args[i].Text != "pipefail" && args[i].Text != "errexit" && args[i].Text != "nounset" && args[i].Text != "xtrace" && args[i].Text != "noclobber" {
					return "It changes how the shell reads the rest."
				}
			}
		}
	}
	return ""
}
