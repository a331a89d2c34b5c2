package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// module is the path prefix of the module's packages.
const module = "parley/"

// docs are the comments of struct types and of their fields, by "package.Type" and
// "package.Type.Field". Each package is read on first use.
type docs struct {
	root string
	read map[string]map[string]string
}

// of is the comment of a type or one of its fields, "" for none.
func (d *docs) of(pkg, name string) string {
	// In the back end, only packages that are part of the API have comments for its users.
	if !strings.HasPrefix(pkg, module+"app") && pkg != module+"backend/event" && pkg != module+"backend/settings" {
		return ""
	}
	return d.read[pkg][name]
}

// load reads the comments of a package.
func (d *docs) load(pkg string) error {
	if _, known := d.read[pkg]; known || !strings.HasPrefix(pkg, module) {
		return nil
	}
	found, err := readDir(filepath.Join(d.root, filepath.FromSlash(strings.TrimPrefix(pkg, module))))
	d.read[pkg] = found
	return err
}

func readDir(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	docs := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading comments: %w", err)
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				typeDocs(d, docs)
			}
		}
	}
	return docs, nil
}

func typeDocs(d *ast.GenDecl, docs map[string]string) {
	for _, spec := range d.Specs {
		t := spec.(*ast.TypeSpec)
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		docs[t.Name.Name] = firstText(t.Doc, d.Doc)
		for _, f := range s.Fields.List {
			for _, name := range f.Names {
				docs[t.Name.Name+"."+name.Name] = firstText(f.Doc, f.Comment)
			}
		}
	}
}

func firstText(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.TrimSpace(g.Text()); text != "" {
			return text
		}
	}
	return ""
}
