package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/need"
	"parley/backend/permission/rule"
	"parley/backend/permission/rule/shell"
)

// The fuzzer generates scripts, runs them in a real bash and compares: everything that
// ran and every file that was written must have been found by the parser, or the
// script must be in doubt. Bash is the reference, not this program's idea of it.
//
// Scripts run in a sandbox, as a new process of this test: the file system is
// read-only, there is no network, and the only writable folder is deleted afterwards.
// The programs available to scripts report that they ran, with their arguments; the few
// that write files or start others then do so.
const (
	fuzzInside = "PARLEY_TEST_FUZZ_INSIDE" // set inside the sandbox
	fuzzSeed   = "PARLEY_TEST_FUZZ_SEED"   // a seed to repeat
	fuzzCount  = "PARLEY_TEST_FUZZ_COUNT"  // how many scripts
	fuzzMany   = "PARLEY_TEST_LONG"        // 50,000 of them, from a new seed
	fuzzRoot   = "/mnt"
	fuzzLong   = 50000
	fuzzCPU    = 10 * time.Second // of a run that isn't long
)

func TestBashRunsNothingUnread(t *testing.T) {
	if os.Getenv(fuzzInside) != "" {
		fuzzInSandbox(t)
		return
	}
	for program, debian := range map[string]string{"bwrap": "bubblewrap", "bash": "bash", "dash": "dash"} {
		need.Program(t, program, debian)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sandbox := []string{"--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--ro-bind", "/", "/", "--dev", "/dev", "--remount-ro", "/dev", "--proc", "/proc", "--tmpfs", fuzzRoot}
	// A container or another root may forbid it, whatever is installed.
	if out, err := exec.CommandContext(t.Context(), "bwrap", append(slices.Clone(sandbox), "true")...).CombinedOutput(); err != nil {
		t.Skipf("bwrap cannot make a sandbox here: %v %s", err, out)
	}
	// A run that checks a change always sees the same scripts.
	many, seed := os.Getenv(fuzzMany) != "", cmp.Or(os.Getenv(fuzzSeed), "1")
	if many && os.Getenv(fuzzSeed) == "" {
		seed = strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	commands := fuzzCorpus(t)
	corpus, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	bin := fuzzPrograms(t, commands)
	args := append(append(slices.Clone(sandbox), fuzzHidden(t, bin)...), "--ro-bind", bin, fuzzRoot+"/bin", "--chdir", fuzzRoot, "--setenv", "PATH", "/usr/bin:/bin", "--setenv", fuzzInside, "1", "--setenv", fuzzSeed, seed)
	count := os.Getenv(fuzzCount)
	if count == "" && many {
		count = strconv.Itoa(fuzzLong)
	}
	if count != "" {
		args = append(args, "--setenv", fuzzCount, count)
	}
	cmd := exec.CommandContext(t.Context(), "bwrap", append(args, self, "-test.run=^TestBashRunsNothingUnread$", "-test.v", "-test.timeout=3h")...)
	cmd.Stdin = bytes.NewReader(corpus)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	t.Logf("seed %s\n%s", seed, out)
	if err != nil {
		t.Errorf("seed %s: %v", seed, err)
	}
}

// fuzzCorpus returns the commands of the tables.
func fuzzCorpus(t *testing.T) []string {
	var out []string
	for _, l := range table(t) {
		out = append(out, l.text)
	}
	raw, err := os.ReadFile("../rule/testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if verdict, text, ok := strings.Cut(line, " "); ok && slices.Contains([]string{"allow", "ask", "deny"}, verdict) {
			out = append(out, strings.TrimSpace(text))
		}
	}
	for line := range strings.SplitSeq(day(t), "\n") {
		if verdict, text, ok := strings.Cut(line, " "); ok && verdict != "+" && verdict != "#" {
			out = append(out, strings.TrimSpace(text))
		}
	}
	for i, text := range out {
		if s, err := strconv.Unquote(text); err == nil {
			out[i] = s
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" || s[0] == '@' })
}

// fuzzFiles are the files available to every script, with their contents.
var fuzzFiles = map[string]string{
	"work/a.txt": "a\n", "work/b.txt": "b\n", "work/d/c.txt": "c\n", "work/d/e/f.txt": "f\n", "work/run.sh": "evil from a file\n", "home/.profile": "true\n", "home/x/y": "y\n",
}

// fuzzReal are the programs that do their real work after reporting that they
// ran.
var fuzzReal = strings.Fields("tee cp mv mkdir touch ln cat env timeout nice nohup stdbuf xargs find sort sed head tail bash sh dash wc tr cut seq basename dirname ls grep uniq true false test printf echo dd install rm rmdir truncate time setsid awk mawk gawk busybox")

// fuzzRun is one run of the fuzzer.
type fuzzRun struct {
	t      *testing.T
	engine rule.Engine
	ran    int // programs that ran in scripts without a doubt
	wrote  int
	sure   int // scripts without a doubt
	low    int
	slow   int // scripts that were killed
	failed int
}

func fuzzInSandbox(t *testing.T) {
	seed, err := strconv.ParseInt(os.Getenv(fuzzSeed), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var corpus []string
	if err := json.NewDecoder(os.Stdin).Decode(&corpus); err != nil {
		t.Fatal(err)
	}
	limit, _ := strconv.Atoi(os.Getenv(fuzzCount))
	work, home := fuzzRoot+"/work", fuzzRoot+"/home"
	run := &fuzzRun{t: t, engine: rule.Engine{Home: home, Checkout: func(string) string { return work }, Readlink: func(name string) (string, error) {
		to, _ := os.Readlink(name) // "" if it isn't a link
		return to, nil
	}}}
	g := fuzzer{rand.New(rand.NewPCG(uint64(seed), 1)), corpus}
	start, n := fuzzSpent(), 0
	for ; limit > 0 && n < limit || limit == 0 && fuzzSpent()-start < fuzzCPU; n++ {
		if run.failed >= 30 {
			break
		}
		run.script(g.script())
	}
	t.Logf("%d scripts: %d without a doubt (%d of them low) ran %d programs and wrote %d files, all of them read; %d were ended; %d finds", n, run.sure, run.low, run.ran, run.wrote, run.slow, run.failed)
	if run.sure < n/20 || run.ran < n/30 || run.wrote < n/200 {
		t.Error("too little was looked at")
	}
}

// fuzzSpent returns the CPU time of this process and its children.
func fuzzSpent() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// fuzzPrograms creates a folder with the programs for scripts.
func fuzzPrograms(t *testing.T, corpus []string) string {
	bin := t.TempDir()
	// One write per run, because they run in parallel.
	text := "#!/usr/bin/dash\ns=$PWD; for a in \"${0##*/}\" \"$@\"; do s=\"$s\x1f$a\"; done; printf '%s\x1e' \"$s\" >> " + fuzzRoot + "/log\n"
	names := map[string]string{"p": "", "q": "exit 1\n", "r": "echo r\n", "evil": "echo evil\n", "git": "", "npm": ""}
	for _, command := range corpus {
		for _, c := range shell.Read(command, shell.Env{}).Commands {
			if name := c.Name(); regexp.MustCompile(`^[a-z][a-z0-9.-]*$`).MatchString(name) {
				names[name] = ""
			}
		}
	}
	for _, name := range fuzzReal {
		if file, err := exec.LookPath(name); err == nil {
			names[name] = "exec " + file + " \"$@\"\n"
		}
	}
	for name, rest := range names {
		if err := os.WriteFile(bin+"/"+name, []byte(text+rest), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// fuzzHidden returns the options that put those programs in place of the machine's own of the same
// name, which a script without PATH finds. Those that do their real work stay.
func fuzzHidden(t *testing.T, bin string) []string {
	programs, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	stay := map[string]bool{}
	for _, name := range fuzzReal {
		for _, dir := range []string{"/usr/bin/", "/bin/"} {
			if file, err := filepath.EvalSymlinks(dir + name); err == nil {
				stay[file] = true
			}
		}
	}
	var args []string
	for _, p := range programs {
		for _, dir := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/"} {
			if file, err := filepath.EvalSymlinks(dir + p.Name()); err == nil && !stay[file] {
				stay[file] = true
				args = append(args, "--ro-bind", filepath.Join(bin, p.Name()), file)
			}
		}
	}
	return args
}

// script runs one script and compares.
func (f *fuzzRun) script(source string) {
	work, home, log := fuzzRoot+"/work", fuzzRoot+"/home", fuzzRoot+"/log"
	left, err := os.ReadDir(fuzzRoot)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range left {
		if e.Name() == "bin" {
			continue
		}
		if err := os.RemoveAll(fuzzRoot + "/" + e.Name()); err != nil {
			f.t.Fatal(err)
		}
	}
	for name, text := range fuzzFiles {
		file := fuzzRoot + "/" + name
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			f.t.Fatal(err)
		}
	}
	// Parse it before it runs.
	script := shell.Read(source, shell.Env{Dir: work, Home: home})
	input, err := json.Marshal(map[string]string{"command": source})
	if err != nil {
		f.t.Fatal(err)
	}
	call := rule.Call{Tool: "Bash", Input: input, CWD: work}
	risk := Assess(f.engine, call)
	verdict := f.engine.Decide([]rule.Rule{
		{Effect: rule.Allow, Tool: "Bash", Scope: rule.Global}, {Effect: rule.Deny, Tool: "Bash", Pattern: "evil:*", Scope: rule.Global},
	}, call, time.Time{})
	var touched []rule.File
	doubt, guessed, file, edits, compiles := len(script.Doubts) > 0, len(script.Doubts) > 0, false, false, false
	for _, c := range script.Commands {
		doubt = doubt || len(c.Doubts) > 0 || len(c.Dirs) == 0
		for _, why := range c.Doubts {
			guessed = guessed || c.Layers[len(c.Layers)-1].Guessed || strings.Contains(why, "changes how other commands behave") || strings.Contains(why, "the output of another command") || strings.HasPrefix(why, "The program") || why == shell.WhyScript
		}
		edits = edits || shell.ReachOf(c.Args()) == shell.Files                                                   // its script names files
		compiles = compiles || slices.Contains([]string{"cc", "c++", "gcc", "g++", "clang", "clang++"}, c.Name()) // it starts as and ld
		file = file || interpreter(c.Name()) && !c.Carrier                                                        // file contents aren't parsed
		touched = append(touched, f.engine.Touched(work, c)...)
	}

	ctx, cancel := context.WithTimeout(f.t.Context(), 700*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/bash", "--norc", "--noprofile", "-c", source)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + fuzzRoot + "/bin", "HOME=" + home, "PWD=" + work}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// Wait for every process that holds an end of this pipe, background ones
	// included.
	out := struct{ io.Writer }{io.Discard}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, 200*time.Millisecond
	_ = cmd.Run() // it may fail
	if ctx.Err() != nil {
		f.slow++
	}
	_ = syscall.Kill(-1, syscall.SIGKILL) // anything still running in the sandbox
	if cmd.Process == nil {
		return // words that can't be passed to a program
	}
	find := func(format string, args ...any) {
		f.failed++
		f.t.Errorf("%s\nsource: %q\ndoubts: %q\nrisk: %s %+v", fmt.Sprintf(format, args...), source, script.Doubts, risk.Level, risk.Findings)
		for _, c := range script.Commands {
			f.t.Logf("  read: %s in %q %q", c.Text(), c.Dirs, c.Doubts)
		}
	}

	if info, err := os.Lstat(log); err == nil && !info.Mode().IsRegular() {
		return // the script removed the record of what ran
	}
	raw, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.t.Fatal(err)
	}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x1e"), "\x1e") {
		dir, argv, _ := strings.Cut(record, "\x1f")
		if argv == "" {
			continue
		}
		if file && strings.HasPrefix(argv, "evil\x1ffrom\x1fa\x1ffile") {
			continue
		}
		if strings.HasPrefix(argv, "evil") && verdict.Effect == rule.Allow {
			find("evil ran, which a rule forbids, and it was allowed")
			return
		}
		if guessed || file || compiles && regexp.MustCompile("^(as|ld)\x1f").MatchString(argv) {
			continue
		}
		f.ran++
		if !slices.ContainsFunc(script.Commands, func(c shell.Command) bool { return explains(c, dir, argv) }) {
			find("%q ran in %s and was not read", argv, dir)
			return
		}
	}
	if doubt {
		if risk.Level == Low {
			find("it is in doubt, and low")
		}
		return
	}
	f.sure++
	if risk.Level == Low {
		f.low++
	}
	for _, name := range fuzzChanged(f.t) {
		f.wrote++
		if edits && risk.Level != Low || file {
			continue
		}
		if !slices.ContainsFunc(touched, func(file rule.File) bool { return file.Write && covers(file, name) }) {
			find("%s was written and was not read", name)
			return
		}
		if risk.Level == Low && !strings.HasPrefix(name, work+"/") {
			find("%s was written, and it is low", name)
			return
		}
	}
}

// explains reports whether a command, or a wrapper around it, accounts for what ran in
// a folder.
func explains(c shell.Command, dir, argv string) bool {
	// A folder that the script removed no longer has a name.
	if len(c.Dirs) > 0 && dir != "" && !slices.Contains(c.Dirs, dir) {
		return false
	}
	for i := range c.Layers {
		var b strings.Builder
		for j, w := range c.Words(i) {
			text := w.Shape
			if j == 0 {
				text = shell.Base(text)
			}
			one := "\x1f" + regexp.QuoteMeta(text)
			if w.Process {
				one = strings.ReplaceAll(one, "/dev/fd/63", "/dev/fd/[0-9]+")
			}
			if w.Unknown || w.Glob { // it may be several words, or none
				one = "(" + strings.ReplaceAll(one, string(shell.Unknown), "(?s:.*)") + ")?"
			}
			b.WriteString(one)
		}
		if ok, err := regexp.MatchString("^"+b.String()+"$", "\x1f"+argv); err == nil && ok {
			return true
		}
	}
	return false
}

// covers reports whether a parsed file accounts for a file that was written.
func covers(f rule.File, name string) bool {
	for _, known := range []string{f.Path, f.Real} {
		if known == name || f.Tree && strings.HasPrefix(name, strings.TrimSuffix(known, "/")+"/") || strings.HasPrefix(known, name+"/") {
			return true
		}
		// A folder on the way to it may be created, too.
		for ; strings.ContainsRune(known, shell.Unknown); known = filepath.Dir(known) {
			ok, err := regexp.MatchString("^"+strings.ReplaceAll(regexp.QuoteMeta(known), string(shell.Unknown), ".*")+"(/.*)?$", name)
			if err == nil && ok {
				return true
			}
		}
	}
	return false
}

// fuzzChanged lists what a script created, changed or removed.
func fuzzChanged(t *testing.T) []string {
	var names []string
	left := map[string]bool{}
	for name := range fuzzFiles {
		left[fuzzRoot+"/"+name] = true
	}
	dirs := []string{"work", "work/d", "work/d/e", "home", "home/x", "bin"}
	err := filepath.WalkDir(fuzzRoot, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, fuzzRoot+"/")
		switch text, ours := fuzzFiles[rel]; {
		case err != nil:
			return err
		case name == fuzzRoot, name == fuzzRoot+"/log", strings.HasPrefix(rel, "bin/"):
		case ours:
			delete(left, name)
			// A link's target may be endless.
			if !d.Type().IsRegular() {
				names = append(names, name)
			} else if raw, err := os.ReadFile(name); err != nil || string(raw) != text {
				names = append(names, name)
			}
		case d.IsDir() && slices.Contains(dirs, rel):
		default:
			names = append(names, name)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for name := range left {
		names = append(names, name)
	}
	return names
}
