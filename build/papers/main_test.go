package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

const help = `Parley does things.

  parley [flags]              the window
  parley serve [flags]        without a window
  parley call METHOD [JSON]   call a method
  parley help                 print this help

Every command explains its flags with -h.
`

const serve = `parley serve [flags]

Serves Parley. It says "a\b".
.It begins with a dot.

  -host name
    	a further host ` + "`name`" + `
  -verbose
    	log more
`

func TestCommands(t *testing.T) {
	if got := commands(help); !slices.Equal(got, []string{"serve", "call"}) {
		t.Errorf("%q", got)
	}
}

func TestManual(t *testing.T) {
	for name, text := range map[string]string{"parley": help, "parley-serve": serve} {
		got := manual(name, "2026-01-02", text)
		path := filepath.Join("testdata", name+".1")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// A dependency of the page with unknown terms fails the build of a package.
func TestNPMTerms(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("package-lock.json", `{"packages":{"":{},"node_modules/a":{"version":"1"},"node_modules/a/node_modules/@x/b":{"version":"2"},"node_modules/d":{"dev":true}}}`)
	put("node_modules/a/LICENSE", "do what you want")
	put("node_modules/a/node_modules/@x/b/package.json", `{"license":"MIT"}`)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := licences(program, dir, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a 1\n\ndo what you want", "@x/b 2\n\nLicence: MIT", "The Go standard library go1."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
	put("node_modules/a/node_modules/@x/b/package.json", `{}`)
	if err := licences(program, dir, &out); err == nil || !strings.Contains(err.Error(), "@x/b 2 comes without its terms") {
		t.Errorf("unknown terms: %v", err)
	}
}
