package backend_test

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/backend/event"
)

// Every package has one package comment, in the form that go doc expects. It says
// what the package is for, what it owns and what it must not know.
func TestPackageComments(t *testing.T) {
	for dir, s := range sources(t) {
		var found []string
		for name, file := range s.files {
			if file.Doc == nil {
				continue
			}
			found = append(found, name)
			want := "Package " + file.Name.Name + " "
			if file.Name.Name == "main" {
				want = "Command "
			}
			if !strings.HasPrefix(file.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", name, want)
			}
		}
		if len(found) != 1 {
			t.Errorf("%s has %d package comments: %v", dir, len(found), found)
		}
	}
}

// A file that grows beyond this has two reasons to change.
func TestFilesAreShort(t *testing.T) {
	const most = 450
	for _, s := range sources(t) {
		for name, file := range s.files {
			if lines := s.fset.Position(file.FileEnd).Line; lines > most {
				t.Errorf("%s has %d lines, more than %d", name, lines, most)
			}
		}
	}
}

// State lives in values that are created and closed explicitly. Package
// variables must be constant in all but name.
func TestNoStateInPackages(t *testing.T) {
	for _, s := range sources(t) {
		for name, file := range s.files {
			for _, decl := range file.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						t.Errorf("%s has an init function", name)
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						checkVariables(t, name, d)
					}
				}
			}
		}
	}
}

func checkVariables(t *testing.T, file string, d *ast.GenDecl) {
	t.Helper()
	embedded := hasDirective(d.Doc, "//go:embed ")
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i, name := range v.Names {
			var value ast.Expr
			if i < len(v.Values) {
				value = v.Values[i]
			}
			if file == "main.go" && slices.Contains([]string{"release", "updateAddress", "updateKey"}, name.Name) {
				continue // build/package sets it with the linker
			}
			if name.Name != "_" && !embedded && !hasDirective(v.Doc, "//go:embed ") && !constant(value) {
				t.Errorf("%s: the variable %s is state of the package", file, name.Name)
			}
		}
	}
}

func hasDirective(g *ast.CommentGroup, prefix string) bool {
	if g == nil {
		return false
	}
	for _, c := range g.List {
		if strings.HasPrefix(c.Text, prefix) {
			return true
		}
	}
	return false
}

// constant accepts sentinel errors, patterns, literal tables, and values computed from them
// once.
func constant(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		f, ok := v.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		pkg, ok := f.X.(*ast.Ident)
		return ok && (pkg.Name == "errors" && f.Sel.Name == "New" || pkg.Name == "regexp" && f.Sel.Name == "MustCompile" || pkg.Name == "strings" && f.Sel.Name == "NewReplacer" ||
			pkg.Name == "sync" && (f.Sel.Name == "OnceValue" || f.Sel.Name == "OnceValues"))
	}
	return false
}

// Log messages are constant sentences, so that they can be searched for; variable
// parts are attributes.
func TestLogMessages(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		for _, file := range s.files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 || !isLogCall(call) {
					return true
				}
				found++
				at := s.fset.Position(call.Pos())
				lit, ok := call.Args[0].(*ast.BasicLit)
				if !ok {
					t.Errorf("%s: the message is not a constant", at)
					return true
				}
				message, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				if first, _ := utf8.DecodeRuneInString(message); !unicode.IsUpper(first) || strings.HasSuffix(message, ".") {
					t.Errorf("%s: %q should begin with a capital and end without a dot", at, message)
				}
				return true
			})
		}
	}
	if found == 0 {
		t.Error("no log call was found: this test looks for the wrong names")
	}
}

// isLogCall recognizes calls such as s.log.Warn(…) by the logger's name.
func isLogCall(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch f.Sel.Name {
	case "Debug", "Info", "Warn", "Error":
	default:
		return false
	}
	name := ""
	switch x := f.X.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	name = strings.ToLower(name)
	return name == "log" || name == "logger" || name == "slog"
}

// The events' fields have one spelling everywhere, and only types that mean the
// same in TypeScript. (The method table checks parameters and results itself.)
func TestEventsCanCrossTheBorder(t *testing.T) {
	names := map[string]bool{}
	for _, e := range event.All() {
		form := `^[a-z]+(_[a-z]+)*$`
		if _, global := e.(event.Global); global {
			form = `^[a-z]+\.[a-z]+$`
		}
		if !regexp.MustCompile(form).MatchString(e.EventName()) || names[e.EventName()] {
			t.Errorf("event name %q", e.EventName())
		}
		names[e.EventName()] = true
		crosses(t, reflect.TypeOf(e).Elem(), reflect.TypeOf(e).Elem().Name())
	}
}

func crosses(t *testing.T, typ reflect.Type, where string) {
	t.Helper()
	if typ == reflect.TypeFor[json.RawMessage]() {
		return
	}
	switch typ.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
	case reflect.Pointer, reflect.Slice:
		crosses(t, typ.Elem(), where)
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			t.Errorf("%s is a %v", where, typ)
		}
		crosses(t, typ.Elem(), where)
	case reflect.Struct:
		if path.Dir(typ.PkgPath()+"/x") != module+"backend/event" {
			t.Errorf("%s is a %v", where, typ)
			return
		}
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				crosses(t, f.Type, where)
				continue
			}
			if !regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`).MatchString(name) {
				t.Errorf("%s.%s has the JSON name %q", where, f.Name, name)
			}
			crosses(t, f.Type, where+"."+f.Name)
		}
	default:
		t.Errorf("%s is a %v", where, typ)
	}
}

// The root of the program builds its features and connects them: the features'
// behavior and the border are in the packages below it.
func TestRootIsThin(t *testing.T) {
	const mostFiles, mostLines = 8, 1000
	root := sources(t)["app"]
	lines := 0
	for name, file := range root.files {
		lines += root.fset.Position(file.FileEnd).Line
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && f.Tag != nil {
				t.Errorf("%s has a type for the border: %s", name, f.Tag.Value)
			}
			return true
		})
	}
	if len(root.files) == 0 || len(root.files) > mostFiles || lines > mostLines {
		t.Errorf("package app has %d files and %d lines, at most %d and %d are meant", len(root.files), lines, mostFiles, mostLines)
	}
}

// A feature that needs most of the program should be split. Exceptions, none of which is a feature,
// are listed with their upper bound.
func TestFeaturesAreNarrow(t *testing.T) {
	const most = 15
	wide := map[string]int{
		"app/chat/ports": 23, // It connects the commands of the chat to what they control.
		"app/checkup":    17, // It reads what all of them store.
		"app/role":       25, // It starts the surfaces.
	}
	for dir, s := range sources(t) {
		if !strings.HasPrefix(dir, "app/") {
			continue
		}
		ours := 0
		for imported := range s.imports {
			if strings.HasPrefix(imported, module) {
				ours++
			}
		}
		bound, named := wide[dir]
		switch {
		case ours > max(most, bound):
			t.Errorf("%s imports %d packages of ours, at most %d are meant: part it, or have it handed what it needs", dir, ours, max(most, bound))
		case named && ours < bound:
			t.Errorf("%s imports %d packages of ours: write that down as what it may not grow beyond, in the place of %d", dir, ours, bound)
		}
	}
}

// A feature is made by New from a Config, and its internals are not accessible. Exceptions
// that are returned as a whole are listed.
func TestFeaturesAreClosed(t *testing.T) {
	open := map[string][]string{
		"app/chat":        {"File"},                     // accepted settings, which others may have changed
		"app/heartbeats":  {"Service"},                  // what runs them
		"app/memory":      {"Store"},                    // the accepted memory
		"app/notices":     {"Leaving"},                  // the closing window asks it
		"app/permissions": {"Desk"},                     // the open requests
		"app/profiles":    {"All"},                      // the profiles
		"app/recovery":    {"Keeping", "Kept", "Trail"}, // the store, the accepted versions and the log
		"app/rooms":       {"Hub"},                      // the rooms
		"app/settings":    {"Store"},                    // the values, for readers
		"app/terminals":   {"Supervisor"},               // the terminals
		"app/usage":       {"Windows"},                  // known context windows
	}
	services := 0
	for dir, s := range sources(t) {
		if !strings.HasPrefix(dir, "app/") {
			continue
		}
		var found []string
		for _, file := range s.files {
			ast.Inspect(file, func(n ast.Node) bool {
				one, ok := n.(*ast.TypeSpec)
				if !ok || one.Name.Name != "Service" {
					return true
				}
				services++
				for _, field := range one.Type.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						if name.IsExported() {
							found = append(found, name.Name)
						}
					}
					if len(field.Names) == 0 {
						if name := embedded(field.Type); ast.IsExported(name) {
							found = append(found, name)
						}
					}
				}
				return false
			})
		}
		if !slices.Equal(found, open[dir]) {
			t.Errorf("the Service of %s has the open fields %q, and %q are meant: have New take a Config, or say why", dir, found, open[dir])
		}
	}
	if services < 20 {
		t.Errorf("%d services were found: this test looks for the wrong name", services)
	}
}

// embedded is the name of an embedded field.
func embedded(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embedded(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}
