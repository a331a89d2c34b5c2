package backend_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A test's time limit only detects hangs: nobody knows how long a busy machine takes. So a
// test waits either for a moment, less than five seconds, that is part of what it tests,
// or for ten minutes. Fake time may be any duration.
func TestLimitsAreForWhatHangs(t *testing.T) {
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), `"testing/synctest"`) || strings.Contains(string(text), "inBubble(") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, problem := range shortLimits(fset, file) {
			t.Error(problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The same for the suites of the window and the page.
func TestLimitsOfSuitesAreForWhatHangs(t *testing.T) {
	limit := regexp.MustCompile(`\btimeout\w*: (\d[\d_]*)`)
	files, err := filepath.Glob("../frontend/e2e/*.mjs")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d suites, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			found := limit.FindStringSubmatch(line)
			// If nothing fails at the limit, it only delays the next attempt.
			if found == nil || strings.HasSuffix(name, "-bench.mjs") || strings.Contains(line, ".catch(() =>") || strings.Contains(line, "() => false)") {
				continue
			}
			ms, err := strconv.Atoi(strings.ReplaceAll(found[1], "_", ""))
			if err != nil {
				t.Fatal(err)
			}
			if moment, hangs := 5_000, 540_000; ms > moment && ms < hangs {
				t.Errorf("%s:%d: a limit of %d ms: leave it out", name, number, ms)
			}
		}
	}
}

func TestShortLimits(t *testing.T) {
	const text = `package p
const patience = 30 * time.Second
const enough = time.Hour
func f() {
	time.After(time.Minute)
	time.After(2 * time.Second)
	time.NewTimer(patience)
	time.NewTimer(enough)
	context.WithTimeout(ctx, 9*time.Minute)
	context.WithTimeout(ctx, 10*time.Minute)
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	for deadline := time.Now().Add(time.Minute); ; {
	}
	at := time.Now().Add(time.Minute)
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, problem := range shortLimits(fset, file) {
		lines = append(lines, strings.Split(problem, ":")[1])
	}
	if want := []string{"5", "7", "9", "11", "12"}; !slices.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

// shortLimits returns the time limits of a file that are neither a moment nor long enough for hangs.
func shortLimits(fset *token.FileSet, file *ast.File) []string {
	const moment, hangs = 5 * time.Second, 10 * time.Minute
	named := map[string]time.Duration{}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, value := range spec.Values {
					if d, ok := duration(value, nil); ok {
						named[spec.Names[i].Name] = d
					}
				}
			}
		}
	}
	var problems []string
	check := func(limit ast.Expr) {
		if d, ok := duration(limit, named); ok && d >= moment && d < hangs {
			problems = append(problems, fmt.Sprintf("%s: a limit of %v: what hangs hangs for %v, too", fset.Position(limit.Pos()), d, hangs))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch name := called(n); {
			case name == "time.After" || name == "time.NewTimer" || name == "context.WithTimeout":
				check(n.Args[len(n.Args)-1])
			case strings.HasSuffix(name, "Deadline") && len(n.Args) == 1:
				check(later(n.Args[0]))
			}
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && slices.Contains([]string{"deadline", "end", "late", "limit", "until"}, name.Name) {
				check(later(n.Rhs[0]))
			}
		}
		return true
	})
	return problems
}

// called is the called function, as package.Function or as .Method.
func called(call *ast.CallExpr) string {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if p, ok := s.X.(*ast.Ident); ok {
		return p.Name + "." + s.Sel.Name
	}
	return "." + s.Sel.Name
}

// later is x of time.Now().Add(x), and nil for anything else.
func later(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.CallExpr); ok && called(call) == ".Add" {
		if now, ok := call.Fun.(*ast.SelectorExpr).X.(*ast.CallExpr); ok && called(now) == "time.Now" {
			return call.Args[0]
		}
	}
	return nil
}

// duration evaluates an expression of numbers and units of time.
func duration(e ast.Expr, named map[string]time.Duration) (time.Duration, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(strings.ReplaceAll(e.Value, "_", ""), 10, 64)
		return time.Duration(n), err == nil
	case *ast.Ident:
		d, ok := named[e.Name]
		return d, ok
	case *ast.SelectorExpr:
		units := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}
		d, ok := units[e.Sel.Name]
		return d, ok
	case *ast.BinaryExpr:
		x, known := duration(e.X, named)
		y, too := duration(e.Y, named)
		return x * y, known && too && e.Op == token.MUL //nolint:durationcheck // as the source says: 10*time.Second
	}
	return 0, false
}
