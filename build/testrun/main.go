//go:build linux

// Command testrun compiles the tests of Go packages, and runs them in a separate step, so
// that no test competes with a compiler for a processor.
//
//	testrun compile DIR [BUILD FLAG ...] -- PACKAGE ...
//	testrun run [-jobs N] [-silence D] [-failures FILE] DIR [TEST FLAG ...] -- PACKAGE ...
//	testrun watch [-silence D] COMMAND [ARGUMENT ...]
//
// DIR contains the test programs, one for each package, and a list of them. TEST FLAG is a flag of
// a test program, such as -test.run=^TestX$. Each runs in its package's folder, as with go test.
//
// A test program must produce output regularly, by default every twelve minutes:
// one that is silent for longer hangs. It is asked for its stacks, and killed.
//
// FILE gets a line for each failure: "again PACKAGE TEST" for a test that may be retried
// once, and "never PACKAGE REASON" for what is not bad luck: a data race, a panic, a
// leak, a test that hangs, a package that fails without a failed test.
//
// With watch any command must produce output regularly. It exits with the command's
// code, or with 124 if the command hangs, like timeout.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const usage = `usage: testrun compile DIR [BUILD FLAG ...] -- PACKAGE ...
       testrun run [-jobs N] [-silence D] [-failures FILE] DIR [TEST FLAG ...] -- PACKAGE ...
       testrun watch [-silence D] COMMAND [ARGUMENT ...]`

// longSilence is longer than anything that works takes, even on a slow and busy machine.
const longSilence = 12 * time.Minute

// hung is the exit code for a command that hangs, as with timeout.
const hung = 124

// errFailed reports failed tests, which were already printed.
var errFailed = errors.New("tests failed")

// A runner works in a folder, or in the current one.
type runner struct {
	folder string
	env    []string // in addition to its own
}

func (r runner) goCommand(args ...string) *exec.Cmd {
	command := exec.Command("go", args...)
	command.Dir, command.Env = r.folder, append(os.Environ(), r.env...)
	return command
}

func main() {
	var r runner
	err := errors.New(usage)
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "compile":
			err = r.compile(os.Args[2:])
		case "run":
			err = r.run(os.Args[2:], os.Stdout)
		case "watch":
			err = r.watch(os.Args[2:], os.Stdout)
		}
	}
	code := exitCode(1)
	switch {
	case err == nil:
		return
	case errors.As(err, &code), errors.Is(err, errFailed):
	default:
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(int(code))
}

// split separates the folder, the flags and the packages.
func split(args []string) (dir string, flags, packages []string, err error) {
	at := slices.Index(args, "--")
	if at < 1 || at == len(args)-1 {
		return "", nil, nil, errors.New(usage)
	}
	dir, err = filepath.Abs(args[0])
	return dir, args[1:at], args[at+1:], err
}

// compile builds the test programs. Go names them after the last element of the package's
// path, so packages with the same one go to separate folders.
func (r runner) compile(args []string) error {
	dir, flags, packages, err := split(args)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for i, group := range groups(packages) {
		to := filepath.Join(dir, fmt.Sprint(i)) + string(filepath.Separator)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		build := r.goCommand(slices.Concat([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", to}, flags, group)...)
		build.Stdout, build.Stderr = os.Stdout, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("the tests do not compile: %w", err)
		}
	}
	return nil
}

// groups splits packages so that no two of a group have the same last element.
func groups(packages []string) [][]string {
	var all [][]string
	seen := map[string]int{}
	for _, pkg := range packages {
		i := seen[path.Base(pkg)]
		seen[path.Base(pkg)]++
		if i == len(all) {
			all = append(all, nil)
		}
		all[i] = append(all[i], pkg)
	}
	return all
}

// programs finds the test programs that compile built; run may
// be called with fewer packages. Their folders come from go list.
func (r runner) programs(dir string, packages []string) ([]program, error) {
	out, err := r.goCommand(slices.Concat([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, packages)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []program
	for line := range strings.Lines(string(out)) {
		pkg, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		file, err := find(dir, pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, program{pkg: pkg, folder: folder, file: file})
	}
	return all, nil
}

// find returns the test program of a package: the one that names it.
func find(dir, pkg string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", path.Base(pkg)+".test"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if made, err := packageOf(file); err == nil && made == pkg {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s was not compiled to %s", pkg, dir)
}

func (r runner) run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	jobs := flags.Int("jobs", 1, "how many packages run at once")
	silence := flags.Duration("silence", longSilence, "how long a test program may say nothing")
	failures := flags.String("failures", "", "where failures are listed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, testFlags, packages, err := split(flags.Args())
	if err != nil {
		return err
	}
	all, err := r.programs(dir, packages)
	if err != nil {
		return err
	}
	var (
		lock  sync.Mutex
		list  bytes.Buffer
		group sync.WaitGroup
		next  = make(chan program)
		sum   result
	)
	for range *jobs {
		group.Go(func() {
			for p := range next {
				one := p.run(testFlags, *silence)
				lock.Lock()
				one.print(out)
				one.list(&list)
				sum.add(one)
				lock.Unlock()
			}
		})
	}
	for _, p := range all {
		next <- p
	}
	close(next)
	group.Wait()
	fmt.Fprintf(out, "DONE %d tests, %d skipped, %d failed\n", sum.tests, len(sum.skipped), len(sum.failed))
	for _, name := range sum.skipped {
		fmt.Fprintln(out, "    skipped:", name)
	}
	if *failures != "" && list.Len() > 0 {
		if err := appendTo(*failures, list.Bytes()); err != nil {
			return err
		}
	}
	if sum.bad {
		return errFailed
	}
	return nil
}

// appendTo appends to a file that others may append to.
func appendTo(name string, text []byte) (err error) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(text)
	return err
}
