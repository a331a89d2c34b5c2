package main

import (
	"slices"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	const src = `package p

const most = 3 + 4

func f(a, b int, s string) (string, error) {
	if a < b {
		g()
	}
	switch {
	case a == 2:
		b++
	}
	b = 7
	_ = b
	s += "x" + s
	err := g()
	return s, err
}

func (t T) String() string { if t.a { return "a" }; return "b" }
`
	found, err := mutants("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		got = append(got, m.String())
	}
	want := []string{
		"p.go:6: negated: a < b",
		"p.go:6: <= for < in: a < b",
		"p.go:7: left out: g()",
		"p.go:11: emptied: case a == 2",
		"p.go:10: != for == in: a == 2",
		"p.go:11: left out: b++",
		"p.go:13: left out: b = 7",
		`p.go:15: left out: s += "x" + s`,
		"p.go:17: nil for err in: return s, err",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if changed := string(found[0].apply([]byte(src))); !strings.Contains(changed, "if !(a < b) {\n") {
		t.Errorf("%s", changed)
	}
}
