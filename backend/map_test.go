package backend_test

import (
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// partOf returns the lines of a part of the map in doc.go.
func partOf(t *testing.T, title string) string {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "// # "+title+"\n")
	if !found {
		t.Fatalf("doc.go has no part %q", title)
	}
	part, _, _ := strings.Cut(rest, "// # ")
	return part
}

// outOfTheMap are packages that are not on the program's map: the map itself, main,
// and what creates and signs the builds.
func outOfTheMap() []string { return []string{"", "backend", "build", "build/release"} }

// The map names every existing package, and no other.
func TestMapHasAllPackages(t *testing.T) {
	all := sources(t)
	named := map[string]bool{}
	// Two spaces follow the names, and separate several.
	line := regexp.MustCompile(`(?m)^//\t((?:[a-z0-9/-]+(?: {2}|; ?))*[a-z0-9/-]+) {2,}\S`)
	for _, found := range line.FindAllStringSubmatch(partOf(t, "Packages"), -1) {
		for _, name := range strings.Fields(found[1]) {
			if !strings.HasPrefix(name, "app") && !strings.HasPrefix(name, "build/") {
				name = "backend/" + name
			}
			named[name] = true
			if all[name] == nil {
				t.Errorf("the map names %s, which does not exist", name)
			}
		}
	}
	for dir := range all {
		if !named[dir] && !slices.Contains(outOfTheMap(), dir) {
			t.Errorf("the map in doc.go does not name %s", dir)
		}
	}
}

// The map lists the goroutines of every package of the program that starts some, and of no other.
func TestMapHasAllGoroutines(t *testing.T) {
	named := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^//   - ([a-z0-9/-]+): `).FindAllStringSubmatch(partOf(t, "Who owns the goroutines"), -1) {
		named[found[1]] = true
	}
	all := sources(t)
	for dir := range all {
		if starts := startsGoroutines(all[dir]); starts && !named[dir] && ofTheProgram(dir) {
			t.Errorf("%s starts goroutines, and doc.go does not say which", dir)
		} else if !starts && named[dir] {
			t.Errorf("doc.go says that %s starts goroutines, and it does not", dir)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(named)) {
		if all[dir] == nil {
			t.Errorf("doc.go lists goroutines of %s, which does not exist", dir)
		}
	}
}

// ofTheProgram distinguishes shipped packages from those that test and measure.
func ofTheProgram(dir string) bool {
	return !strings.HasPrefix(dir, "build/") && !strings.HasPrefix(dir, "app/bench") && !strings.HasSuffix(dir, "test") &&
		!strings.Contains(dir, "mattermosttest") && !strings.HasPrefix(dir, "backend/claude/history/corpus")
}

// startsGoroutines reports whether there is a go statement, or a call that starts one in a
// group.
func startsGoroutines(s *source) bool {
	found := false
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" {
					found = true
				}
			}
			return !found
		})
	}
	return found
}
