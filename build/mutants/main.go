// Command mutants checks whether the tests of a package would notice a bug in it: it makes small
// changes to the code, one at a time, and runs the tests of the package, then those of the
// packages that import it. A change that no test notices survives, and is listed. The source
// is not modified: each change is an overlay.
//
//	go run ./build/mutants [-n 40] [-seed 1] [PACKAGE ...]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Tests that hang with a change are killed after this multiple of their normal time, plus
// the slack for a busy machine.
const (
	patience = 5
	slack    = 20 * time.Second
)

type pkg struct {
	ImportPath, Dir                    string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func main() {
	count := flag.Int("n", 40, "how many changes of each package are tried; 0 is all")
	seed := flag.Uint64("seed", 1, "which of them")
	jobs := flag.Int("jobs", runtime.NumCPU(), "how many are tried at once")
	flag.Parse()
	if err := run(flag.Args(), *count, *seed, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(patterns []string, count int, seed uint64, jobs int) error {
	if len(patterns) == 0 {
		patterns = []string{"./backend/..."}
	}
	all, err := list("./...")
	if err != nil {
		return err
	}
	chosen, err := list(patterns...)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		found, err := sample(p, count, seed)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if err := try(p, users(p, all), found, jobs); err != nil {
			return err
		}
	}
	return nil
}

func list(patterns ...string) ([]pkg, error) {
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// users are the packages whose tests also run: those that import it.
// The scenarios with the real CLI would take too long.
func users(of pkg, all []pkg) []string {
	var out []string
	for _, p := range all {
		imports := append(append(append([]string{}, p.Imports...), p.TestImports...), p.XTestImports...)
		for _, i := range imports {
			if i == of.ImportPath && p.ImportPath != of.ImportPath && !strings.HasSuffix(p.ImportPath, "/border") {
				out = append(out, p.ImportPath)
				break
			}
		}
	}
	return out
}

// sample picks some of a package's mutants, the same for each seed.
func sample(p pkg, count int, seed uint64) ([]mutant, error) {
	var found []mutant
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		more, err := mutants(path, src)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	if count > 0 && len(found) > count {
		found = found[:count]
	}
	return found, nil
}

// try runs the tests for each mutant and prints the survivors.
func try(p pkg, users []string, found []mutant, jobs int) error {
	t := trial{own: suite{packages: []string{p.ImportPath}}, users: suite{packages: users}}
	for _, s := range []*suite{&t.own, &t.users} {
		// Once to build them, once to measure their time.
		for range 2 {
			begun := time.Now()
			if !s.pass(nil, time.Hour) {
				return fmt.Errorf("the tests of %v fail without a change", s.packages)
			}
			s.limit = slack + patience*time.Since(begun)
		}
	}
	survived := make([]bool, len(found))
	built := make([]bool, len(found))
	next := make(chan int)
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for i := range next {
				built[i], survived[i] = t.run(found[i])
			}
		})
	}
	for i := range found {
		next <- i
	}
	close(next)
	wg.Wait()
	tried, left := 0, 0
	for i, m := range found {
		if built[i] {
			tried++
		}
		if survived[i] {
			left++
			fmt.Println("  survived", m)
		}
	}
	if tried > 0 {
		fmt.Printf("%s: %d of %d caught (%d %%)\n", p.ImportPath, tried-left, tried, (tried-left)*100/tried)
	}
	return nil
}

// A trial is what runs for each mutant of a package.
type trial struct{ own, users suite }

// A suite is the tests of some packages, and their time limit.
type suite struct {
	packages []string
	limit    time.Duration
}

func (s suite) pass(overlay []string, limit time.Duration) bool {
	if len(s.packages) == 0 {
		return true
	}
	args := append([]string{"test", "-count=1", "-short", "-vet=off", "-failfast", "-timeout=" + limit.String()}, overlay...)
	return goRuns(limit+slack, append(args, s.packages...)...)
}

// run tries a mutant: whether it compiles, and whether the tests pass with it.
func (t trial) run(m mutant) (built, survived bool) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		panic(err) // no temporary folder
	}
	defer os.RemoveAll(dir)
	src, err := os.ReadFile(m.file)
	if err != nil {
		panic(err)
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced, _ := json.Marshal(map[string]any{"Replace": map[string]string{m.file: changed}})
	for name, data := range map[string][]byte{changed: m.apply(src), overlay: replaced} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			panic(err)
		}
	}
	over := []string{"-overlay=" + overlay}
	if !goRuns(time.Hour, "build", over[0], "-o", os.DevNull, t.own.packages[0]) {
		return false, false
	}
	return true, t.own.pass(over, t.own.limit) && t.users.pass(over, t.users.limit)
}

// goRuns reports whether a go command succeeds in time.
func goRuns(limit time.Duration, args ...string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.WaitDelay = 5 * time.Second
	return cmd.Run() == nil
}
