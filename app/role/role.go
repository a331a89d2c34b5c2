// Package role holds what the binary can be: the window, the server, the relay
// that CLI processes start, the command-line client. It reads the arguments, owns
// the standard streams and the signals, and sees to the order in which things
// start and end; what starts is given to it.
//
// Standard output belongs to the caller's program: the server writes one line of
// JSON there and nothing else, the client writes results. Logs and sentences for
// people go to standard error.
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

// Backend is a Parley without a face.
type Backend interface {
	// Start begins the work; it returns when methods may be called.
	Start(ctx context.Context) error
	// Close ends everything, children too, and saves what must be saved. It takes
	// at most a few seconds.
	Close() error
	// HandOver does the same for a program that goes on in the place of this one, and keeps
	// what that is handed. It calls leave once that is settled. It returns nil when it cannot
	// be done without cutting something; then this one continues.
	HandOver(leave func()) (*restart.Handed, error)
	Methods() *method.Table
	Bus() *bus.Bus
	// Button takes what the server of a team chat says of a pressed button, see
	// [gateway.Config].
	Button(ctx context.Context, body []byte) (asked bool, err error)
	// Problems are what is wrong now, for [gateway.Config].
	Problems() []problem.Problem
	// Health is what of its state may be known to everybody, see [gateway.Config].
	Health(ctx context.Context) map[string]any
	// Devices are those that were paired; nil lets none in.
	Devices() gateway.Devices
	// PageDied is told when the process that showed the window's page is gone.
	PageDied()
	// Busy says whether work goes on that Close would cut. Then Leave has the page ask the
	// user what becomes of it, see [desktop.Config], and Finished waits for its end. tray
	// says that an icon in the panel opens the window again.
	Busy(ctx context.Context) bool
	Leave(ctx context.Context, tray bool, again <-chan struct{}) string
	Finished(ctx context.Context) error
}

// endWait is how long a start waits for a Parley on the same data folder that is about to
// end: somebody ended it and starts it again at once, or it was killed and the system is
// still taking back what it had. An orderly end takes five seconds at most.
const endWait = 6 * time.Second

// Options are what a role decides about the back end.
type Options struct {
	Dirs      paths.Dirs
	Rehearsal bool
	// Desktop is true in the window's role, and Dialog are its dialogs.
	Desktop bool
	Dialog  *desktop.Dialogs
	// Attention is the window's, too.
	Attention *desktop.Attention
	Version   string
	// Wait is how long a Parley that has the folders may take to end.
	Wait time.Duration
	// Again is how the back end has the program on the disk executed in the place of this
	// one, and Probe how it tries that. Again returns at once.
	Again func()
	Probe func(ctx context.Context) error
	// Handed is what the program before this one left to the back end, nil for nothing.
	Handed *restart.Handed
	// Updater is what puts a newer program in the place of this one.
	Updater *update.Updater
	Log     *slog.Logger
}

// Program is the process that a role runs in. All fields but Unsealed are required.
type Program struct {
	Args           []string // without the program's name
	Stdin          io.ReadCloser
	Stdout, Stderr io.Writer
	// Getenv knows the secrets too, which are not in the process's environment any more.
	Getenv func(string) string
	// Unsealed is what could not be closed off of this process, nil for nothing.
	Unsealed error
	// Page is the built front end.
	Page    fs.FS
	Version string
	// Open makes the back end. It must not start anything.
	Open func(Options) (Backend, error)
	// Check reads and verifies what is in the data folder, see [app.Check].
	Check func(dirs paths.Dirs, repair bool, tell func(level, what, says string)) (ok bool, err error)
	// Table is what a running Parley can be asked for; none of it can be called. It may be nil.
	Table func(*slog.Logger) *method.Table
	// Doctor looks at everything that Parley needs and keeps, see [doctor.Run].
	Doctor func(ctx context.Context, dirs paths.Dirs, fix bool) []doctor.CheckResult
	// Updates is where newer ones come from.
	Updates update.Source
	// Given is what the program before this one handed over, nil for nothing.
	Given *handover.Given
	// Restart executes a program in this one's place, with arguments like Args. It returns
	// only when that cannot be done.
	Restart func(path string, args []string, given *handover.Given) error
}

// Secret says whether a variable of the environment is for Parley alone: nothing that it
// starts is to have it.
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
	// exitWaits is for a turn that waits for a user, exitCut for one that was cut.
	exitWaits
	exitCut
)

const usage = `Parley runs the Claude Code CLI for you, in a window of its own.

  parley [flags] [PLACE]      the window, at a folder or a link like parley://session/ID
  parley open PLACE           the same; PLACE may be a session's ID, too
  parley serve [flags]        the same without a window: a page for your browser
  parley ask PROMPT           begin a session and print the answer
  parley wait SESSION         wait until its turn is over, and print that
  parley sessions             list the sessions
  parley watch [EVENT...]     print events as they come, as lines of JSON
  parley NAMESPACE ACTION     everything else that a running Parley can do; "parley methods" lists it
  parley call METHOD [JSON]   the same with raw JSON
  parley completion SHELL     what completes these commands in bash, zsh or fish
  parley audit verify         check that nobody changed the log of questions and answers
  parley doctor               look whether all is well, and what to do where it is not
  parley logs                 what Parley logged, also before a crash
  parley check                read and verify everything that Parley keeps
  parley restore              list the snapshots of Parley's data, and put one back
  parley service ACTION       have the system run "parley serve": install, status, uninstall
  parley update               install the newest Parley; --check only looks for it
  parley version              which Parley this is
  parley help                 this text

Every command explains its flags with -h. Those that ask a running Parley find one that was
started with "parley serve --announce", or by PARLEY_URL and PARLEY_TOKEN. "parley mcp" is for the CLI: it starts
that command to reach Parley's tools.
`

// Run plays the role that the arguments name and returns the exit code.
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
			_, _ = fmt.Fprintf(p.Stderr, "parley open: name a session, a folder, or a link like %s\n", linkForm)
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

// guard ends what a Parley that was killed leaves in its control groups.
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
	// Caught rather than ignored, for the programs would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	in, ok := p.Stdin.(*os.File)
	if !ok || len(args) != 1 {
		_, _ = fmt.Fprintln(p.Stderr, "parley host: this is started by Parley")
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

// fail tells the user what is wrong. What is no fault is told in full: there is
// nobody else to read it.
func (p Program) fail(err error) int {
	text := fault.MessageOf(err)
	if fault.CodeOf(err) == fault.Internal {
		text = err.Error()
	}
	_, _ = fmt.Fprintln(p.Stderr, "parley:", text)
	return exitFailed
}

// flags returns a set that reports mistakes to the user.
func (p Program) flags(name, about string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(p.Stderr)
	set.Usage = func() {
		_, _ = fmt.Fprintf(p.Stderr, "%s\n\n", about)
		set.PrintDefaults()
	}
	return set
}

// parse returns false and the exit code when there is nothing more to do.
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

// logger logs to standard error, to the window's log, and into a file in the data folder,
// which whoever calls this closes.
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
		log.Warn("What a crash prints cannot be kept", "err", err)
	case earlier != "":
		log.Error("The Parley before this one crashed", "report", earlier)
	}
	if p.Unsealed != nil {
		log.Warn("Other programs of the same person may be able to read this process's memory", "err", p.Unsealed)
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
