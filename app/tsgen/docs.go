package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strings"
)

// readDocs returns the comments of the struct types and their fields in some
// folders, by "Type" and "Type.Field".
func readDocs(dirs ...string) (map[string]string, error) {
	docs := map[string]string{}
	for _, dir := range dirs {
		found, err := readDir(dir)
		if err != nil {
			return nil, err
		}
		maps.Copy(docs, found)
	}
	return docs, nil
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
