package backend_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// banned are phrases that were common in comments, and the words to use instead: standard
// terms, which an engineer understands at the first reading.
var banned = map[string]string{
	`\b(?:[Tt]he|[Aa])\s+person\b`:                    "the user, a user",
	`\b[Ss]omebody\b`:                                 "a user, another program",
	`\ball\s+the\s+same\b`:                            "anyway",
	`\b(?:begins?|began)\s+anew\b`:                    "starts again, restarts",
	`\bgo(?:es|ing)?\s+on\b`:                          "continues, keeps running",
	`\bany\s+more\b`:                                  "no longer",
	`\bputs?\s+away\b`:                                "archives, minimizes, suspends",
	`\b(?:is|was|are|were)\s+said\b`:                  "is reported, is shown, is logged",
	`\bwhat\s+(?:is|was)\s+(?:said|told)\b`:           "messages, the message",
	`\bby\s+(?:itself|themselves)\b`:                  "automatically, on its own",
	`\bof\s+their\s+own\b`:                            "own, separate",
	`\bin\s+force\b`:                                  "current, active, applies",
	`\blikewise\b`:                                    "also",
	`\b(?:that|who|which|what)\s+(?:is|are)\s+none\b`: "invalid, isn't one",
}

// inStrings are the same for texts and identifiers. There a person may be one, as opposed to a
// session, a bot or a group.
func inStrings() map[string]string {
	all := maps.Clone(banned)
	maps.DeleteFunc(all, func(phrase, _ string) bool { return strings.Contains(phrase, "person") })
	return all
}

// accepted are strings with such words for a reason.
var accepted = map[string]string{
	"go on": "a user in a chat may answer so",
}

// TestStringsAndNamesUseStandardTerms reads the texts and the identifiers of the program and the
// texts of the page.
func TestStringsAndNamesUseStandardTerms(t *testing.T) {
	texts := map[string]string{} // by place
	for _, s := range sources(t) {
		for _, file := range s.files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && accepted[text] == "" {
						texts[s.fset.Position(n.Pos()).String()] = text
					}
				case *ast.Ident:
					texts[s.fset.Position(n.Pos()).String()] = spaced(n.Name)
				}
				return true
			})
		}
	}
	names, err := filepath.Glob("../frontend/src/i18n/en/*.ts")
	if err != nil || len(names) < 20 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			key, rest, _ := strings.Cut(line, ":")
			texts[fmt.Sprintf("%s:%d", name, i+1)] = spaced(key) + ": " + rest
		}
	}
	for instead, say := range inStrings() {
		phrase := regexp.MustCompile(instead)
		for place, text := range texts {
			if found := phrase.FindString(text); found != "" {
				t.Errorf("%s: %q: say %s", place, found, say)
			}
		}
	}
}

// spaced separates the words of an identifier: "goesOn" becomes "goes on".
func spaced(name string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1 $2"))
}

// TestCommentsUseStandardTerms reads the comments of the Go packages and of the page.
func TestCommentsUseStandardTerms(t *testing.T) {
	comments := map[string]string{} // by place
	for _, s := range sources(t) {
		for _, file := range s.files {
			for _, comment := range file.Comments {
				comments[s.fset.Position(comment.Pos()).String()] = comment.Text()
			}
		}
	}
	goComments := len(comments)
	pageComments(t, comments)
	if goComments < 1000 || len(comments)-goComments < 1000 {
		t.Fatalf("found %d comments in Go and %d in the page", goComments, len(comments)-goComments)
	}
	for instead, say := range banned {
		phrase := regexp.MustCompile(instead)
		for place, text := range comments {
			if found := phrase.FindString(text); found != "" {
				t.Errorf("%s: %q: say %s", place, strings.Join(strings.Fields(found), " "), say)
			}
		}
	}
}

// pageComments adds the comments of the page's sources and of its end-to-end suites.
func pageComments(t *testing.T, to map[string]string) {
	t.Helper()
	comment := regexp.MustCompile(`(?m)^\s*\{?/\*(?s:.*?)\*/|^\s*//.*$`)
	for _, root := range []string{"../frontend/src", "../frontend/e2e"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !regexp.MustCompile(`\.(?:tsx?|css|mjs)$`).MatchString(path) || strings.Contains(path, ".gen.") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range comment.FindAllString(string(text), -1) {
				to[path+": "+strconv.Quote(found[:min(len(found), 60)])] = found
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
