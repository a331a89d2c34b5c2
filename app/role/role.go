// Package role holds what the binary can be: the window, the server, the relay
// that CLI processes start, the command-line client. It reads the arguments, owns
// the standard streams and the signals, and sees to the order in which things
// start and end; what starts is given to it.
//
// Standard output belongs to the caller's program: the server writes one line of
// JSON there and nothing else, the client writes results. Logs and sentences for
// people go to standard error.
//
// Goroutines: one that listens for signals, one that serves the gateway, and one
// that closes the back end; the role waits for all, except when a second signal
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
	"syscall"
	"time"

	"parley/app/desktop"
	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/fault"
	"parley/backend/logbook"
	"parley/backend/paths"
	"parley/backend/toolserver"
)

// Backend is a Parley without a face.
type Backend interface {
	// Start begins the work; it returns when methods may be called.
	Start(ctx context.Context) error
	// Close ends everything, children too, and saves what must be saved. It takes
	// at most a few seconds.
	Close() error
	Methods() *method.Table
	Bus() *bus.Bus
	// Button takes what the server of a team chat says of a pressed button, see
	// [gateway.Config].
	Button(ctx context.Context, body []byte) (asked bool, err error)
	// PageDied is told when the process that showed the window's page is gone.
	PageDied()
	// Busy says whether work goes on that Close would cut. Then Leave has the page ask the
	// person what becomes of it, see [desktop.Config], and Finished waits for its end. tray
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
	Log  *slog.Logger
}

// Program is the process that a role runs in. All fields are required.
type Program struct {
	Args           []string // without the program's name
	Stdin          io.ReadCloser
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Page is the built front end.
	Page    fs.FS
	Version string
	// Open makes the back end. It must not start anything.
	Open func(Options) (Backend, error)
}

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

const usage = `Parley runs the Claude Code CLI for you, in a window of its own.

  parley [flags]              the window
  parley serve [flags]        the same without a window: a page for your browser
  parley call METHOD [JSON]   call a method of a running "parley serve --announce"
  parley audit verify         check that nobody changed the log of questions and answers
  parley version              which Parley this is
  parley help                 this text

Every command explains its flags with -h. "parley mcp" is for the CLI: it starts
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
	case "":
		if len(rest) > 0 && (rest[0] == "--help" || rest[0] == "-help" || rest[0] == "-h") {
			return p.help()
		}
		if len(rest) > 0 && (rest[0] == "--version" || rest[0] == "-version") {
			return p.version()
		}
		return p.window(rest)
	case "serve":
		return p.serve(rest)
	case "call":
		return p.call(rest)
	case "audit":
		return p.audit(rest)
	case "version":
		return p.version()
	case "help":
		return p.help()
	default:
		_, _ = fmt.Fprintf(p.Stderr, "parley: there is no command %q\n\n%s", name, usage)
		return exitUsage
	}
}

// mcp comes first and touches nothing else: every CLI process waits for it.
func (p Program) mcp() int {
	endpoint, err := toolserver.TakeEndpoint()
	if err != nil {
		return p.fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := toolserver.Relay(ctx, p.Stdin, p.Stdout, endpoint); err != nil {
		_, _ = fmt.Fprintln(p.Stderr, "parley mcp:", err)
		return exitFailed
	}
	return exitOK
}

func (p Program) help() int {
	_, _ = io.WriteString(p.Stdout, usage)
	return exitOK
}

func (p Program) version() int {
	_, _ = fmt.Fprintln(p.Stdout, "parley", p.Version)
	return exitOK
}

// fail tells the person what is wrong. What is no fault is told in full: there is
// nobody else to read it.
func (p Program) fail(err error) int {
	text := fault.MessageOf(err)
	if fault.CodeOf(err) == fault.Internal {
		text = err.Error()
	}
	_, _ = fmt.Fprintln(p.Stderr, "parley:", text)
	return exitFailed
}

// flags returns a set that reports mistakes to the person.
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

func (p Program) logger(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	// The window's records are in its log too.
	return slog.New(logbook.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: level})))
}

func (p Program) dirs(data string) (paths.Dirs, error) {
	env, err := paths.Current(data)
	if err != nil {
		return paths.Dirs{}, err
	}
	return paths.Find(env)
}

// untilSignal returns a context that ends with the first request to end, and a
// function that stops listening. The second request ends the process at once.
func untilSignal(log *slog.Logger) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// Caught rather than ignored, for children would inherit that: a reader of
	// our logs that has gone away must not end us.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	over := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-signals:
			log.Info("Ending", "signal", s.String())
			cancel()
		case <-over:
			return
		}
		select {
		case <-signals:
			os.Exit(exitFailed)
		case <-over:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		<-ended
		cancel()
	}
}
