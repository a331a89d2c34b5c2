package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile matches the names of files with the terms of a package.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

// dependency is a third-party package in the program.
type dependency struct{ name, version, dir string }

// licences writes the terms of everything in a built program and in the page. A package
// without terms is an error: it may not be distributed.
func licences(program, frontend string, out io.Writer) error {
	modules, err := goModules(program)
	if err != nil {
		return err
	}
	packages, err := npmPackages(frontend)
	if err != nil {
		return err
	}
	var failed error
	for _, d := range append(modules, packages...) {
		text, err := terms(d)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if _, err := fmt.Fprintf(out, "%s\n%s %s\n\n%s\n\n", strings.Repeat("=", 78), d.name, d.version, strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return failed
}

// goModules are the linked ones, with Go's own library.
func goModules(program string) ([]dependency, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	paths, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output() //nolint:noctx // it takes no time
	if err != nil {
		return nil, err
	}
	cache, root, _ := strings.Cut(strings.TrimSpace(string(paths)), "\n")
	list := []dependency{{"The Go standard library", info.GoVersion, root}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, dependency{m.Path, m.Version, filepath.Join(cache, escaped(m.Path)+"@"+escaped(m.Version))})
	}
	return list, nil
}

// escaped escapes a path like Go's module cache: "!" and the lower-case letter for a capital one.
func escaped(path string) string {
	return regexp.MustCompile("[A-Z]").ReplaceAllStringFunc(path, func(s string) string { return "!" + strings.ToLower(s) })
}

// npmPackages are the packages of the page.
func npmPackages(frontend string) ([]dependency, error) {
	text, err := os.ReadFile(filepath.Join(frontend, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version  string
			Dev      bool
			Optional bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var list []dependency
	for path, p := range lock.Packages {
		if path == "" || p.Dev || p.Optional {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		list = append(list, dependency{name, p.Version, filepath.Join(frontend, path)})
	}
	slices.SortFunc(list, func(a, b dependency) int {
		return strings.Compare(a.name+" "+a.version+" "+a.dir, b.name+" "+b.version+" "+b.dir)
	})
	return list, nil
}

// terms are the files with a package's terms. Some npm packages have no such file, and
// name a well-known license instead.
func terms(d dependency) (string, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(d.dir, e.Name()))
		if err != nil {
			return "", err
		}
		text.Write(content)
		text.WriteByte('\n')
	}
	if text.Len() > 0 {
		return text.String(), nil
	}
	var about struct{ License string }
	if content, err := os.ReadFile(filepath.Join(d.dir, "package.json")); err == nil && json.Unmarshal(content, &about) == nil && about.License != "" {
		return "Licence: " + about.License + " (https://spdx.org/licenses/" + about.License + ".html)", nil
	}
	return "", fmt.Errorf("%s %s comes without its terms", d.name, d.version)
}
