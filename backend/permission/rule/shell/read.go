package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Env is the environment of a script.
type Env struct {
	// Dir is the folder it starts in, absolute; "" if unknown.
	Dir string
	// Home is the folder that ~ and $HOME stand for; "" if unknown.
	Home string
}

// Read returns what a command line would run in bash. It never fails: what can't
// be parsed is in doubt.
func Read(source string, env Env) Script {
	r := &reader{home: env.Home, visited: map[syntax.Node]bool{}, counters: map[string]bool{}, texts: map[string]bool{}}
	in := dirs{}
	if path.IsAbs(env.Dir) {
		in.list = []string{path.Clean(env.Dir)}
	}
	r.source(source, place{in: in})
	for name := range r.counters {
		if r.texts[name] {
			r.doubt(whyCalculates)
		}
	}
	return r.script
}

// reader collects the commands of one script.
type reader struct {
	home    string
	script  Script
	visited map[syntax.Node]bool
	pipes   int
	// counters are the variables assumed to hold numbers, texts those set to
	// anything else.
	counters, texts map[string]bool
	lists           bool // a variable holds a list
	count, work     int  // words, and words and statements, parsed to this point
	printer         *syntax.Printer
	shown           int // bytes of unknown words
}

// place is the context of a statement.
type place struct {
	in          dirs
	layers      []Layer // its wrappers
	depth       int
	pipe, stage int
	posix       bool     // for a shell that may know less than bash
	nested      int      // enclosing substitutions
	ints        []string // variables previously set to numbers
	stdin       string   // what is piped or redirected into the statement
	foreign     bool     // stdin depends on a variable that may hold anything
}

func (r *reader) doubt(why string) {
	if !slices.Contains(r.script.Doubts, why) {
		r.script.Doubts = append(r.script.Doubts, why)
	}
}

// source parses text as a script and returns the folders the shell may be in
// afterwards.
func (r *reader) source(text string, p place) dirs {
	switch {
	case len(text) > maxSource:
		r.doubt(whyLong)
		return dirs{}
	case p.depth > maxDepth:
		r.doubt("It nests scripts too deeply.")
		return dirs{}
	case hasHidden(text):
		r.doubt("It contains invisible characters.")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.doubt("It is not valid shell syntax.")
		if file == nil {
			return dirs{}
		}
	}
	p.pipe, p.stage, p.stdin, p.foreign = 0, 0, "", false
	out := r.stmts(file.Stmts, p).both()
	// Nothing that could run may have been skipped.
	syntax.Walk(file, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.Word); ok {
			if r.count++; r.count > maxCount {
				r.doubt(whyLong)
			}
		}
		if matters(n) && !r.visited[n] {
			r.doubt("Parley could not parse part of it.")
		}
		if call, ok := n.(*syntax.CallExpr); ok && !r.visited[call] && r.more() {
			r.call(call, nil, place{layers: p.layers, depth: p.depth, posix: p.posix})
		}
		return r.count <= maxCount || r.work <= maxWork
	})
	return out
}

// matters reports whether a node may run or write something, so that none of its kind
// may be skipped.
func matters(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause,
		*syntax.ExtGlob, *syntax.Assign, *syntax.Redirect:
		return true
	}
	return false
}

// hasHidden finds control and format characters, which make a command look like
// another one.
func hasHidden(text string) bool {
	for _, c := range text {
		switch {
		case c >= ' ' && c <= '~', c == '\n', c == '\t':
		case c == unicode.ReplacementChar, c == Unknown, unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return true
		}
	}
	return false
}

func (r *reader) stmts(list []*syntax.Stmt, p place) after {
	out := same(p.in)
	for _, s := range list {
		p.in = out.both()
		out = r.stmt(s, p)
		p.ints = extend(p.ints, defined(s, maxChain))
	}
	return out
}

func (r *reader) stmt(s *syntax.Stmt, p place) after {
	if s == nil || s.Cmd == nil && len(s.Redirs) == 0 {
		return same(p.in)
	}
	if !r.more() {
		return same(dirs{})
	}
	call, simple := s.Cmd.(*syntax.CallExpr)
	var redirs []Redirect
	var stdin string
	for _, d := range s.Redirs {
		if r.work > maxWork {
			break // already in doubt
		}
		redirect, text, foreign := r.redirect(d, p)
		redirs = append(redirs, redirect...)
		stdin += text
		p.foreign = p.foreign || foreign
	}
	p.stdin += stdin
	var out after
	switch {
	case simple:
		out = r.call(call, redirs, p)
	default:
		if len(redirs) > 0 {
			r.add(Command{Layers: []Layer{{}}, Carrier: true, Redirects: redirs}, p)
		}
		out = r.command(s.Cmd, p)
	}
	if s.Background || s.Coprocess || s.Disown {
		return same(p.in)
	}
	if s.Negated {
		out.ok, out.fail = out.fail, out.ok
	}
	return out
}

func (r *reader) command(cmd syntax.Command, p place) after {
	switch c := cmd.(type) {
	case nil:
		return same(p.in)
	case *syntax.CallExpr:
		return r.call(c, nil, p)
	case *syntax.BinaryCmd:
		return r.binary(c, p)
	case *syntax.Block:
		return r.stmts(c.Stmts, p)
	case *syntax.Subshell:
		r.stmts(c.Stmts, p)
		return same(p.in)
	case *syntax.IfClause:
		return r.branch(c, p)
	case *syntax.WhileClause:
		return r.loop(p, c.Cond, c.Do)
	case *syntax.ForClause:
		r.nested(c.Loop, p)
		if c.Select {
			r.doubt(whyForm)
		}
		switch each := c.Loop.(type) {
		case *syntax.WordIter:
			if why := named(each.Name.Value); why != "" {
				r.doubt(why)
			}
			if numbers(each.Items) {
				p.ints = extend(p.ints, []string{each.Name.Value})
			} else {
				r.texts[each.Name.Value] = true
			}
		case *syntax.CStyleLoop:
			p.ints = extend(p.ints, assignedIn(each.Init))
		}
		return r.loop(p, nil, c.Do)
	case *syntax.CaseClause:
		r.nested(c.Word, p)
		out, in := same(p.in), p.in
		for _, item := range c.Items {
			for _, w := range item.Patterns {
				r.nested(w, p)
			}
			end := r.stmts(item.Stmts, p)
			out, p.in = out.or(end), in
			if item.Op != syntax.Break { // it may fall through to the next
				p.in = in.or(end.both())
				in = p.in
			}
		}
		return out
	case *syntax.FuncDecl:
		r.doubt("It defines a function, so a name in it may mean something else.")
		r.stmt(c.Body, p)
		return same(p.in)
	case *syntax.TimeClause:
		if p.stage > 0 || p.posix { // a program instead of a builtin
			r.doubt(whyForm)
		}
		return r.stmt(c.Stmt, p)
	case *syntax.CoprocClause:
		r.doubt(whyForm)
		r.stmt(c.Stmt, p)
		return same(p.in)
	case *syntax.DeclClause:
		r.declare(c, p)
		return same(p.in)
	case *syntax.ArithmCmd, *syntax.TestClause, *syntax.LetClause:
		r.nested(c, p)
		return same(p.in)
	default:
		r.doubt(whyForm)
		r.nested(c, p)
		return same(dirs{})
	}
}

func (r *reader) binary(c *syntax.BinaryCmd, p place) after {
	switch c.Op {
	case syntax.AndStmt:
		left := r.stmt(c.X, p)
		p.in = left.ok
		p.ints = extend(p.ints, defined(c.X, maxChain))
		right := r.stmt(c.Y, p)
		return after{ok: right.ok, fail: left.fail.or(right.fail)}
	case syntax.OrStmt:
		left := r.stmt(c.X, p)
		p.in = left.fail
		p.ints = extend(p.ints, defined(c.X, maxChain))
		right := r.stmt(c.Y, p)
		return after{ok: left.ok.or(right.ok), fail: right.fail}
	default: // a pipeline, which runs in subshells; the last part may not
		if p.pipe == 0 {
			r.pipes++
			p.pipe = r.pipes
		}
		in := p.in
		p.stdin, p.foreign = "", false
		r.stmt(c.X, p)
		for i := range r.script.Commands {
			if r.script.Commands[i].Pipe == p.pipe {
				p.stage = max(p.stage, r.script.Commands[i].Stage+1)
			}
		}
		return same(in).or(r.stmt(c.Y, p))
	}
}

func (r *reader) branch(c *syntax.IfClause, p place) after {
	cond := r.stmts(c.Cond, p)
	if c.Cond == nil { // else
		return r.stmts(c.Then, p)
	}
	p.in = cond.ok
	then := r.stmts(c.Then, p)
	p.in = cond.fail
	if c.Else == nil {
		return then.or(same(p.in))
	}
	return then.or(r.branch(c.Else, p))
}

// loop parses the body of a loop. If the body changes the folder, the folder of
// its second run is unknown.
func (r *reader) loop(p place, cond, body []*syntax.Stmt) after {
	from := len(r.script.Commands)
	in := p.in
	out := r.stmts(cond, p)
	p.in = out.both()
	out = out.or(r.stmts(body, p)).or(same(in))
	if !out.both().equal(in) {
		for i := from; i < len(r.script.Commands); i++ {
			r.script.Commands[i].Dirs = nil
		}
		return same(dirs{})
	}
	return out
}

// declare parses export and similar.
func (r *reader) declare(c *syntax.DeclClause, p place) {
	r.visited[c] = true
	switch c.Variant.Value {
	case "declare", "typeset", "nameref":
		if p.posix { // a program instead of a builtin
			r.doubt(whyForm)
		}
	}
	words := []Word{Plain(c.Variant.Value)}
	checked := words // without harmless settings
	cmd := Command{}
	for _, a := range c.Args {
		switch value := r.assign(a, p); {
		case a.Name == nil && a.Value != nil:
			words, checked = append(words, value), append(checked, value)
		case a.Index != nil || a.Array != nil || strings.HasPrefix(value.Text, "(") || value.Unknown && (r.lists || special(a.Name.Value)):
			r.doubt(whyNames)
		default:
			name := Plain(a.Name.Value)
			words = append(words, name)
			if a.Naked || a.Append || special(name.Text) || !isName(name.Text) || changes(name.Text, value) {
				checked = append(checked, name)
			}
			r.texts[name.Text] = true
			cmd.Assigns = append(cmd.Assigns, Assign{a.Name.Value, value})
		}
	}
	cmd.Layers = []Layer{{Args: words}}
	if why := builtin(c.Variant.Value, checked[1:]); why != "" {
		r.doubt(why)
	}
	r.add(cmd, p)
}

// more counts what is parsed and reports whether to continue. Repetition, as from
// several braces in one word, could otherwise run forever.
func (r *reader) more() bool {
	if r.work++; r.work > maxWork {
		r.doubt(whyLong)
	}
	return r.work <= maxWork
}

// numbers reports whether a loop only iterates over numbers.
func numbers(words []*syntax.Word) bool {
	for _, w := range words {
		if lit := w.Lit(); lit == "" || strings.Trim(lit, "0123456789{}.,-") != "" {
			return false
		}
	}
	return len(words) > 0
}

// add lists a command at p.
func (r *reader) add(cmd Command, p place) {
	if len(r.script.Commands) == maxCommands {
		r.doubt("It runs too many commands.")
		return
	}
	cmd.Layers = append(slices.Clone(p.layers), cmd.Layers...)
	cmd.Dirs, cmd.Moved = p.in.list, p.in.moved
	cmd.Pipe, cmd.Stage = p.pipe, p.stage
	cmd.Stdin, cmd.Foreign = p.stdin, p.foreign
	for _, d := range cmd.Redirects {
		if d.Target.Unknown || d.Target.Glob {
			cmd.Doubts = append(cmd.Doubts, "The file it opens is only known when it runs.")
			break
		}
	}
	r.script.Commands = append(r.script.Commands, cmd)
}
