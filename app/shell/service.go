package shell

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"parley/app/feature"
	"parley/backend/claude"
	"parley/backend/claude/transcript"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/shellrun"
	"parley/backend/session"
	"parley/backend/session/library"
)

const (
	maxCommand = 32 << 10
	// maxTold is how much of an output the model receives: its beginning and its end.
	maxTold = 30_000
)

// colours matches terminal sequences for colors, cursor movement and window titles.
var colours = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\-_])")

// Service implements shell.*: commands that a user types, which run independently of the session.
// Their output is shown in the conversation, and the model receives it with the next prompt.
//
// Goroutines: those of the runner, and one for each command that waits for its end or
// its session's; close waits for all.
type Service struct {
	runner   *shellrun.Runner
	registry *session.Registry
	library  *library.Library
	// started is when this Parley started, for the marks.
	started string

	mu sync.Mutex
	// stops cancel the running commands, by message.
	stops map[ShellRef]context.CancelFunc
	work  sync.WaitGroup
}

// New returns the service; processes know when this Parley started.
func New(runner *shellrun.Runner, registry *session.Registry, library *library.Library, processes interface{ Started() string }) *Service {
	return &Service{
		runner: runner, registry: registry, library: library, started: processes.Started(),
		stops: make(map[ShellRef]context.CancelFunc),
	}
}

func (s *Service) Run(ctx context.Context, p ShellRunParams) (ShellRef, error) {
	command := strings.TrimSpace(p.Command)
	if command == "" || len(command) > maxCommand || !utf8.ValidString(command) || strings.ContainsRune(command, 0) {
		return ShellRef{}, fault.New(fault.Invalid, "A command has 1 to %d bytes of text (parameter command).", maxCommand)
	}
	ref := ShellRef{SessionID: p.SessionID, MessageID: uuid.NewString()}
	err := s.library.WithAwake(ctx, p.SessionID, func() error { return s.run(ctx, ref, command) })
	return ref, err
}

func (s *Service) run(ctx context.Context, ref ShellRef, command string) error {
	record, err := s.registry.Get(ctx, ref.SessionID)
	if err != nil {
		return err
	}
	ended, err := s.registry.Ended(ref.SessionID)
	if err != nil {
		return err
	}
	// It outlives the call that started it.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &shellRun{Service: s, ref: ref, state: event.Shell{Command: command, State: "running"}, over: make(chan struct{})}
	r.report(nil)
	err = s.runner.Start(running, shellrun.Spec{
		Dir: record.CWD, Command: command, Output: r.print, Progress: r.progress,
		Env: []string{
			claude.MarkOwner + "=" + strconv.Itoa(os.Getpid()), claude.MarkStarted + "=" + s.started, claude.MarkSession + "=" + ref.SessionID,
		},
	})
	if err != nil {
		stop()
		r.print(fault.MessageOf(err))
		r.state.State, r.state.ExitCode = "failed", -1
		r.report(nil)
		return err
	}
	s.mu.Lock()
	s.stops[ref] = stop
	s.mu.Unlock()
	s.work.Go(func() {
		defer stop()
		select {
		case <-r.over:
		case <-ended:
			stop()
			<-r.over
		}
		s.mu.Lock()
		delete(s.stops, ref)
		s.mu.Unlock()
	})
	return nil
}

func (s *Service) Stop(ctx context.Context, p ShellRef) (feature.Empty, error) {
	if _, err := s.library.Get(ctx, p.SessionID); err != nil {
		return feature.Empty{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.stops[p]; stop != nil {
		stop()
	}
	return feature.Empty{}, nil
}

// Running are the sessions with a running command.
func (s *Service) Running() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions := map[string]bool{}
	for ref := range s.stops {
		sessions[ref.SessionID] = true
	}
	return sessions
}

// Close ends all commands.
func (s *Service) Close() {
	s.runner.Close()
	s.work.Wait()
}

// shellRun is one command. Its methods are called one at a time.
type shellRun struct {
	*Service
	ref   ShellRef
	state event.Shell
	// head is the output before anything was left out.
	head strings.Builder
	over chan struct{}
}

func (r *shellRun) print(text string) {
	r.head.WriteString(text)
	r.registry.ShellOutput(r.ref.SessionID, r.ref.MessageID, text)
}

func (r *shellRun) progress(p shellrun.Progress) {
	r.state.Skipped, r.state.Tail = p.Skipped, p.Tail
	if !p.Over {
		r.report(nil)
		return
	}
	r.state.State = "done"
	if p.Stopped {
		r.state.State = "stopped"
	}
	r.state.ExitCode, r.state.Signal, r.state.DurationMs = p.ExitCode, p.Signal, p.Duration.Milliseconds()
	r.report(r.note())
	close(r.over)
}

func (r *shellRun) report(note *session.Note) {
	r.registry.Shell(r.ref.SessionID, &event.ShellUpdate{MessageID: r.ref.MessageID, Shell: r.state}, note)
}

// note is the command and its output for the model, in the CLI's own form, and its placeholder
// until then.
func (r *shellRun) note() *session.Note {
	shown, output := r.state, r.output()
	shown.Skipped, shown.Tail = 0, ""
	said, answer := transcript.ShellNote(shown, output)
	return &session.Note{
		Messages: []session.NoteMessage{{ID: r.ref.MessageID, Text: said}, {ID: uuid.NewString(), Text: answer}},
		Shown: &event.Message{
			ID: r.ref.MessageID, Role: "shell", At: time.Now().UnixMilli(), Shell: &shown,
			Blocks: []event.Block{{ID: r.ref.MessageID + ":0", Type: "text", Text: output}},
		},
	}
}

// output is the output without colors, with its middle left out if it is long.
func (r *shellRun) output() string {
	text := r.head.String()
	if r.state.Skipped > 0 {
		text += fmt.Sprintf("\n[%d bytes are left out here]\n", r.state.Skipped)
	}
	text = strings.TrimRight(colours.ReplaceAllString(text+r.state.Tail, ""), "\n")
	if over := len(text) - maxTold; over > 0 {
		first, last := text[:maxTold/2], text[len(text)-maxTold/2:]
		text = strings.ToValidUTF8(first, "") + fmt.Sprintf("\n[%d bytes are left out here]\n", over) + strings.ToValidUTF8(last, "")
	}
	return text
}
