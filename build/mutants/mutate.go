package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A mutant is one change to a file that its tests should notice.
type mutant struct {
	file       string // its path
	line       int
	what       string // a readable description
	start, end int    // the replaced bytes
	text       string // the replacement
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.what) }

// apply returns the file's text with the change.
func (m mutant) apply(src []byte) []byte {
	out := append([]byte{}, src[:m.start]...)
	out = append(out, m.text...)
	return append(out, src[m.end:]...)
}

// swaps are operators and their replacements.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// mutants lists all changes of one file. Not all of them compile.
func mutants(name string, src []byte) ([]mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var out []mutant
	add := func(from, to token.Pos, text, what string) {
		at := set.Position(from)
		out = append(out, mutant{name, at.Line, what, at.Offset, set.Position(to).Offset, text})
	}
	part := func(n ast.Node) string {
		return short(string(src[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset]))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			// The form of a value in a message is not part of the contract.
			return n.Name.Name != "String" && n.Name.Name != "Error" && n.Name.Name != "init"
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(src[set.Position(n.Cond.Pos()).Offset:set.Position(n.Cond.End()).Offset])+")", "negated: "+part(n.Cond))
		case *ast.BinaryExpr:
			if to, ok := swaps[n.Op]; ok && !joinsText(n) {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String(), fmt.Sprintf("%s for %s in: %s", to, n.Op, part(n)))
			}
		case *ast.ExprStmt:
			if _, call := n.X.(*ast.CallExpr); call && !logs(n) {
				add(n.Pos(), n.End(), "", "left out: "+part(n))
			}
		case *ast.IncDecStmt:
			add(n.Pos(), n.End(), "", "left out: "+part(n))
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && !ignores(n) {
				add(n.Pos(), n.End(), "", "left out: "+part(n))
			}
		case *ast.CaseClause:
			if len(n.Body) > 0 {
				add(n.Body[0].Pos(), n.Body[len(n.Body)-1].End(), "", "emptied: case "+caseName(n, part))
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				break
			}
			last := n.Results[len(n.Results)-1]
			if id, ok := last.(*ast.Ident); ok {
				if to, ok := map[string]string{"err": "nil", "true": "false", "false": "true"}[id.Name]; ok {
					add(last.Pos(), last.End(), to, fmt.Sprintf("%s for %s in: %s", to, id.Name, part(n)))
				}
			}
		}
		return true
	})
	return out, nil
}

func caseName(n *ast.CaseClause, part func(ast.Node) string) string {
	if len(n.List) == 0 {
		return "default"
	}
	return part(n.List[0])
}

// joinsText: the operator is next to a string, where only + compiles.
func joinsText(n *ast.BinaryExpr) bool {
	if n.Op != token.ADD {
		return false
	}
	text := false
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		text = text || ok && lit.Kind == token.STRING
		return true
	})
	return text
}

// logs: the call only logs.
func logs(n *ast.ExprStmt) bool {
	call := n.X.(*ast.CallExpr)
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch sel.Sel.Name {
	case "Debug", "Info", "Warn", "Error", "Helper", "Done", "Lock", "Unlock", "RLock", "RUnlock", "Wait", "Add", "Close":
		// Logging, and calls whose removal only shows as a hang, a leak or a race.
		return true
	}
	return false
}

func ignores(n *ast.AssignStmt) bool {
	for _, left := range n.Lhs {
		if id, ok := left.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 90 {
		return string(r[:90]) + " …"
	}
	return s
}
