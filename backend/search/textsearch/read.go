package textsearch

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/backend/markdown"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxMarkdown is the maximum length of a text, in UTF-16 units, that the
// frontend renders as Markdown. Longer ones are shown unchanged.
const maxMarkdown = 200_000

// newMarkdown returns a parser like the frontend's: GitHub's Markdown, in which
// HTML is text.
func newMarkdown() parser.Parser {
	return goldmark.New(
		goldmark.WithParser(markdown.NewParser()),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote),
	).Parser()
}

// asRead returns the rendered text of Markdown: without markup and link addresses,
// with one line per paragraph, cell and line of code. Soft line breaks are joined.
func asRead(markdown parser.Parser, source string) string {
	if plain(source) {
		return source
	}
	r := reader{source: []byte(source)}
	r.blocks(markdown.Parse(text.NewReader(r.source)))
	return strings.TrimSuffix(r.out.String(), "\n")
}

// Parsing Markdown can take quadratic time: in the markup of a paragraph, and in the
// nesting of lists and quotes. Nobody writes this much of either.
const (
	maxMarksInParagraph = 400
	maxDepth            = 24
)

var (
	// beginning matches the start of a new paragraph: an item, a row, a heading.
	beginning = regexp.MustCompile(`^[ \t]*(?:[-+*] |\d{1,9}[.)] |\||#)`)
	tooDeep   = regexp.MustCompile(fmt.Sprintf(`^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])){%d}`, maxDepth))
)

// plain reports whether a text isn't parsed as Markdown: the frontend shows it
// unchanged, or parsing would take too long.
func plain(source string) bool {
	if len(source) > maxMarkdown {
		units := 0
		for _, r := range source {
			units += utf16Units(r)
		}
		if units > maxMarkdown {
			return true
		}
	}
	marks := 0
	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" || beginning.MatchString(line) {
			marks = 0
		}
		for i := range len(line) {
			if strings.IndexByte("*_[]~!", line[i]) >= 0 {
				marks++
			}
		}
		if marks > maxMarksInParagraph || tooDeep.MatchString(line) {
			return true
		}
	}
	return false
}

type reader struct {
	source []byte
	out    strings.Builder
}

// blocks writes a block's contents, each part on its own lines.
func (r *reader) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch {
		case n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock:
			lines := n.Lines()
			for i := range lines.Len() {
				segment := lines.At(i)
				r.out.Write(segment.Value(r.source))
			}
			r.line()
		case n.Type() == ast.TypeBlock && (n.FirstChild() == nil || n.FirstChild().Type() == ast.TypeBlock):
			r.blocks(n)
		case n.Type() == ast.TypeBlock:
			r.inline(n)
			r.line()
		}
	}
}

// line ends a started line.
func (r *reader) line() {
	if s := r.out.String(); s != "" && !strings.HasSuffix(s, "\n") {
		r.out.WriteByte('\n')
	}
}

func (r *reader) inline(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			r.text(n, parent.Kind() == ast.KindCodeSpan)
		case *ast.String:
			r.out.Write(n.Value)
		case *ast.AutoLink:
			r.out.Write(n.Label(r.source))
		case *ast.Link:
			r.inline(n)
			if address := string(n.Destination); !followed(address) {
				r.out.WriteString(" " + address)
			}
		case *east.FootnoteLink, *east.FootnoteBacklink, *east.TaskCheckBox:
		default:
			r.inline(n)
		}
	}
}

func (r *reader) text(n *ast.Text, code bool) {
	value := n.Segment.Value(r.source)
	if !code && !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	if code {
		value = []byte(strings.ReplaceAll(string(value), "\n", " "))
	}
	r.out.Write(value)
	switch {
	case n.HardLineBreak():
		r.out.WriteByte('\n')
	case n.SoftLineBreak():
		r.out.WriteByte(' ')
	}
}

// followed reports whether the frontend turns an address into a link. Others are
// shown.
func followed(address string) bool {
	u, err := url.Parse(address)
	return err == nil && utf8.ValidString(address) && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto")
}
