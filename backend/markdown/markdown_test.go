package markdown_test

import (
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/backend/markdown"
)

// kinds are the kinds of nodes in a text.
func kinds(p parser.Parser, source string) map[ast.NodeKind]bool {
	found := map[ast.NodeKind]bool{}
	_ = ast.Walk(p.Parse(text.NewReader([]byte(source))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		found[n.Kind()] = true
		return ast.WalkContinue, nil
	})
	return found
}

func TestHTMLIsText(t *testing.T) {
	got := kinds(markdown.NewParser(), "<div>\n\n<b>bold</b> [link](https://a.example) `code` *so*\n\n- item\n\n> quote\n\n```\nfence\n```\n")
	for _, kind := range []ast.NodeKind{ast.KindHTMLBlock, ast.KindRawHTML} {
		if got[kind] {
			t.Errorf("there is a node %s", kind)
		}
	}
	for _, kind := range []ast.NodeKind{ast.KindLink, ast.KindCodeSpan, ast.KindEmphasis, ast.KindList, ast.KindBlockquote, ast.KindFencedCodeBlock} {
		if !got[kind] {
			t.Errorf("there is no node %s", kind)
		}
	}
}

func TestOptions(t *testing.T) {
	const source = "see https://a.example"
	if kinds(markdown.NewParser(), source)[ast.KindAutoLink] {
		t.Error("an address became a link without being asked")
	}
	more := parser.WithInlineParsers(util.Prioritized(extension.NewLinkifyParser(), 999))
	if !kinds(markdown.NewParser(more), source)[ast.KindAutoLink] {
		t.Error("the option was lost")
	}
}
