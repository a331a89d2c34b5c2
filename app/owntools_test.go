package app

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/session"
)

// The pages have texts for each of Parley's own tools: their tests use the same list.
func TestOwnToolsAreListed(t *testing.T) {
	const file = "testdata/owntools.txt"
	a, _ := newPlace(t, false, nil)
	var names []string
	tools, err := a.toolhost.Tools(session.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			listed = append(listed, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff(listed, names); diff != "" {
		t.Errorf("what is in %s is not what there is (-listed +there):\n%s", file, diff)
	}
}
