// Command budgets measures sizes and counts that are the same on every machine, and fails
// if one exceeds its budget in build/budgets.json. It builds nothing: the page and the
// programs must exist.
//
//	budgets [-partial]    with -partial, what is not built is left out
package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// budget is one entry of the file.
type budget struct {
	// Name is what is measured, see [measures]; Most is the limit, and Goal the target,
	// 0 if it is reached.
	Name string `json:"name"`
	Unit string `json:"unit"`
	Most int64  `json:"most"`
	Goal int64  `json:"goal,omitempty"`
}

func main() {
	partial := flag.Bool("partial", false, "leave out what is not built")
	flag.Parse()
	if err := run(".", *partial, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "budgets:", err)
		os.Exit(1)
	}
}

// measures are the available measurements, by name.
func measures(root string) map[string]func() (int64, error) {
	file := func(name string) func() (int64, error) {
		return func() (int64, error) {
			info, err := os.Stat(filepath.Join(root, "build/bin", name))
			if err != nil {
				return 0, err
			}
			return info.Size(), nil
		}
	}
	return map[string]func() (int64, error){
		"page entry, compressed": func() (int64, error) { return entry(filepath.Join(root, "frontend/dist")) },
		"program without window": file("parley-server"),
		"program with window":    file("parley"),
		"program for the CLI":    file("parley-mcp"),
		"packages linked":        func() (int64, error) { return linked(root, ".") },
		"packages linked for the CLI": func() (int64, error) {
			return linked(root, "./backend/toolserver/relay/parley-mcp")
		},
	}
}

func run(root string, partial bool, out io.Writer) error {
	text, err := os.ReadFile(filepath.Join(root, "build/budgets.json"))
	if err != nil {
		return err
	}
	var budgets []budget
	if err := json.Unmarshal(text, &budgets); err != nil {
		return err
	}
	return compare(budgets, measures(root), partial, out)
}

// compare measures, prints a line for each budget, and fails if one is exceeded.
// Every measurement must have a budget.
func compare(budgets []budget, all map[string]func() (int64, error), partial bool, out io.Writer) error {
	var failed error
	for name := range all {
		if !slices.ContainsFunc(budgets, func(b budget) bool { return b.Name == name }) {
			failed = errors.Join(failed, fmt.Errorf("%s has no budget", name))
		}
	}
	for _, b := range budgets {
		measure, ok := all[b.Name]
		if !ok {
			failed = errors.Join(failed, fmt.Errorf("%s cannot be measured", b.Name))
			continue
		}
		is, err := measure()
		switch {
		case partial && errors.Is(err, fs.ErrNotExist):
			_, _ = fmt.Fprintf(out, "%-30s not built\n", b.Name)
			continue
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", b.Name, err))
			continue
		case is > b.Most:
			failed = errors.Join(failed, fmt.Errorf("%s: %d %s, more than %d. What grew? If it is worth it, say so in build/budgets.json", b.Name, is, b.Unit, b.Most))
		}
		goal := ""
		if b.Goal > 0 {
			goal = fmt.Sprintf(", goal %d", b.Goal)
		}
		_, _ = fmt.Fprintf(out, "%-30s %9d of %9d %s%s\n", b.Name, is, b.Most, b.Unit, goal)
	}
	return failed
}

// asset is a file that the page's document names.
var asset = regexp.MustCompile(`(?:src|href)="/?([^":]+\.(?:js|css))"`)

// entry is the number of bytes a browser loads before the page shows anything, each file
// compressed as the gateway would.
func entry(dist string) (sum int64, err error) {
	page, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		return 0, err
	}
	names := []string{"index.html"}
	for _, found := range asset.FindAllSubmatch(page, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) < 3 {
		return 0, errors.New("index.html names no scripts")
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		n, err := compressed(filepath.Join(dist, name))
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func compressed(path string) (int64, error) {
	if packed, err := os.Stat(path + ".gz"); err == nil {
		return packed.Size(), nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var n counter
	w, err := gzip.NewWriterLevel(&n, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	_, err = w.Write(text)
	return int64(n), errors.Join(err, w.Close())
}

// counter counts the written bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// linked is the number of packages in a program without the window.
func linked(root, program string) (int64, error) {
	cmd := exec.Command("go", "list", "-deps", program) //nolint:noctx,gosec // it takes a second; the names are above
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	text, err := cmd.Output()
	return int64(strings.Count(string(text), "\n")), err
}
