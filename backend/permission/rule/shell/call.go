package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call parses a simple command.
func (r *reader) call(c *syntax.CallExpr, redirs []Redirect, p place) after {
	r.visited[c] = true
	cmd := Command{Redirects: redirs}
	for _, a := range c.Assigns {
		value := r.assign(a, p)
		cmd.Assigns = append(cmd.Assigns, Assign{a.Name.Value, value})
		if special(a.Name.Value) && !integer(a) {
			r.doubt(whyNames)
		}
		if changes(a.Name.Value, value) || dangerous(a.Name.Value) && (a.Append || a.Index != nil) {
			why := "It sets " + a.Name.Value + ", which changes how other commands behave."
			if len(c.Args) == 0 {
				r.doubt(why)
			}
			cmd.Doubts = append(cmd.Doubts, why)
		}
	}
	var words []Word
	for _, w := range c.Args {
		words = append(words, r.words(w, p)...)
		if r.work > maxWork {
			break // already in doubt; the last word stands for the rest
		}
	}
	return r.unwrap(cmd, words, p)
}

// assign parses the value of an assignment.
func (r *reader) assign(a *syntax.Assign, p place) Word {
	r.visited[a] = true
	if a.Name != nil && !integer(a) {
		r.texts[a.Name.Value] = true
	}
	if a.Index != nil {
		r.nested(a.Index, p)
		r.calculates(a.Index, p)
	}
	r.lists = r.lists || a.Index != nil || a.Array != nil
	if a.Array != nil {
		if tables(a.Name.Value) {
			r.doubt(whyNames)
		}
		r.nested(a.Array, p)
		return Word{Text: "(…)", Shape: string(Unknown), Unknown: true}
	}
	return r.word(a.Value, p)
}

// unwrap lists a command. A wrapped command is listed instead of it or beside it.
func (r *reader) unwrap(cmd Command, words []Word, p place) after {
	cmd.Layers = []Layer{{Args: words}}
	if len(words) == 0 {
		cmd.Carrier = len(cmd.Redirects) == 0
		r.add(cmd, p)
		return same(p.in)
	}
	name := words[0]
	prints := name.Text == "echo" || name.Text == "exit" // a number changes nothing about them
	for _, w := range words {
		if w.Unknown && (!w.Number || !prints) {
			cmd.Doubts = append(cmd.Doubts, "Part of it is only known when it runs.")
			break
		}
	}
	if name.Unknown || name.Glob || name.Text == "" {
		cmd.Doubts = append(cmd.Doubts, "The program is only known when it runs.")
		r.add(cmd, p)
		return same(p.in)
	}
	if ReachOf(words) == Programs {
		cmd.Doubts = append(cmd.Doubts, WhyScript)
	}
	if len(p.layers) > maxDepth {
		r.doubt("It nests scripts too deeply.")
		r.add(cmd, p)
		return same(p.in)
	}
	args := words[1:]
	if why := builtin(name.Text, args); why != "" {
		r.doubt(why)
	}
	r.sets(name.Text, args)
	switch name.Text {
	case "cd", "pushd", "popd", "chdir":
		r.add(cmd, p)
		return r.cd(name.Text, args, p)
	case "exit", "return":
		r.add(cmd, p)
		return same(dirs{gone: true})
	case "eval", "trap":
		return r.evaluate(cmd, name.Text, args, p)
	}
	if isShell(Base(name.Text)) {
		return r.shell(cmd, words, p)
	}
	if w, ok := wrapperOf(Base(name.Text)); ok {
		return r.wrapper(cmd, w, words, p)
	}
	switch Base(name.Text) {
	case "find", "fd", "fdfind":
		r.find(cmd, words, p)
		return same(p.in)
	}
	if runner(Base(name.Text)) {
		cmd.Layers[0].Guessed = true
	}
	r.add(cmd, p)
	return same(p.in)
}

// sets records the variables that a builtin sets to text.
func (r *reader) sets(name string, args []Word) {
	switch name {
	case "read", "mapfile", "readarray", "printf", "getopts", "wait", "unset", "declare", "typeset", "local", "export", "readonly":
		for _, a := range args {
			variable, _, _ := strings.Cut(a.Text, "=")
			r.texts[variable] = true
		}
		r.lists = r.lists || name == "mapfile" || name == "readarray" || name == "read"
	}
}

// cd follows a change of the working folder.
func (r *reader) cd(name string, args []Word, p place) after {
	unknown := after{ok: dirs{moved: true}, fail: p.in}
	for len(args) > 0 && !args[0].Unknown && (args[0].Text == "--" || args[0].Text == "-L") {
		args = args[1:]
	}
	if name == "popd" || len(args) > 1 {
		return unknown
	}
	target := Plain(r.home)
	if len(args) == 1 {
		target = args[0]
	} else if name != "cd" {
		return unknown
	}
	if target.Unknown || target.Glob || target.Text == "" || target.Text[0] == '-' || target.Text[0] == '+' {
		return unknown
	}
	if path.IsAbs(target.Text) {
		return after{ok: dirs{list: []string{path.Clean(target.Text)}, moved: true}, fail: p.in}
	}
	if len(p.in.list) == 0 {
		return unknown
	}
	out := dirs{moved: true}
	for _, dir := range p.in.list {
		out.list = append(out.list, path.Join(dir, target.Text))
	}
	return after{ok: out, fail: p.in}
}

// evaluate parses what eval and trap run.
func (r *reader) evaluate(cmd Command, name string, args []Word, p place) after {
	var when []Word
	if name == "trap" {
		if len(args) == 0 || args[0].Text == "-" || args[0].Text == "-l" || args[0].Text == "-p" {
			r.add(cmd, p)
			return same(p.in)
		}
		args, when = args[:1], args[1:]
	}
	var texts []string
	for _, a := range args {
		if a.Unknown || a.Glob {
			r.add(cmd, p)
			r.doubt("It runs code that is only known when it runs.")
			return same(dirs{})
		}
		texts = append(texts, a.Text)
	}
	cmd.Carrier = true
	r.add(cmd, p)
	if name == "trap" && (len(when) != 1 || when[0].Text != "EXIT" && when[0].Text != "0") {
		r.doubt("It sets a trap that runs between other commands and can change them.")
	}
	if name == "trap" { // it runs in whatever folder the shell is in then
		at := p.inner()
		at.in = dirs{}
		r.source(texts[0], at)
		return same(p.in)
	}
	return same(r.source(strings.Join(texts, " "), p.inner()))
}

// shell parses what a shell is started with: the text after -c, or its input.
func (r *reader) shell(cmd Command, words []Word, p place) after {
	args, script, ok := shellArgs(words[1:])
	switch {
	case !ok:
		r.doubt("It starts a shell in a way Parley does not understand.")
	case script != nil:
		if script.Unknown || script.Glob {
			r.doubt("It runs code that is only known when it runs.")
			break
		}
		if Base(words[0].Text) == "fish" {
			r.doubt("It runs code in a shell Parley does not understand.")
		}
		cmd.Carrier = true
		r.add(cmd, p)
		r.source(script.Text, p.within(words[0].Text))
		return same(p.in)
	case len(args) > 0:
		cmd.Layers[0].Guessed = true // the file may be a program that rules know by name
		if args[0].Process {
			r.doubt("It runs the output of another command.")
		}
	case p.stdin != "" && len(cmd.Redirects) == 0 && !strings.ContainsRune(p.stdin, Unknown):
		cmd.Carrier = true
		r.add(cmd, p)
		r.source(p.stdin, p.within(words[0].Text))
		return same(p.in)
	default:
		r.doubt("It runs the output of another command.")
	}
	r.add(cmd, p)
	return same(p.in)
}

// inner returns the place of a nested script.
func (p place) inner() place {
	p.depth++
	return p
}

// within returns the place of a script for a shell of that name.
func (p place) within(shell string) place {
	p = p.inner()
	p.posix = Base(shell) != "bash" && Base(shell) != "zsh"
	return p
}

// shellArgs removes the options of a shell. script is the text after -c.
func shellArgs(args []Word) (rest []Word, script *Word, ok bool) {
	command := false
	for len(args) > 0 {
		a := args[0]
		if a.Unknown || a.Glob {
			if command {
				break // the text to run
			}
			return nil, nil, false
		}
		if a.Text == "--" {
			args = args[1:]
			break
		}
		if len(a.Text) < 2 || a.Text[0] != '-' && a.Text[0] != '+' {
			break
		}
		args = args[1:]
		switch {
		case strings.HasPrefix(a.Text, "--"):
			switch a.Text {
			case "--login", "--noprofile", "--norc", "--posix", "--verbose", "--version", "--help":
			default:
				return nil, nil, false
			}
		case strings.ContainsRune(a.Text, 's'):
			if strings.ContainsRune(a.Text, 'c') {
				return nil, nil, false
			}
			return nil, nil, true // reads its input, whatever the other arguments are
		case strings.Trim(a.Text[1:], "ceuxlivfno") != "": // also -rcfile, which is long
			return nil, nil, false
		default:
			command = command || strings.ContainsRune(a.Text, 'c')
			for range strings.Count(strings.ToLower(a.Text), "o") {
				if len(args) == 0 {
					return nil, nil, false
				}
				args = args[1:]
			}
		}
	}
	if !command {
		return args, nil, true
	}
	if len(args) == 0 {
		return nil, nil, false
	}
	return args[1:], &args[0], true
}

// find lists find itself and what it runs for the files it finds.
func (r *reader) find(cmd Command, words []Word, p place) {
	r.add(cmd, p)
	for i := 1; i < len(words); i++ {
		switch words[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := i + 1
			for end < len(words) && words[end].Text != ";" && words[end].Text != "+" {
				end++
			}
			var inner []Word
			for _, w := range words[i+1 : end] {
				if strings.Contains(w.Text, "{") && strings.Contains(w.Text, "}") {
					w = Word{Text: w.Text, Shape: string(Unknown), Unknown: true}
				}
				inner = append(inner, w)
			}
			at := p
			at.layers = append(at.layers[:len(at.layers):len(at.layers)], Layer{Args: words[:i+1]})
			r.unwrap(Command{}, inner, at)
			i = end
		}
	}
}
