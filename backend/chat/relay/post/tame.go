package post

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Sanitize removes from a model's markdown what must not work in a thread:
//
//   - Mentions: an "@" that would mention someone is followed by a zero-width space,
//     which looks the same.
//   - Images from elsewhere become links. Everyone who sees an image loads it, and its
//     address can leak what the model has read; a link does nothing until it is followed
//     (package mattermost ensures that the server makes no preview).
//   - Links only lead to the web and to mail; one to a file, or with any other scheme,
//     is shown as text. One whose text names another host than its target shows its
//     address.
//
// Tables are rewritten so that the chat renders them. HTML is text in the chat and stays
// as it is. Tame is idempotent.
func Sanitize(text string) string {
	text = tables(clean(text))
	if !strings.ContainsAny(text, "@&[<") {
		return text
	}
	if heavy(text) {
		return blunt(text)
	}
	text = settle(text, links)
	if strings.Contains(text, "](") && links(text) != text {
		text = strings.ReplaceAll(text, "](", `]\(`)
	}
	return settle(text, mentions)
}

// blunt breaks all links, images and mentions of a text, including those in
// code.
func blunt(text string) string {
	text = strings.NewReplacer("](", `]\(`, "![", `!\[`).Replace(text)
	return strings.ReplaceAll(strings.ReplaceAll(text, "@", "@\u200b"), "\u200b\u200b", "\u200b")
}

// settle applies do to a text until nothing changes: a removal can turn the text
// around it into something new.
func settle(text string, do func(string) string) string {
	for range 8 {
		next := do(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

// span is a range of a text.
type span struct{ from, to int }

// edit replaces a span by text.
type edit struct {
	span
	text string
}

type tamer struct {
	src []byte
	// code are the spans in which markup has no effect.
	code  []span
	edits []edit
}

// codeIn finds all code.
func codeIn(src []byte, doc ast.Node) []span {
	var code []span
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if f := fenceOf(src, n); f.mark != "" && !strings.Contains(f.info, "`") {
				code = append(code, span{f.begin, f.end})
			}
		case *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				code = append(code, span{line.Start, line.Stop})
			}
		case *ast.CodeSpan:
			if last, ok := n.LastChild().(*ast.Text); ok && n.Pos() >= 0 {
				code = append(code, span{n.Pos(), last.Segment.Stop})
			}
		}
		return ast.WalkContinue, nil
	})
	byStart(code)
	return code
}

// inCode reports whether markup has no effect at an offset.
func (t *tamer) inCode(at int) bool { return inside(t.code, at) }

func inside(spans []span, at int) bool {
	i, found := slices.BinarySearchFunc(spans, at, func(s span, at int) int { return cmp.Compare(s.from, at) })
	return found || i > 0 && at < spans[i-1].to
}

// links sanitizes every link and image.
func links(text string) string {
	t := &tamer{src: []byte(text)}
	doc := parse(t.src)
	t.code = codeIn(t.src, doc)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.AutoLink:
			t.auto(n)
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			t.link(n)
		case *ast.Image:
			t.image(n)
		}
		return ast.WalkContinue, nil
	})
	return t.apply()
}

func byStart(spans []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
}

func (t *tamer) auto(n *ast.AutoLink) {
	label := n.Label(t.src)
	at := bytes.Index(t.src[max(n.Pos(), 0):], label)
	if n.Pos() < 0 || at < 0 {
		return
	}
	at += n.Pos()
	s := span{at, at + len(label)}
	pointed := at > 0 && t.src[at-1] == '<'
	if n.AutoLinkType == ast.AutoLinkEmail || scheme(string(n.URL(t.src))) != "" {
		return
	}
	if pointed && s.to < len(t.src) {
		s.from, s.to = s.from-1, s.to+1
	}
	t.edits = append(t.edits, edit{s, Code(string(label))})
}

// scheme returns the scheme of an address that may be followed, "" for any
// other.
func scheme(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	switch s := strings.ToLower(u.Scheme); s {
	case "http", "https":
		if u.Host != "" {
			return s
		}
	case "mailto":
		return s
	}
	return ""
}

func (t *tamer) link(n *ast.Link) {
	at, destination := n.Pos(), string(n.Destination)
	closing, end, ok := t.tail(at + 1)
	if !ok || at < 0 || t.src[at] != '[' {
		if scheme(destination) == "" && at >= 0 {
			t.edits = append(t.edits, edit{span{at, at}, `\`})
		}
		return
	}
	label := string(t.src[at+1 : closing])
	plain := strings.Trim(strings.TrimSpace(label), "`")
	switch {
	case scheme(destination) == "":
		shown := " (" + Code(destination) + ")"
		if destination == "" || destination[0] == '#' {
			shown = ""
		}
		if plain != "" && strings.HasPrefix(path.Base(destination), path.Base(plain)) && strings.Contains(destination, plain) {
			t.edits = append(t.edits, edit{span{at, end}, Code(destination)})
			return
		}
		t.edits = append(t.edits, edit{span{at, at + 1}, ""}, edit{span{closing, end}, shown})
	case elsewhere(plain, destination):
		t.edits = append(t.edits, edit{span{at, end}, "<" + address(destination) + ">"})
	case n.Reference != nil:
		// Its reference may end up in another post.
		t.edits = append(t.edits, edit{span{closing, end}, "](<" + address(destination) + ">)"})
	}
}

// address returns a link's address, without anything that would end it or
// mention someone.
func address(destination string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", "\n", "", "\\", "%5C", "@", "%40").Replace(destination)
}

// elsewhere reports whether a link's text is an address on another host than its
// target.
func elsewhere(label, destination string) bool {
	if strings.HasPrefix(strings.ToLower(label), "www.") {
		label = "http://" + label
	}
	says, err := url.Parse(label)
	leads, err2 := url.Parse(destination)
	return err == nil && err2 == nil && says.Host != "" && !strings.EqualFold(says.Host, leads.Host)
}

func (t *tamer) image(n *ast.Image) {
	at := n.Pos()
	if at < 0 || at >= len(t.src) {
		return
	}
	if t.src[at] == '[' && at > 0 && t.src[at-1] == '!' {
		at--
	}
	if t.src[at] != '!' {
		return
	}
	closing, end, ok := t.tail(at + 2)
	if !ok {
		t.edits = append(t.edits, edit{span{at, at + 1}, `\!\`})
		return
	}
	label, destination := string(t.src[at+2:closing]), string(n.Destination)
	_, linked := n.Parent().(*ast.Link)
	switch web := scheme(destination) != ""; {
	case !linked && web && n.Reference != nil:
		t.edits = append(t.edits, edit{span{at, at + 1}, ""}, edit{span{closing, end}, "](<" + address(destination) + ">)"})
	case linked:
		t.edits = append(t.edits, edit{span{at, at + 2}, ""}, edit{span{closing, end}, ""})
	case !web:
		shown := Code(destination)
		if shown == "" || strings.HasPrefix(destination, "data:") {
			shown = "image"
		}
		t.edits = append(t.edits, edit{span{at, end}, shown})
	case label == "":
		t.edits = append(t.edits, edit{span{at, closing}, "[image"})
	default:
		t.edits = append(t.edits, edit{span{at, at + 1}, ""})
	}
}

// tail finds where the text of a link that starts at an offset ends, and where the link
// ends.
func (t *tamer) tail(from int) (closing, end int, ok bool) {
	depth := 0
	for i := from; i < len(t.src); i++ {
		if t.inCode(i) {
			continue
		}
		switch t.src[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth > 0 {
				depth--
				continue
			}
			end, ok := t.target(i + 1)
			return i, end, ok
		}
	}
	return 0, 0, false
}

// target returns the offset after a link's target.
func (t *tamer) target(i int) (end int, ok bool) {
	switch {
	case i >= len(t.src) || t.src[i] != '(' && t.src[i] != '[':
		return i, true
	case t.src[i] == '[':
		if n := bytes.IndexByte(t.src[i:], ']'); n >= 0 {
			return i + n + 1, true
		}
		return i, true
	}
	i = t.space(i + 1)
	if i < len(t.src) && t.src[i] == '<' {
		if i = t.until(i+1, '>'); i < 0 {
			return 0, false
		}
	} else {
		depth := 0
		for ; i < len(t.src); i++ {
			c := t.src[i]
			if c == '\\' {
				i++
			} else if c == '(' {
				depth++
			} else if c <= ' ' || c == ')' && depth == 0 {
				break
			} else if c == ')' {
				depth--
			}
		}
	}
	i = t.space(i)
	if i < len(t.src) && bytes.IndexByte([]byte(`"'(`), t.src[i]) >= 0 {
		quote := t.src[i]
		if quote == '(' {
			quote = ')'
		}
		if i = t.until(i+1, quote); i < 0 {
			return 0, false
		}
		i = t.space(i)
	}
	if i < len(t.src) && t.src[i] == ')' {
		return i + 1, true
	}
	return 0, false
}

func (t *tamer) space(i int) int {
	for i < len(t.src) && (t.src[i] == ' ' || t.src[i] == '\t' || t.src[i] == '\n') {
		i++
	}
	return i
}

// until returns the offset after the next occurrence of a character, or -1.
func (t *tamer) until(i int, c byte) int {
	for ; i < len(t.src); i++ {
		switch t.src[i] {
		case '\\':
			i++
		case c:
			return i + 1
		}
	}
	return -1
}

// mentions adds a zero-width space after every character that would mention
// someone.
func mentions(text string) string {
	t := &tamer{src: []byte(text)}
	spoken := spoken(text)
	for i := range t.src {
		size := 0
		switch t.src[i] {
		case '@':
			size = 1
		case '&':
			size = entity(t.src[i:])
		}
		if size == 0 || i+size >= len(t.src) || i > 0 && t.src[i-1] < 0x80 && word(t.src[i-1]) || !inside(spoken, i) {
			continue
		}
		next := t.src[i+size]
		switch {
		case bytes.HasPrefix(t.src[i+size:], []byte("\u200b")):
		case !word(next) && strings.IndexByte("._-:&\\", next) < 0:
		default:
			t.edits = append(t.edits, edit{span{i + size, i + size}, "\u200b"})
		}
	}
	return t.apply()
}

// entity returns the length of an entity for "@" at the start of a text, or 0.
func entity(src []byte) int {
	end := bytes.IndexByte(src[:min(len(src), 16)], ';')
	if end < 0 {
		return 0
	}
	name := strings.ToLower(string(src[1:end]))
	if name == "commat" {
		return end + 1
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0
	}
	hex, isHex := strings.CutPrefix(number, "x")
	if isHex && strings.TrimLeft(hex, "0") == "40" || !isHex && strings.TrimLeft(number, "0") == "64" {
		return end + 1
	}
	return 0
}

// word reports whether a byte may be part of a name.
func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// apply makes the edits. Of two that overlap, the one that starts first wins.
func (t *tamer) apply() string {
	slices.SortStableFunc(t.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var out strings.Builder
	at := 0
	for _, e := range t.edits {
		if e.from < at {
			continue
		}
		out.Write(t.src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(t.src[at:])
	return out.String()
}
