package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Env is what a script is read with.
type Env struct {
	// Dir is the folder that it starts in, absolute; "" when it is not known.
	Dir string
	// Home is the folder that ~ and $HOME stand for; "" when it is not known.
	Home string
}

// Read says what a command line would run in bash. It never fails: what cannot be
// read is in doubt.
func Read(source string, env Env) Script {
	r := &reader{home: env.Home, visited: map[*syntax.CallExpr]bool{}}
	in := dirs{}
	if path.IsAbs(env.Dir) {
		in.list = []string{path.Clean(env.Dir)}
	}
	r.source(source, place{in: in})
	return r.script
}

// reader collects the commands of one script.
type reader struct {
	home    string
	script  Script
	visited map[*syntax.CallExpr]bool
	pipes   int
}

// place is where a statement stands.
type place struct {
	in          dirs
	layers      []Layer // wrappers around it
	depth       int
	pipe, stage int
	posix       bool   // for a shell that may know less than bash
	stdin       string // what is piped or fed into the statement by its redirections
}

func (r *reader) doubt(why string) {
	if !slices.Contains(r.script.Doubts, why) {
		r.script.Doubts = append(r.script.Doubts, why)
	}
}

// source reads text as a script and returns the folders that it may leave behind.
func (r *reader) source(text string, p place) dirs {
	switch {
	case len(text) > maxSource:
		r.doubt("It is too long to be read.")
		return dirs{}
	case p.depth > maxDepth:
		r.doubt("It hides scripts in scripts too often.")
		return dirs{}
	case hasHidden(text):
		r.doubt("It contains characters that cannot be seen.")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.doubt("It is not valid shell.")
		if file == nil {
			return dirs{}
		}
	}
	p.pipe, p.stage, p.stdin = 0, 0, ""
	out := r.stmts(file.Stmts, p).both()
	// Nothing that could run may have been passed over.
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && !r.visited[call] {
			r.doubt("It has a part that could not be understood.")
			r.call(call, nil, place{layers: p.layers, depth: p.depth, posix: p.posix})
		}
		return true
	})
	return out
}

// hasHidden finds control and format characters, which make a command look like
// another one.
func hasHidden(text string) bool {
	for _, c := range text {
		if c == unicode.ReplacementChar || c == Hole || c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
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
	}
	return out
}

func (r *reader) stmt(s *syntax.Stmt, p place) after {
	if s == nil || s.Cmd == nil && len(s.Redirs) == 0 {
		return same(p.in)
	}
	call, simple := s.Cmd.(*syntax.CallExpr)
	var redirs []Redirect
	var stdin string
	for _, d := range s.Redirs {
		redirect, text := r.redirect(d, p)
		redirs = append(redirs, redirect...)
		stdin += text
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
		if each, ok := c.Loop.(*syntax.WordIter); ok && dangerous(each.Name.Value) {
			r.doubt("It sets " + each.Name.Value + ", which changes what other commands do.")
		}
		return r.loop(p, nil, c.Do)
	case *syntax.CaseClause:
		r.nested(c.Word, p)
		out := same(p.in)
		for _, item := range c.Items {
			for _, w := range item.Patterns {
				r.nested(w, p)
			}
			out = out.or(r.stmts(item.Stmts, p))
		}
		return out
	case *syntax.FuncDecl:
		r.doubt("It defines a function, so a name in it may mean something else.")
		r.stmt(c.Body, p)
		return same(p.in)
	case *syntax.TimeClause:
		return r.stmt(c.Stmt, p)
	case *syntax.CoprocClause:
		r.stmt(c.Stmt, p)
		return same(p.in)
	case *syntax.DeclClause:
		r.declare(c, p)
		return same(p.in)
	case *syntax.ArithmCmd, *syntax.TestClause, *syntax.LetClause:
		r.nested(c, p)
		return same(p.in)
	default:
		r.doubt("It uses a form of the shell that is not understood.")
		r.nested(c, p)
		return same(dirs{})
	}
}

func (r *reader) binary(c *syntax.BinaryCmd, p place) after {
	switch c.Op {
	case syntax.AndStmt:
		left := r.stmt(c.X, p)
		p.in = left.ok
		right := r.stmt(c.Y, p)
		return after{ok: right.ok, fail: left.fail.or(right.fail)}
	case syntax.OrStmt:
		left := r.stmt(c.X, p)
		p.in = left.fail
		right := r.stmt(c.Y, p)
		return after{ok: left.ok.or(right.ok), fail: right.fail}
	default: // a pipeline, which runs in shells of its own; the last part may not
		if p.pipe == 0 {
			r.pipes++
			p.pipe = r.pipes
		}
		in := p.in
		p.stdin = ""
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

// loop reads the body of a loop. When the body changes the folder, it is not known
// where it runs the second time.
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

// nested reads the substitutions anywhere below a node.
func (r *reader) nested(node syntax.Node, p place) {
	if node == nil {
		return
	}
	p.stdin, p.pipe, p.stage = "", 0, 0
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.stmts(n.Stmts, p)
			return false
		case *syntax.ProcSubst:
			r.stmts(n.Stmts, p)
			return false
		}
		return true
	})
}

func (r *reader) declare(c *syntax.DeclClause, p place) {
	words := []Word{Plain(c.Variant.Value)}
	for _, a := range c.Args {
		r.assign(a, p)
		switch {
		case a.Name == nil && a.Value != nil:
			words = append(words, r.words(a.Value, p)...)
		case a.Name != nil:
			words = append(words, Plain(a.Name.Value))
			if dangerous(a.Name.Value) {
				r.doubt("It sets " + a.Name.Value + ", which changes what other commands do.")
			}
		}
	}
	cmd := Command{Layers: []Layer{{Args: words}}}
	for _, w := range words[1:] {
		names := strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "n") // another name for a variable
		if w.Unknown || w.Glob || evaluated(w.Text) || names {
			cmd.Doubts = append(cmd.Doubts, "It sets variables that are not known.")
			break
		}
	}
	r.add(cmd, p)
}

// add lists a command that stands at p.
func (r *reader) add(cmd Command, p place) {
	if len(r.script.Commands) == maxCommands {
		r.doubt("It runs too many commands.")
		return
	}
	cmd.Layers = append(slices.Clone(p.layers), cmd.Layers...)
	cmd.Dirs, cmd.Moved = p.in.list, p.in.moved
	cmd.Pipe, cmd.Stage = p.pipe, p.stage
	cmd.Stdin = p.stdin
	r.script.Commands = append(r.script.Commands, cmd)
}
