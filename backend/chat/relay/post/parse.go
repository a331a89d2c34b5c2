package post

import (
	"bytes"
	"strings"

	"parley/backend/markdown"

	mattermost "github.com/mattermost/mattermost/server/public/shared/markdown"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parse parses markdown as the chat does: HTML is text there.
func parse(src []byte) ast.Node {
	p := markdown.NewParser(
		parser.WithInlineParsers(util.Prioritized(extension.NewLinkifyParser(), 999)),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
	return p.Parse(text.NewReader(src))
}

// Parsing limits. Parsers take superlinear time for text that consists only of markup
// characters.
const (
	maxBrackets    = 1500
	maxDefinitions = 200
	maxNesting     = 50
)

// heavy reports whether a text is one that nobody writes and that would take long to
// parse.
func heavy(text string) bool {
	if strings.Count(text, "[") > maxBrackets || strings.Count(text, "]:") > maxDefinitions {
		return true
	}
	for line := range strings.Lines(text) {
		marks := line[:len(line)-len(strings.TrimLeft(line, " \t>-+*.)0123456789"))]
		nesting := strings.Count(marks, ">")
		for _, mark := range []string{"- ", "+ ", "* ", ". ", ") "} {
			nesting += strings.Count(marks, mark)
		}
		if nesting > maxNesting {
			return true
		}
	}
	return false
}

// spoken finds the stretches of markdown in which the chat server looks for mentions.
// Only its own parser is sure to parse markdown the same way.
func spoken(src string) []span {
	var found []span
	doc, definitions := mattermost.Parse(src)
	mattermost.InspectBlock(doc, func(b mattermost.Block) bool {
		if p, ok := b.(*mattermost.Paragraph); ok {
			for _, inline := range p.ParseInlines(definitions) {
				mattermost.InspectInline(inline, func(n mattermost.Inline) bool {
					if text, ok := n.(*mattermost.Text); ok {
						found = append(found, span{text.Range.Position, text.Range.End})
					}
					return true
				})
			}
		}
		return true
	})
	byStart(found)
	return found
}

// fence is a fenced code block.
type fence struct {
	// open is the offset of the line with the opening fence, begin and end are those of
	// the code's lines, after is that of what follows the block.
	open, begin, end, after int
	// mark is the fence itself, info what follows it.
	mark, info string
	closed     bool
	// nested is true in a list or a quote.
	nested bool
}

// fenceOf locates a code block. Its parser returns the position of the block and its
// lines, but not whether it is closed.
func fenceOf(src []byte, n *ast.FencedCodeBlock) fence {
	f := fence{open: lineStart(src, n.Pos()), nested: n.Parent() != nil && n.Parent().Kind() != ast.KindDocument}
	f.begin = lineEnd(src, n.Pos())
	line := strings.TrimRight(string(src[n.Pos():f.begin]), " \t\r\n")
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return f
	}
	f.info = strings.TrimLeft(line, line[:1])
	f.mark = line[:len(line)-len(f.info)]
	f.info = strings.TrimSpace(f.info)
	f.end = f.begin
	if lines := n.Lines(); lines.Len() > 0 {
		f.end = max(f.begin, lineEnd(src, max(lines.At(lines.Len()-1).Stop-1, lines.At(lines.Len()-1).Start)))
	}
	f.after = f.end
	if f.end < len(src) && f.mark != "" {
		next := lineEnd(src, f.end)
		closing := strings.TrimRight(string(src[f.end:next]), " \t\r\n")
		closing = strings.TrimLeft(closing, " \t>")
		if len(closing) >= len(f.mark) && strings.Trim(closing, f.mark[:1]) == "" {
			f.closed, f.after = true, next
		}
	}
	return f
}

// lineStart returns the offset of an offset's line, lineEnd that of the next one.
func lineStart(src []byte, at int) int {
	return bytes.LastIndexByte(src[:min(max(at, 0), len(src))], '\n') + 1
}

func lineEnd(src []byte, at int) int {
	at = min(max(at, 0), len(src))
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// seal closes an open code block at the end of a text, so that more can follow
// it.
func seal(markdown string) string {
	if heavy(markdown) {
		return markdown
	}
	doc := parse([]byte(markdown))
	if last, ok := doc.LastChild().(*ast.FencedCodeBlock); ok {
		if f := fenceOf([]byte(markdown), last); !f.closed && f.mark != "" {
			return strings.TrimSuffix(markdown, "\n") + "\n" + f.mark
		}
	}
	return markdown
}
