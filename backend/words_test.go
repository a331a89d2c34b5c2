package backend_test

import (
	"io/fs"
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
