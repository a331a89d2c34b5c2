//go:build linux

package main

import (
	"bufio"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A program is the test program of one package.
type program struct {
	pkg    string // import path
	folder string // where its sources are, and where it runs
	file   string
}

// packageOf returns the import path of the package whose tests file contains.
func packageOf(file string) (string, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(info.Path, ".test"), nil
}

// An event is a line of go tool test2json.
type event struct {
	Action string
	Test   string
	Output string
}

// A result is the result of a program, or of all of them.
type result struct {
	pkg     string
	took    time.Duration
	cpu     time.Duration // including its children
	bad     bool
	never   string   // why it may not be retried, or empty
	failed  []string // top-level tests
	skipped []string
	tests   int
	said    string // output of the failed tests, and output outside of tests
}

// run runs the program, and kills it if it is silent for too long.
func (p program) run(flags []string, silence time.Duration) result {
	began := time.Now()
	r := result{pkg: p.pkg}
	events, watch, waited, err := p.start(flags, silence)
	if err != nil {
		r.bad, r.never, r.said = true, "it did not start", err.Error()+"\n"
		return r
	}
	r.read(events)
	err = <-waited
	r.took, r.cpu = time.Since(began), watch.cpu()
	r.judge(err, watch.hung())
	return r
}

// start starts the program and the converter of its output to events. The caller must
// read the results to the end: the events, then the program's own end.
func (p program) start(flags []string, silence time.Duration) (events io.Reader, watch *watch, waited <-chan error, err error) {
	convert := exec.Command("go", "tool", "test2json", "-t", "-p", p.pkg)
	into, err := convert.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	from, err := convert.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := convert.Start(); err != nil {
		return nil, nil, nil, err
	}
	tests := exec.Command(p.file, slices.Concat([]string{"-test.v=test2json", "-test.paniconexit0", "-test.timeout=0"}, flags)...)
	tests.Dir = p.folder
	watch, err = startWatched(tests, into, silence)
	if err != nil {
		_ = into.Close()
		return nil, nil, nil, errors.Join(err, convert.Wait())
	}
	end := make(chan error, 1)
	go func() {
		err := watch.wait()
		_ = into.Close()
		// Waiting for the converter would close its output.
		end <- err
	}()
	return &untilEnd{from, convert}, watch, end, nil
}

// untilEnd waits for the command when all its output was read.
type untilEnd struct {
	io.Reader
	command *exec.Cmd
}

func (u *untilEnd) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil {
		_ = u.command.Wait()
	}
	return n, err
}

// read reads the program's events, until it ends.
func (r *result) read(events io.Reader) {
	var rest bytes.Buffer
	said := map[string]*bytes.Buffer{}
	open := map[string]bool{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			rest.Write(append(lines.Bytes(), '\n'))
			continue
		}
		name, _, within := strings.Cut(e.Test, "/")
		switch e.Action {
		case "run":
			open[name] = true
		case "output":
			to := &rest
			if name != "" {
				if said[name] == nil {
					said[name] = &bytes.Buffer{}
				}
				to = said[name]
			}
			// An endless loop may repeat its output forever.
			if to.Len() < 4<<20 {
				to.WriteString(e.Output)
			}
			r.notice(e.Output)
		case "skip":
			if name != "" {
				r.skipped = append(r.skipped, fmt.Sprintf("%s %s: %s", r.pkg, e.Test, reason(said[name])))
			}
		}
		if done := e.Action == "pass" || e.Action == "fail" || e.Action == "skip"; !done || name == "" || within {
			continue
		}
		delete(open, name)
		r.tests++
		if e.Action == "fail" {
			r.failed = append(r.failed, name)
			rest.Write(said[name].Bytes())
		}
		delete(said, name)
	}
	for name := range open {
		r.bad = true
		if r.never == "" {
			r.never = "it ended within " + name
		}
		if said[name] != nil {
			rest.Write(said[name].Bytes())
		}
	}
	r.said = rest.String()
}

// notice looks for failures that are not bad luck.
func (r *result) notice(line string) {
	for mark, why := range map[string]string{
		"WARNING: DATA RACE":          "a data race",
		"found unexpected goroutines": "a leak",
	} {
		if strings.Contains(line, mark) {
			r.never = why
		}
	}
	if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
		r.never = "a panic"
	}
}

// judge evaluates the end: err is the program's own error.
func (r *result) judge(err error, hung bool) {
	r.bad = r.bad || err != nil || len(r.failed) > 0
	switch {
	case !r.bad:
		r.never = ""
	case hung:
		r.never = "it hung"
	case errors.Is(err, exec.ErrWaitDelay):
		r.never = "what it left behind held its output open"
	case r.never == "" && len(r.failed) == 0:
		r.never = fmt.Sprintf("no test failed, and yet: %v", err)
	}
}

// reason is the last line of a skipped test's output, which is the reason.
func reason(said *bytes.Buffer) string {
	if said == nil {
		return ""
	}
	why := ""
	for line := range strings.Lines(said.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "=== ") {
			why = line
		}
	}
	return why
}

func (r *result) print(out io.Writer) {
	if !r.bad {
		fmt.Fprintf(out, "ok    %s (%.1fs, %.1fs of CPU)\n", r.pkg, r.took.Seconds(), r.cpu.Seconds())
		return
	}
	fmt.Fprintf(out, "FAIL  %s (%.1fs)\n%s", r.pkg, r.took.Seconds(), r.said)
	if r.never != "" {
		fmt.Fprintf(out, "FAIL  %s: %s\n", r.pkg, r.never)
	}
	for _, name := range r.failed {
		fmt.Fprintf(out, "FAIL  %s %s\n", r.pkg, name)
	}
}

// list writes the failures for the caller that decides what is retried.
func (r *result) list(to io.Writer) {
	if !r.bad {
		return
	}
	if r.never != "" {
		fmt.Fprintf(to, "never\t%s %s\n", r.pkg, r.never)
		return
	}
	for _, name := range r.failed {
		fmt.Fprintf(to, "again\t%s %s\n", r.pkg, name)
	}
}

func (r *result) add(one result) {
	r.bad = r.bad || one.bad
	r.tests += one.tests
	r.failed = append(r.failed, one.failed...)
	r.skipped = append(r.skipped, one.skipped...)
}
