package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// value collects the value of a word while it is parsed.
type value struct {
	text, shape    strings.Builder
	unknown, globs bool
	// other means that not only numbers are unknown.
	other   bool
	process bool
	bracket bool // a [ is open: what follows may match any text
}

func (v *value) known(s string) {
	v.text.WriteString(s)
	if v.bracket { // it ends with its name
		i := strings.IndexByte(s, '/')
		if i < 0 {
			return
		}
		v.bracket, s = false, s[i:]
	}
	v.shape.WriteString(s)
}

func (v *value) hole() {
	v.other = true
	v.number()
}

// number adds an unknown number.
func (v *value) number() {
	v.unknown = true
	v.shape.WriteRune(Unknown)
}

// quoted adds text inside double quotes. A remaining dollar may mean more in zsh
// than in bash.
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
	v.shape.WriteRune(Unknown)
}

// words parses a word in the arguments of a command: braces may expand to
// several.
func (r *reader) words(w *syntax.Word, p place) []Word {
	if !r.more() {
		return []Word{{Text: cut, Shape: string(Unknown), Unknown: true}}
	}
	if oddBraces(w) {
		r.doubt(whyForm)
	}
	expanded := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(expanded) {
		return []Word{r.word(w, p)}
	}
	for _, part := range w.Parts {
		// Bash and the parser disagree about where an expansion's braces end.
		if e, ok := part.(*syntax.ParamExp); ok && !e.Short {
			r.doubt(whyForm)
		}
	}
	// A $ at the end of an alternative uses what follows the braces as its name.
	text := r.written(w)
	if text == cut || strings.Contains(text, "$}") || strings.Contains(text, "$,") {
		r.doubt(whyForm)
	}
	// A plain sh may not expand braces.
	if n := braceCount(expanded); n == 0 || n > maxWords || p.posix {
		r.nested(w, p)
		return []Word{{Text: text, Shape: string(Unknown), Unknown: true}}
	}
	var out []Word
	for e, err := range expand.BracesSeq(nil, expanded) {
		if err != nil {
			return []Word{{Text: text, Shape: string(Unknown), Unknown: true}}
		}
		if word := r.word(e, p); word.Text != "" || hasQuotes(e) {
			out = append(out, word) // {,a} is one word
		}
	}
	return out
}

// word parses one word without braces.
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
	out := Word{Text: v.text.String(), Shape: v.shape.String(), Unknown: v.unknown, Number: v.unknown && !v.other, Glob: v.globs, Process: v.process}
	if out.Unknown {
		out.Text = r.written(w)
	}
	return out
}

// escapes matches $'…' text whose escapes are parsed here as in bash. Bash has
// undocumented ones, such as \x{72}.
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
		if part.Dollar { // its translation may contain anything
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
			r.doubt(whyForm) // bash omits it or treats it as a file
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
		if isStatus(part) {
			v.number()
			return
		}
		v.hole()
	default: // arithmetic; and *(…), which can run commands in zsh
		r.nested(part, p)
		v.hole()
	}
}

// literal parses unquoted text. first and whole are its position in its word.
func (r *reader) literal(v *value, s string, first, whole bool) {
	if first {
		rest, tilde := strings.CutPrefix(s, "~")
		value, assigns := assigned(s)
		switch {
		case tilde && r.home != "" && (strings.HasPrefix(rest, "/") || rest == "" && whole):
			v.known(r.home)
			s = rest
		case tilde, // the home of another user, or the previous folder
			assigns && (strings.HasPrefix(value, "~") || strings.Contains(value, ":~")), // as the shell does
			len(s) > 1 && s[0] == '=': // in zsh, the path of a program
			v.hole()
			return
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			switch {
			case i == len(s): // at the very end
				v.known(`\`)
			case s[i] != '\n':
				v.known(s[i : i+1])
			}
		case '$': // starts more in zsh than in bash
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
			if v.glob(s[i : i+1]); end < 0 || !whole && !ends { // it may contain quoted text too
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

// assigned returns the value of an apparent assignment.
func assigned(s string) (value string, ok bool) {
	i := strings.IndexByte(s, '=')
	if i <= 0 || s[0] >= '0' && s[0] <= '9' || strings.Trim(s[:i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "", false
	}
	return s[i+1:], true
}

// unescape removes the backslash before the given characters.
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
	return p.Param != nil && p.Param.Value == "HOME" && p.Index == nil && plainly(p)
}

// isStatus reports whether an expansion is the exit status of what ran before, which only the
// shell sets: $? or ${PIPESTATUS[0]}.
func isStatus(p *syntax.ParamExp) bool {
	if p.Param == nil || !plainly(p) {
		return false
	}
	if p.Param.Value == "?" {
		return p.Index == nil
	}
	at, plain := p.Index.(*syntax.Word)
	return p.Param.Value == "PIPESTATUS" && plain && slices.Contains([]string{"0", "1", "2", "3", "@", "*"}, at.Lit())
}

// plainly reports whether an expansion is a variable's value, unchanged.
func plainly(p *syntax.ParamExp) bool {
	return !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil && p.Flags == nil && len(p.Modifiers) == 0
}

// printed returns the text of $(cat <<'END' …), a common way to write long
// messages. Its command is still listed.
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

// document parses a here-document.
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

// quotes reports whether an expansion within double quotes or a here-document has
// single quotes, which quote nothing there: the text between them runs.
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

// cut replaces a word that is too long to show.
const cut = "…"

// written returns a word's source if it isn't too long to show.
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
