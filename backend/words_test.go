package backend_test

import (
	"regexp"
	"strings"
	"testing"
)

// Comments use standard terms, so that an engineer understands them at the first reading.
// These phrases were common here and stood for simpler ones.
func TestCommentsUseStandardTerms(t *testing.T) {
	for instead, say := range map[string]string{
		`\b(?:[Tt]he|[Aa])\s+person\b`: "the user, a user",
		`\ball\s+the\s+same\b`:         "anyway",
		`\b(?:begins?|began)\s+anew\b`: "starts again, restarts",
	} {
		banned := regexp.MustCompile(instead)
		for _, s := range sources(t) {
			for _, file := range s.files {
				for _, comment := range file.Comments {
					if found := banned.FindString(comment.Text()); found != "" {
						t.Errorf("%s: %q: say %s", s.fset.Position(comment.Pos()), strings.Join(strings.Fields(found), " "), say)
					}
				}
			}
		}
	}
}
