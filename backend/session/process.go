package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// A process that keeps dying is not started again for waiting prompts: after this
// many deaths within a minute a person has to decide.
const maxCrashes = 3

// asError is errors.As with the target's type spelled once.
func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// start asks for a process. It returns at once; started or startFailed follows.
func (s *Session) start() {
	s.starting = make(chan struct{})
	s.become(Starting)
	s.emit(&event.Status{Status: "starting"})
	spec := Spec{
		SessionID: s.id, CWD: s.record.CWD, CLISessionID: s.record.CLISessionID, Resume: s.resumes,
		Model: s.record.Model, PermissionMode: s.record.PermissionMode, Effort: s.record.Effort,
		Engine: s.record.Engine, Rehearsal: s.record.Rehearsal,
	}
	s.helpers.Go(func() {
		process, err := s.cfg.Engine.Start(s.ctx, spec)
		// The owner cannot end while starting is set, so this is always taken.
		s.post(func() { s.started(process, err) })
	})
}

// started takes over a new process, or sorts out why there is none.
func (s *Session) started(process Process, err error) {
	close(s.starting)
	s.starting = nil
	if err != nil {
		s.startFailed(err)
		return
	}
	r := &running{
		Process: process, frames: process.Frames(),
		prompts: make(chan *prompt, maxPrompts), gone: make(chan struct{}),
	}
	s.process = r
	s.helpers.Go(func() { s.writePrompts(r) })
	s.touch()
	if s.state == Closed {
		s.stopProcess(r)
		return
	}
	for _, p := range s.prompts {
		s.write(p)
	}
	if len(s.prompts) == 0 {
		s.rest()
	}
}

// writePrompts writes prompts in order until the process is gone.
func (s *Session) writePrompts(r *running) {
	for {
		select {
		case p := <-r.prompts:
			err := r.Send(wire.UserMessage{UUID: p.turnID, Text: p.text, Images: p.Images})
			if err != nil {
				s.post(func() { s.writeFailed(r, err) })
				return
			}
		case <-r.gone:
			return
		}
	}
}

// startFailed ends what waited for the process.
func (s *Session) startFailed(err error) {
	s.lg.Warn("Starting the CLI failed", "err", err)
	if s.state == Closed {
		s.emit(&event.Closed{Expected: true})
		return
	}
	e := &event.Error{Code: string(fault.CodeOf(err)), Message: fault.MessageOf(err), Hint: startHint(err)}
	s.fail(e, "failed")
}

func startHint(err error) string {
	switch fault.CodeOf(err) {
	case fault.CLIMissing:
		return "Install the CLI, then send the prompt again."
	case fault.NotFound:
		return "Bring the folder back, or start a session in another one."
	}
	return "Put this right, then send the prompt again."
}

// fail shows an error and ends every accepted prompt.
func (s *Session) fail(e *event.Error, reason string) {
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
	s.emit(e)
	for len(s.prompts) > 0 {
		s.finish(s.prompts[0], reason)
	}
	if s.turn.id != "" && s.turn.prompt == nil {
		s.emit(&event.Done{Reason: reason})
	}
	s.setTurn(turn{})
	s.become(Failed)
}

// stopProcess ends a process in the background. Its frames channel is closed when
// it is gone.
func (s *Session) stopProcess(r *running) {
	if r.stopping {
		return
	}
	r.stopping = true
	s.helpers.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			s.lg.Warn("Stopping the CLI failed", "err", err)
		}
	})
}

// discard ends a process that no longer works.
func (s *Session) discard(r *running) {
	if !r.stopping {
		r.broken = true
		s.stopProcess(r)
	}
}

// processEnded sorts out what a process leaves behind: open blocks are cut off,
// questions withdrawn, the prompt it was answering is over, and the ones it never
// took up wait for the next process.
func (s *Session) processEnded() {
	r := s.process
	close(r.gone)
	s.process = nil
	exit := r.Exit()
	s.emitAll(s.projector.Stop())
	s.emitAll(s.projector.ProcessEnded())
	s.withdraw("the CLI ended")
	expected := r.stopping && !r.broken
	s.emit(&event.Closed{ExitCode: exit.Code, Signal: exit.Signal, Expected: expected})
	s.touch()
	if s.state == Closed {
		s.setTurn(turn{})
		return
	}
	if s.unknownConversation(r, exit) {
		return
	}
	if expected || s.interrupted {
		s.afterStop()
		return
	}
	s.crashed(r, exit)
}

// unknownConversation handles a CLI that does not know the conversation it was
// asked to resume: a fresh one is begun, and the person is told.
func (s *Session) unknownConversation(r *running, exit Exit) bool {
	if r.spoke || !s.resumes || !strings.Contains(exit.Stderr+r.lastError, "No conversation found") {
		return false
	}
	s.resumes = false
	s.record.CLISessionID = uuid.NewString()
	s.emit(&event.Status{Status: "notice", Message: "The CLI no longer knows this conversation. It goes on with a fresh one; what was said before is not in the model's memory."})
	if s.interrupted {
		s.afterStop()
		return true
	}
	s.goOn()
	return true
}

// afterStop continues after a process that ended while its turn was to be stopped,
// or that Parley ended because it would not stop it. Prompts that came after the
// one to be stopped are not lost.
func (s *Session) afterStop() {
	for _, p := range slices.Clone(s.prompts) {
		if p.started || p.stopped {
			s.finish(p, "interrupted")
		}
	}
	s.endOwnTurn("interrupted")
	s.interrupted = false
	s.goOn()
}

// crashed handles a process that died by itself.
func (s *Session) crashed(r *running, exit Exit) {
	e := crashError(r, exit)
	s.lg.Warn("The CLI ended unexpectedly", "code", exit.Code, "signal", exit.Signal, "err", exit.Err)
	now := time.Now()
	s.crashes = append(s.crashes, now)
	for len(s.crashes) > 0 && now.Sub(s.crashes[0]) > time.Minute {
		s.crashes = s.crashes[1:]
	}
	if !r.spoke || len(s.crashes) >= maxCrashes {
		s.fail(e, "crashed")
		return
	}
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
	s.emit(e)
	for _, p := range slices.Clone(s.prompts) {
		if p.started {
			s.finish(p, "crashed")
		}
	}
	s.endOwnTurn("crashed")
	if len(s.prompts) == 0 {
		s.become(Failed)
		return
	}
	s.goOn()
}

func crashError(r *running, exit Exit) *event.Error {
	how := fmt.Sprintf("exit code %d", exit.Code)
	if exit.Signal != "" {
		how = "signal " + exit.Signal
	}
	e := &event.Error{
		Code: "cli_crashed", Message: "The CLI ended unexpectedly (" + how + ").",
		Hint:   "Send another prompt to go on: the conversation is kept.",
		Detail: exit.Stderr,
	}
	if !r.spoke {
		e.Message = "The CLI ended before it said anything (" + how + ")."
		e.Hint = "Look at the details. Then send the prompt again."
		if r.lastError != "" {
			e.Message = r.lastError
		}
	}
	return e
}

func (s *Session) endOwnTurn(reason string) {
	if s.turn.id != "" && s.turn.prompt == nil {
		s.emit(&event.Done{Reason: reason})
	}
	s.setTurn(turn{})
}

// requeue takes prompts back from a process that is gone.
func (s *Session) requeue() {
	for _, p := range s.prompts {
		p.written, p.started = false, false
	}
}

// goOn starts a new process when prompts wait, else rests.
func (s *Session) goOn() {
	s.requeue()
	if len(s.prompts) > 0 {
		s.start()
		return
	}
	s.rest()
}

// shutdown ends the session for good. It may be called from any goroutine, and
// again.
func (s *Session) shutdown() {
	s.stopOnce.Do(func() { s.post(s.close) })
}

func (s *Session) close() {
	s.emitAll(s.projector.Stop())
	for len(s.prompts) > 0 {
		s.finish(s.prompts[0], "closed")
	}
	s.endOwnTurn("closed")
	s.become(Closed)
	s.cancel()
	s.withdraw("the session was closed")
	s.helpers.Go(func() { s.cfg.Questions.Forget(s.id) })
	if s.process != nil {
		s.stopProcess(s.process)
	} else if s.starting == nil {
		s.emit(&event.Closed{Expected: true})
	}
}
