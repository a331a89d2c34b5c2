package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// value collects what a word stands for while it is read.
type value struct {
	text, shape    strings.Builder
	unknown, globs bool
	process        bool
	bracket        bool // a [ is open: what follows may stand for any text
}

func (v *value) known(s string) {
	v.text.WriteString(s)
	if v.bracket { // it ends with the name that it stands in
		i := strings.IndexByte(s, '/')
		if i < 0 {
			return
		}
		v.bracket, s = false, s[i:]
	}
	v.shape.WriteString(s)
}

func (v *value) hole() {
	v.unknown = true
	v.shape.WriteRune(Hole)
}

// quoted takes text from inside of double quotes. A dollar that is left in it may
// mean more in zsh than in bash.
func (v *value) quoted(s string) {
	if strings.Contains(s, "$") {
		bare := strings.NewReplacer(`\\`, "", `\$`, "").Replace(s)
		if strings.Contains(strings.TrimSuffix(bare, "$"), "$") {
			v.hole()
			return
		}
	}
	v.known(unescape(s, "$`\"\\\n"))
}

func (v *value) glob(raw string) {
	v.globs = true
	v.text.WriteString(raw)
	v.shape.WriteRune(Hole)
}

// words reads a word that stands among the arguments of a command: braces in it
// make several of it.
func (r *reader) words(w *syntax.Word, p place) []Word {
	if !r.more() {
		return []Word{{Text: cut, Shape: string(Hole), Unknown: true}}
	}
	if oddBraces(w) {
		r.doubt(whyForm)
	}
	expanded := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(expanded) {
		return []Word{r.word(w, p)}
	}
	for _, part := range w.Parts {
		// Where the braces of an expansion end, bash and the parser do not read alike.
		if e, ok := part.(*syntax.ParamExp); ok && !e.Short {
			r.doubt(whyForm)
		}
	}
	// A $ at the end of an alternative takes what follows the braces as its name.
	text := r.written(w)
	if text == cut || strings.Contains(text, "$}") || strings.Contains(text, "$,") {
		r.doubt(whyForm)
	}
	// A plain sh may take braces as they are.
	if n := braceCount(expanded); n == 0 || n > maxWords || p.posix {
		r.nested(w, p)
		return []Word{{Text: text, Shape: string(Hole), Unknown: true}}
	}
	var out []Word
	for e, err := range expand.BracesSeq(nil, expanded) {
		if err != nil {
			return []Word{{Text: text, Shape: string(Hole), Unknown: true}}
		}
		if word := r.word(e, p); word.Text != "" || hasQuotes(e) {
			out = append(out, word) // {,a} is one word
		}
	}
	return out
}

// word reads one word without braces.
func (r *reader) word(w *syntax.Word, p place) Word {
	if w == nil {
		return Word{}
	}
	r.subscripts(w.Parts)
	var v value
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			r.literal(&v, lit.Value, i == 0, len(w.Parts) == 1)
			continue
		}
		r.part(&v, part, p, false)
	}
	out := Word{Text: v.text.String(), Shape: v.shape.String(), Unknown: v.unknown, Glob: v.globs, Process: v.process}
	if out.Unknown {
		out.Text = r.written(w)
	}
	return out
}

// escapes is a text of $'…' that has only escapes which are read here as bash reads them.
// Bash has more than its manual says, such as \x{72}.
var escapes = regexp.MustCompile(`^(?:[^\\]|\\(?:[abeEfnrtv\\'"?]|[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}))*$`)

func (r *reader) part(v *value, part syntax.WordPart, p place, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit: // inside double quotes
		v.quoted(part.Value)
	case *syntax.SglQuoted:
		if !part.Dollar {
			v.known(part.Value)
			return
		}
		decoded, _, err := expand.Format(nil, part.Value, nil)
		if p.posix || err != nil || !escapes.MatchString(part.Value) || strings.ContainsRune(decoded, 0) || hasHidden(decoded) {
			v.hole()
			return
		}
		v.known(decoded)
	case *syntax.DblQuoted:
		if part.Dollar { // a translation of it may hold anything
			r.doubt(whyExpands)
		}
		r.subscripts(part.Parts)
		for _, inner := range part.Parts {
			r.part(v, inner, p, true)
		}
	case *syntax.CmdSubst:
		if text, ok := r.printed(part, p); ok && quoted {
			v.known(text)
			return
		}
		r.nested(part, p)
		v.hole()
	case *syntax.ProcSubst:
		if len(part.Stmts) == 0 {
			r.doubt(whyForm) // bash leaves it out, or takes it for a file
		}
		r.nested(part, p)
		v.process = true
		v.known("/dev/fd/63")
	case *syntax.ParamExp:
		if quoted && quotes(part) {
			r.doubt(whyForm)
		}
		if r.home != "" && isHome(part) {
			r.visited[part] = true
			v.known(r.home)
			return
		}
		r.nested(part, p)
		v.hole()
	default: // arithmetic; and *(…), which can run commands in zsh
		r.nested(part, p)
		v.hole()
	}
}

// literal reads unquoted text. first and whole say where it stands in its word.
func (r *reader) literal(v *value, s string, first, whole bool) {
	if first {
		rest, tilde := strings.CutPrefix(s, "~")
		value, assigns := assigned(s)
		switch {
		case tilde && r.home != "" && (strings.HasPrefix(rest, "/") || rest == "" && whole):
			v.known(r.home)
			s = rest
		case tilde, // the home of somebody else, or the folder before
			assigns && (strings.HasPrefix(value, "~") || strings.Contains(value, ":~")), // as the shell has it
			len(s) > 1 && s[0] == '=': // in zsh, the place of a program
			v.hole()
			return
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			switch {
			case i == len(s): // at the end of all
				v.known(`\`)
			case s[i] != '\n':
				v.known(s[i : i+1])
			}
		case '$': // in zsh, the beginning of more than in bash
			v.hole()
			if !v.bracket {
				v.shape.WriteByte(c)
			}
		case '*', '?':
			v.glob(s[i : i+1])
		case '[':
			if i+1 == len(s) || !strings.ContainsRune(s[i+1:], ']') {
				if first && whole { // the command [, or only a bracket
					v.known("[")
					continue
				}
			}
			name, _, ends := strings.Cut(s[i:], "/")
			end := strings.LastIndexByte(name, ']')
			if v.glob(s[i : i+1]); end < 0 || !whole && !ends { // what is quoted may be in it, too
				v.bracket = true
				continue
			}
			v.text.WriteString(name[1 : end+1])
			i += end
		default:
			v.known(s[i : i+1])
		}
	}
}

// assigned is what follows the sign in what looks like an assignment.
func assigned(s string) (value string, ok bool) {
	i := strings.IndexByte(s, '=')
	if i <= 0 || s[0] >= '0' && s[0] <= '9' || strings.Trim(s[:i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "", false
	}
	return s[i+1:], true
}

// unescape takes the backslash away in front of the given characters.
func unescape(s, special string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isHome(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Param.Value == "HOME" && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Index == nil &&
		p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil && p.Flags == nil && len(p.Modifiers) == 0
}

// printed is the text of $(cat <<'END' …), which is how long messages are written.
// The command in it is still listed.
func (r *reader) printed(c *syntax.CmdSubst, p place) (string, bool) {
	if len(c.Stmts) != 1 {
		return "", false
	}
	s := c.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(call.Assigns) > 0 || len(s.Redirs) != 1 || s.Background || s.Negated {
		return "", false
	}
	d := s.Redirs[0]
	if d.Hdoc == nil || d.N != nil {
		return "", false
	}
	var v value
	r.visited[d] = true
	r.document(&v, d, p)
	if v.unknown {
		return "", false
	}
	r.visited[call] = true
	r.add(Command{Layers: []Layer{{Args: []Word{Plain("cat")}}}, Carrier: true}, place{in: p.in, layers: p.layers, stdin: v.text.String()})
	return strings.TrimRight(v.text.String(), "\n"), true
}

// document reads a here-document.
func (r *reader) document(v *value, d *syntax.Redirect, p place) {
	quoted := false
	syntax.Walk(d.Word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			quoted = true
		case *syntax.Lit:
			quoted = quoted || strings.Contains(n.Value, `\`)
		}
		return true
	})
	for _, part := range d.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case ok && quoted:
			v.known(lit.Value)
		case ok:
			v.known(unescape(lit.Value, "$`\\\n"))
		default:
			r.part(v, part, p, true)
		}
	}
}

// quotes says whether there are single quotes in an expansion within double quotes or a
// here-document, where they quote nothing: what stands between them runs.
func quotes(part *syntax.ParamExp) bool {
	found := false
	syntax.Walk(part, func(n syntax.Node) bool {
		_, single := n.(*syntax.SglQuoted)
		found = found || single
		_, command := n.(*syntax.CmdSubst)
		return !found && !command
	})
	return found
}

// cut stands for a word that is too long to be shown.
const cut = "…"

// written is a word as it is written, where it is not too long to be shown.
func (r *reader) written(w *syntax.Word) string {
	if w.End().Offset()-w.Pos().Offset() > maxShown || r.shown > 8*maxShown {
		return cut
	}
	if r.printer == nil {
		r.printer = syntax.NewPrinter(syntax.SingleLine(true))
	}
	var b strings.Builder
	if r.printer.Print(&b, w) != nil {
		return cut
	}
	r.shown += b.Len()
	return b.String()
}
