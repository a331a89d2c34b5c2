// Package role has the binary's commands: the window, the server, the relay that CLI processes
// start, the command-line client. It parses the arguments, owns the standard streams and the
// signals, and controls the order in which things start and end; the caller provides what is
// started.
//
// Standard output belongs to the calling program: the server writes one line of JSON there and
// nothing else, the client writes results. Logs and messages for users go to standard error.
//
// Goroutines: one that listens for signals, one that serves the gateway, one that closes
// the back end, and where a service manager wants to hear it, one that looks whether all
// works, with one that asks the sessions; the role waits for all, except when a second signal
// ends the process at once.
package role

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/app/desktop"
	"parley/app/doctor"
	"parley/app/gateway"
	"parley/app/method"
	"parley/app/restart"
	"parley/backend/bus"
	"parley/backend/fault"
	"parley/backend/host"
	"parley/backend/paths"
	"parley/backend/platform/contain"
	"parley/backend/platform/handover"
	"parley/backend/platform/logbuffer"
	"parley/backend/platform/logfile"
	"parley/backend/problem"
	"parley/backend/toolserver/relay"
	"parley/backend/update"
)

// Backend is a Parley without a user interface.
type Backend interface {
	// Start returns when methods may be called.
	Start(ctx context.Context) error
	// Close ends everything, including children, and saves what must be saved. It takes at most a
	// few seconds.
	Close() error
	// HandOver does the same for a program that replaces this one, and keeps what it receives. It
	// calls leave once that is settled. It returns nil if that would interrupt something; then this
	// one continues.
	HandOver(leave func()) (*restart.Handed, error)
	Methods() *method.Table
	Bus() *bus.Bus
	// Button handles the Mattermost server's call for a pressed button, see [gateway.Config].
	Button(ctx context.Context, body []byte) (asked bool, err error)
	// Problems are the current problems, for [gateway.Config].
	Problems() []problem.Problem
	// Health is the public part of its state, see [gateway.Config].
	Health(ctx context.Context) map[string]any
	// Devices are the paired devices; nil admits none.
	Devices() gateway.Devices
	// PageDied is called when the process of the window's page is gone.
	PageDied()
	// Busy reports whether Close would interrupt running work. Then Leave makes the page ask the
	// user what to do, see [desktop.Config], and Finished waits for its end. tray reports that a
	// tray icon can reopen the window.
	Busy(ctx context.Context) bool
	Leave(ctx context.Context, tray bool, again <-chan struct{}) string
	Finished(ctx context.Context) error
}

// endWait is how long a start waits for a Parley on the same data folder that is about to end: it
// was restarted at once, or it was killed and the system is still releasing its resources. An
// orderly end takes five seconds at most.
const endWait = 6 * time.Second

// Options are a command's options for the back end.
type Options struct {
	Dirs     paths.Dirs
	Scripted bool
	// Desktop is true for the window, and Dialog are its dialogs.
	Desktop bool
	Dialog  *desktop.Dialogs
	// Attention is the window's, too.
	Attention *desktop.Attention
	Version   string
	// Wait is how long to wait for another Parley with the folders to end.
	Wait time.Duration
	// Again executes the program on disk in place of this one, and Probe tests it. Again returns
	// immediately.
	Again func()
	Probe func(ctx context.Context) error
	// Handed is what the previous program left to the back end, nil for nothing.
	Handed *restart.Handed
	// Updater installs a newer program in place of this one.
	Updater *update.Updater
	Log     *slog.Logger
}

// Program is the process a command runs in. All fields but Unsealed are required.
type Program struct {
	Args           []string // without the program's name
	Stdin          io.ReadCloser
	Stdout, Stderr io.Writer
	// Getenv also knows the secrets, which were removed from the process's environment.
	Getenv func(string) string
	// Unsealed is why this process could not be fully sealed, nil if it was.
	Unsealed error
	// Page is the built front end.
	Page    fs.FS
	Version string
	// Open creates the back end. It must not start anything.
	Open func(Options) (Backend, error)
	// Check reads and verifies the data in the data folder, see [app.Check].
	Check func(dirs paths.Dirs, repair bool, tell func(level, what, says string)) (ok bool, err error)
	// Table has a running Parley's methods, for documentation only. It may be nil.
	Table func(*slog.Logger) *method.Table
	// Doctor checks Parley's requirements and data, see [doctor.Run].
	Doctor func(ctx context.Context, dirs paths.Dirs, fix bool) []doctor.CheckResult
	// Updates is the source of newer versions.
	Updates update.Source
	// Given is what the previous program handed over, nil for nothing.
	Given *handover.Given
	// Restart executes a program in place of this one, with arguments like Args. It only returns on
	// failure.
	Restart func(path string, args []string, given *handover.Given) error
}

// Secret reports whether an environment variable is for Parley alone: nothing that it starts may
// have it.
func Secret(name string) bool {
	rest, ours := strings.CutPrefix(name, "PARLEY_")
	return ours && slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "CREDS", "KEY"}, func(word string) bool {
		return strings.Contains(rest, word)
	})
}

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
	// exitWaits is for a turn that waits for a user, exitCut for an interrupted one.
	exitWaits
	exitCut
)

const usage = `Parley is a desktop app for the Claude Code CLI.

  parley [flags] [PLACE]      open the window, at a folder or a link like parley://session/ID
  parley open PLACE           the same; PLACE can also be a session's ID
  parley serve [flags]        serve the app to your browser, without a window
  parley ask PROMPT           start a session and print the answer
  parley wait SESSION         wait until its turn is done, and print the answer
  parley sessions             list the sessions
  parley watch [EVENT...]     print events as they arrive, as lines of JSON
  parley NAMESPACE ACTION     everything else that a running Parley can do; list it with "parley methods"
  parley call METHOD [JSON]   the same with raw JSON
  parley completion SHELL     print a completion script for bash, zsh or fish
  parley audit verify         check that the audit log was not altered
  parley doctor               check for problems, and show how to fix them
  parley logs                 print Parley's log
  parley check                read and verify everything that Parley stores
  parley restore              list the snapshots of Parley's data, or restore one
  parley service ACTION       run "parley serve" as a service: install, status, uninstall
  parley update               install the newest Parley; --check only checks for it
  parley version              print the version
  parley help                 print this help

Run any command with -h to see its flags. Commands that need a running Parley find one that was
started with "parley serve --announce", or by PARLEY_URL and PARLEY_TOKEN. The CLI runs "parley mcp"
to reach Parley's tools.
`

// Run runs the command in the arguments and returns the exit code.
func Run(p Program) int {
	name, rest := "", p.Args
	if len(rest) > 0 && (rest[0] == "" || rest[0][0] != '-') {
		name, rest = rest[0], rest[1:]
	}
	switch name {
	case "mcp":
		return p.mcp()
	case "guard":
		if len(rest) > 0 && !filepath.IsAbs(rest[0]) {
			if code, ok := p.client(p.Args); ok {
				return code
			}
		}
		return p.guard(rest)
	case "host":
		return p.host(rest)
	case "":
		if len(rest) > 0 && (rest[0] == "--help" || rest[0] == "-help" || rest[0] == "-h") {
			return p.help()
		}
		if len(rest) > 0 && (rest[0] == "--version" || rest[0] == "-version") {
			return p.version()
		}
		return p.window(rest)
	case "open":
		if len(rest) == 0 {
			_, _ = fmt.Fprintf(p.Stderr, "parley open: pass a session, a folder, or a link like %s\n", linkForm)
			return exitUsage
		}
		return p.window(rest)
	case "serve":
		return p.serve(rest)
	case "call":
		return p.call(rest)
	case "ask":
		return p.ask(rest)
	case "wait":
		return p.wait(rest)
	case "watch":
		return p.watch(rest)
	case "sessions":
		return p.sessions(rest)
	case "methods":
		return p.listMethods()
	case "completion":
		return p.completion(rest)
	case completeName:
		return p.complete(rest)
	case "audit":
		if len(rest) > 0 && rest[0] != "verify" {
			if code, ok := p.client(p.Args); ok {
				return code
			}
		}
		return p.audit(rest)
	case "doctor":
		return p.doctor(rest)
	case "logs":
		return p.logs(rest)
	case "check":
		return p.check(rest)
	case "restore":
		return p.restore(rest)
	case "service":
		return p.service(rest)
	case successorName:
		return p.successor(rest)
	case "update":
		return p.update(rest)
	case "version":
		return p.version()
	case "help":
		if len(rest) > 0 {
			p.Args = append(rest, "--help")
			return Run(p)
		}
		return p.help()
	default:
		if code, ok := p.client(p.Args); ok {
			return code
		}
		if isPlace(name) {
			return p.window(p.Args)
		}
		_, _ = fmt.Fprintf(p.Stderr, "parley: there is no command %q%s\n\n%s", name, suggestion(name, p.firstWords()), usage)
		return exitUsage
	}
}

// guard ends what a killed Parley leaves in its control groups.
func (p Program) guard(args []string) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if len(args) != 1 {
		args = []string{""}
	}
	if err := contain.Guard(p.Stdin, args[0]); err != nil {
		_, _ = fmt.Fprintln(p.Stderr, "parley guard:", err)
		return exitUsage
	}
	return exitOK
}

// host holds the programs of a Parley, and ends them with it.
func (p Program) host(args []string) int {
	// Caught rather than ignored, because the programs would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	in, ok := p.Stdin.(*os.File)
	if !ok || len(args) != 1 {
		_, _ = fmt.Fprintln(p.Stderr, "parley host: only Parley itself starts this command")
		return exitUsage
	}
	if err := host.Main(in, args[0]); err != nil {
		_, _ = fmt.Fprintln(p.Stderr, "parley host:", err)
		return exitUsage
	}
	return exitOK
}

// mcp comes first and touches nothing else: every CLI process waits for it.
func (p Program) mcp() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return relay.Main(ctx, p.Getenv, p.Stdin, p.Stdout, p.Stderr)
}

func (p Program) help() int {
	_, _ = io.WriteString(p.Stdout, usage)
	return exitOK
}

func (p Program) version() int {
	_, _ = fmt.Fprintln(p.Stdout, "parley", p.Version)
	return exitOK
}

// fail prints an error for the user. An error that is not a fault is printed in full, because
// nobody else sees it.
func (p Program) fail(err error) int {
	text := fault.MessageOf(err)
	if fault.CodeOf(err) == fault.Internal {
		text = err.Error()
	}
	_, _ = fmt.Fprintln(p.Stderr, "parley:", text)
	return exitFailed
}

// flags returns a flag set that reports errors to the user.
func (p Program) flags(name, about string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(p.Stderr)
	set.Usage = func() {
		_, _ = fmt.Fprintf(p.Stderr, "%s\n\n", about)
		set.PrintDefaults()
	}
	return set
}

// windowFlags are the values of the flags of the command that opens the window.
type windowFlags struct {
	data                  string
	demo, hidden, verbose bool
}

func (p Program) windowFlags() (*flag.FlagSet, *windowFlags) {
	set, f := p.flags("parley", "parley [flags] [PLACE]\n\nOpens Parley's window, at a session, a folder, or a link like "+linkForm+". Nothing is sent."), &windowFlags{}
	set.StringVar(&f.data, "data", "", "`folder` for Parley's data, instead of the usual one")
	demoFlag(set, &f.demo)
	set.BoolVar(&f.hidden, "hidden", false, "start without showing the window")
	set.BoolVar(&f.verbose, "verbose", false, "log more")
	return set, f
}

// parse returns false and the exit code if there is nothing more to do.
func parse(set *flag.FlagSet, args []string, most int) (int, bool) {
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, false
	case err != nil:
		return exitUsage, false
	case set.NArg() > most:
		_, _ = fmt.Fprintf(set.Output(), "%s: unexpected argument %q\n", set.Name(), set.Arg(most))
		set.Usage()
		return exitUsage, false
	}
	return exitOK, true
}

// logger logs to standard error, to the window's log, and to a file in the data folder, which the
// caller closes.
func (p Program) logger(verbose bool, dirs paths.Dirs) (*slog.Logger, io.Closer) {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if verbose {
		options.Level = slog.LevelDebug
	}
	file := logfile.New(dirs.Data)
	log := slog.New(logbuffer.New(slog.NewMultiHandler(
		slog.NewTextHandler(p.Stderr, options),
		slog.NewTextHandler(logbuffer.Cleaned{To: file}, options))))
	switch earlier, err := logfile.Crashes(dirs.Data, time.Now()); {
	case err != nil:
		log.Warn("Couldn't set up the crash report", "err", err)
	case earlier != "":
		log.Error("Previous run of Parley crashed", "report", earlier)
	}
	if p.Unsealed != nil {
		log.Warn("Other programs of this user may be able to read Parley's process memory", "err", p.Unsealed)
	}
	return log, file
}

func (p Program) dirs(data string) (paths.Dirs, error) {
	env, err := paths.Current(data)
	if err != nil {
		return paths.Dirs{}, err
	}
	return paths.Find(env)
}
