package main

import (
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sentences for people are found however they are written.
func TestSentencesAreFound(t *testing.T) {
	const source = `package a

func f(name string) {
	fault.New(fault.Invalid, "The name %q is taken.", name)
	use(event.Error{Code: "x", Message: "It failed: " + name + ".", Hint: "Try again."})
	e.Why = fmt.Sprintf("%s said so.", name)
	ask(tool.Question{Title: "Join #" + name + "?", Description: "The model wants to join.", Input: in})
	t.happened("command", "The command !"+name+" was used.", by, id)
	log("Nobody reads this.")
	say("Read " + name + ".")
}
`
	file, err := parser.ParseFile(token.NewFileSet(), "a.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	some := []string{"%s said so.", "It failed: %s.", "Join #%s?", "The command !%s was used.", "The model wants to join.", "The name %q is taken.", "Try again."}
	all := slices.Sorted(slices.Values(append(slices.Clone(some), "Nobody reads this.", "Read %s.")))
	for _, tt := range []struct {
		all  bool
		want []string
	}{{false, some}, {true, all}} {
		if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(sentencesOf(file, tt.all)))); diff != "" {
			t.Errorf("all %v (-want +got):\n%s", tt.all, diff)
		}
	}
}
