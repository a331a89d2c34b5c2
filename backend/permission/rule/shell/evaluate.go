package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The shell treats a variable's text as code wherever it evaluates arithmetic: a name
// in it is looked up, and the subscript of that name is expanded, including commands
// in it. So arithmetic is only accepted with numbers and with variables that hold
// nothing else.
const (
	whyCalculates = "It calculates with values that are only known when it runs."
	whyExpands    = "It uses an expansion that can run a variable's content."
	whyNames      = "It sets a variable whose content can run."
	whyForm       = "It uses shell syntax that Parley does not understand."
	whyLong       = "It is too long to check."
)

// nested parses the substitutions anywhere below a node, and checks everything
// else there.
func (r *reader) nested(node syntax.Node, p place) {
	if node == nil {
		return
	}
	p.stdin, p.foreign, p.pipe, p.stage = "", false, 0, 0
	syntax.Walk(node, func(n syntax.Node) bool {
		if matters(n) {
			r.visited[n] = true
		}
		switch n := n.(type) {
		case *syntax.Lit: // of ${x:-<(…)}, which the parser doesn't parse
			if strings.Contains(n.Value, "<(") || strings.Contains(n.Value, ">(") {
				r.doubt(whyForm)
			}
		case nil, *syntax.SglQuoted, *syntax.WordIter, *syntax.ArrayExpr, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm,
			*syntax.ParenTest, *syntax.BraceExp, *syntax.Comment, *syntax.TestClause:
		case *syntax.CmdSubst:
			r.substitution(n, p)
			return false
		case *syntax.ProcSubst:
			r.inside(n.Stmts, p)
			return false
		case *syntax.Word:
			r.subscripts(n.Parts)
		case *syntax.DblQuoted:
			r.subscripts(n.Parts)
			if n.Dollar { // its translation may contain anything
				r.doubt(whyExpands)
			}
		case *syntax.ParamExp:
			r.parameter(n, p)
		case *syntax.ArithmExp:
			r.calculates(n.X, p)
		case *syntax.ArithmCmd:
			r.calculates(n.X, p)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				r.calculates(x, p)
			}
		case *syntax.CStyleLoop:
			r.calculates(n.Init, p)
			p.ints = extend(p.ints, assignedIn(n.Init))
			r.calculates(n.Cond, p)
			r.calculates(n.Post, p)
		case *syntax.ArrayElem:
			r.calculates(n.Index, p)
		case *syntax.UnaryTest:
			r.unaryTest(n)
		case *syntax.BinaryTest:
			r.binaryTest(n, p)
		default:
			r.doubt(whyForm)
		}
		return true
	})
}

func (r *reader) substitution(c *syntax.CmdSubst, p place) {
	if c.TempFile || c.ReplyVar || c.Backquotes && backquoted(c) {
		r.doubt(whyForm)
	}
	r.inside(c.Stmts, p)
}

// backquoted reports whether there are nested backquotes, whose escapes bash and the
// parser don't always parse alike.
func backquoted(c *syntax.CmdSubst) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		inner, ok := n.(*syntax.CmdSubst)
		found = found || ok && inner != c && inner.Backquotes
		return !found
	})
	return found
}

// inside parses the contents of a substitution.
func (r *reader) inside(stmts []*syntax.Stmt, p place) {
	if p.nested++; p.nested > maxNested {
		r.doubt("It nests scripts too deeply.")
		return
	}
	r.stmts(stmts, p)
}

// subscripts finds $x[…], which is a subscript in zsh.
func (r *reader) subscripts(parts []syntax.WordPart) {
	for i := 1; i < len(parts); i++ {
		lit, ok := parts[i].(*syntax.Lit)
		if _, param := parts[i-1].(*syntax.ParamExp); ok && param && strings.HasPrefix(lit.Value, "[") {
			r.doubt(whyCalculates)
		}
	}
}

// parameter checks ${…}: only forms that return or truncate a variable's text are
// accepted.
func (r *reader) parameter(e *syntax.ParamExp, p place) {
	switch {
	case e.Param == nil, e.Flags != nil, e.Excl, e.Width, e.IsSet, e.NestedParam != nil, len(e.Modifiers) > 0, e.Names != 0,
		e.Split != syntax.OptUnset, e.GlobSubst != syntax.OptUnset, e.RcExpand != syntax.OptUnset:
		r.doubt(whyExpands)
		return
	case braced(e):
		r.doubt(whyForm)
	}
	if w, ok := e.Index.(*syntax.Word); !ok || w.Lit() != "@" && w.Lit() != "*" {
		r.calculates(e.Index, p)
	}
	if e.Slice != nil {
		r.calculates(e.Slice.Offset, p)
		r.calculates(e.Slice.Length, p)
	}
	if e.Exp != nil {
		switch e.Exp.Op {
		case syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.OtherParamOps:
			r.doubt(whyExpands)
		}
	}
}

// braced reports whether an expansion contains another brace. Bash ends the expansion at
// the first closing brace, whatever was opened; the parser may not.
func braced(e *syntax.ParamExp) bool {
	found := false
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.Lit:
			found = found || strings.ContainsAny(n.Value, "{}")
		}
		return !found
	})
	return found
}

// calculates checks an arithmetic expression.
func (r *reader) calculates(x syntax.ArithmExpr, p place) {
	if !r.number(x, p) {
		r.doubt(whyCalculates)
	}
}

// number reports whether an expression contains only numbers.
func (r *reader) number(x syntax.ArithmExpr, p place) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.ParenArithm:
		return r.number(x.X, p)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			return r.counter(nameOf(x.X), p)
		}
		return r.number(x.X, p)
	case *syntax.BinaryArithm:
		if assigning(x.Op) {
			name := nameOf(x.X)
			return name != "" && !special(name) && !dangerous(name) && (x.Op == syntax.Assgn || r.counter(name, p)) && r.number(x.Y, p)
		}
		return r.number(x.X, p) && r.number(x.Y, p)
	case *syntax.Word:
		return r.numeral(x, p)
	}
	return false
}

// numeral reports whether a word is a number, or the name or value of a variable
// that holds one.
func (r *reader) numeral(w *syntax.Word, p place) bool {
	if w == nil {
		return false
	}
	if lit := w.Lit(); lit != "" && !isNumber(lit) {
		return r.counter(lit, p)
	}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if !isNumber(part.Value) {
				return false
			}
		case *syntax.DblQuoted:
			if part.Dollar || !r.numeral(&syntax.Word{Parts: part.Parts}, p) {
				return false
			}
		case *syntax.ParamExp:
			if !r.counted(part, p) {
				return false
			}
		case *syntax.ArithmExp: // checked where it occurs
		default:
			return false
		}
	}
	return len(w.Parts) > 0
}

// counted reports whether an expansion yields a number.
func (r *reader) counted(e *syntax.ParamExp, p place) bool {
	if e.Param == nil || e.Flags != nil || e.Excl || e.NestedParam != nil || len(e.Modifiers) > 0 || e.Slice != nil || e.Repl != nil || e.Exp != nil {
		return false
	}
	name := e.Param.Value
	return e.Length || e.Index == nil && (name == "#" || name == "?" || name == "$" || r.counter(name, p))
}

// counter reports whether a variable certainly holds a number here: the script
// set it before, and to nothing else anywhere. The latter is only known after
// parsing everything.
func (r *reader) counter(name string, p place) bool {
	if !slices.Contains(p.ints, name) {
		return false
	}
	r.counters[name] = true
	return true
}

// extend adds to the variables that hold numbers.
func extend(ints, names []string) []string {
	for _, name := range names {
		if len(ints) < maxCounters && !slices.Contains(ints, name) {
			ints = append(ints[:len(ints):len(ints)], name)
		}
	}
	return ints
}

// nameOf returns the variable that an expression names, or "".
func nameOf(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok && isName(w.Lit()) {
		return w.Lit()
	}
	return ""
}

func assigning(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn,
		syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn, syntax.PowAssgn:
		return true
	}
	return false
}

// assignedIn returns the variables that an expression always sets to numbers.
func assignedIn(x syntax.ArithmExpr) []string {
	if b, ok := x.(*syntax.BinaryArithm); ok && b.Op == syntax.Assgn && nameOf(b.X) != "" {
		return []string{nameOf(b.X)}
	}
	return nil
}

// defined returns the variables that a statement always sets to numbers.
func defined(s *syntax.Stmt, depth int) []string {
	if s == nil || depth == 0 || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
		return nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		var names []string
		for _, a := range c.Assigns {
			if len(c.Args) == 0 && integer(a) {
				names = append(names, a.Name.Value)
			}
		}
		return names
	case *syntax.ArithmCmd:
		return assignedIn(c.X)
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			return defined(c.X, depth-1)
		}
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
			return assignedIn(loop.Init)
		}
	}
	return nil
}

// integer reports whether an assignment sets a variable to a number. A calculated
// value is checked where it is calculated.
func integer(a *syntax.Assign) bool {
	if a.Name == nil || a.Naked || a.Append || a.Index != nil || a.Array != nil || a.Value == nil || len(a.Value.Parts) != 1 {
		return false
	}
	switch part := a.Value.Parts[0].(type) {
	case *syntax.Lit:
		return isNumber(part.Value)
	case *syntax.ArithmExp:
		return true
	}
	return false
}

// unaryTest checks [[ -v name ]], which looks up a name with its subscript.
func (r *reader) unaryTest(t *syntax.UnaryTest) {
	if t.Op == syntax.TsFdTerm { // zsh evaluates the descriptor
		if w, ok := t.X.(*syntax.Word); !ok || !isNumber(w.Lit()) {
			r.doubt(whyCalculates)
		}
	}
	if t.Op == syntax.TsVarSet || t.Op == syntax.TsRefVar {
		if w, ok := t.X.(*syntax.Word); !ok || !isName(w.Lit()) {
			r.doubt(whyCalculates)
		}
	}
}

// binaryTest checks [[ a -eq b ]], which evaluates both.
func (r *reader) binaryTest(t *syntax.BinaryTest, p place) {
	switch t.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
	default:
		return
	}
	for _, x := range []syntax.TestExpr{t.X, t.Y} {
		if w, ok := x.(*syntax.Word); !ok || !r.numeral(w, p) {
			r.doubt(whyCalculates)
		}
	}
}

func isName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}
