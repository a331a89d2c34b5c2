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

// A process that keeps dying isn't restarted for waiting prompts: after this many
// crashes within a minute the user has to decide.
const maxCrashes = 3

// ErrWithdrawn is wrapped by errors of [Engine.Start] if a question that had to be
// answered first was withdrawn, see [Questions.Withdraw].
var ErrWithdrawn = errors.New("the question was withdrawn")

// asError is errors.As as an expression.
func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// start requests a process. It returns at once; started or startFailed follows.
func (s *Session) start() {
	s.starting = make(chan struct{})
	s.become(Starting)
	s.given.mode, s.given.before = s.record.PermissionMode, ""
	s.emit(&event.Status{Status: "starting"})
	spec := Spec{
		SessionID: s.id, CWD: s.record.CWD, CLISessionID: s.record.CLISessionID, Resume: s.resumes,
		Model: s.record.Model, PermissionMode: s.record.PermissionMode, Effort: s.record.Effort,
		Engine: s.record.Engine, Scripted: s.record.Scripted, Profile: s.record.Profile,
	}
	if !s.resumes {
		spec.Fork = s.fork
	}
	s.helpers.Go(func() {
		var spent float64
		known := false
		if s.cfg.Spent != nil {
			spent, known = s.cfg.Spent(s.ctx, spec) // before the CLI continues with its total
		}
		process, err := s.cfg.Engine.Start(s.ctx, spec)
		// The owner cannot end while starting is set, so this is always taken.
		s.post(func() {
			if known && err == nil {
				s.projector.Spent(spent)
			}
			s.started(spec, process, err)
		})
	})
}

// started adopts a new process, or handles the failure.
func (s *Session) started(spec Spec, process Process, err error) {
	close(s.starting)
	s.starting = nil
	if err != nil {
		s.startFailed(err)
		return
	}
	r := s.runs(spec, process)
	s.touch()
	s.refresh() // the sweeper for idle processes reads the record
	s.processBegan()
	if s.state == Closed {
		s.stopProcess(r)
		return
	}
	s.dispatch()
	if s.going() == 0 {
		s.rest()
	}
}

// runs makes a process the session's current one.
func (s *Session) runs(spec Spec, process Process) *running {
	r := &running{
		Process: process, spec: spec, frames: process.Frames(),
		prompts: make(chan []wire.UserMessage, maxPrompts), gone: make(chan struct{}),
	}
	s.process = r
	s.helpers.Go(func() { s.writePrompts(r) })
	return r
}

// startFailed ends what waited for the process.
func (s *Session) startFailed(err error) {
	s.lg.Warn("Couldn't start the CLI", "err", err)
	if s.state == Closed {
		s.emit(&event.Closed{Expected: true})
		return
	}
	if s.state == Interrupting && errors.Is(err, ErrWithdrawn) {
		s.rest() // a user stopped it while it waited for their answer
		return
	}
	e := &event.Error{Code: string(fault.CodeOf(err)), Message: fault.MessageOf(err), Hint: s.startHint(err)}
	s.fail(e, "failed")
}

func (s *Session) startHint(err error) string {
	switch fault.CodeOf(err) {
	case fault.CLIMissing:
		return "Install the CLI, then send the prompt again."
	case fault.NotFound:
		if s.resumes || s.fork != nil {
			return "Restore the folder, then send the prompt again. The CLI finds the conversation only there."
		}
		return "Restore the folder, or start a session in another one."
	}
	return "Fix this, then send the prompt again."
}

// fail shows an error and ends the prompts that were sent; the others are
// held.
func (s *Session) fail(e *event.Error, reason string) {
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
	s.emit(e)
	s.hold()
	s.refuseOut(reason, *s.record.Error)
	if s.turn.id != "" && s.turn.prompt == nil {
		s.emit(&event.Done{Reason: reason})
	}
	s.setTurn(turn{})
	s.become(Failed)
}

// refuseOut ends the turns of the sent prompts. Those that no CLI started are held.
func (s *Session) refuseOut(reason string, why event.SessionError) {
	s.lost(reason)
	for _, p := range slices.Clone(s.prompts) {
		if p.out() {
			s.refuse(p, reason, why)
		}
	}
}

// stopProcess stops a process in the background. Its frames channel is closed
// when it is gone.
func (s *Session) stopProcess(r *running) {
	if r.stopping {
		return
	}
	r.stopping = true
	s.helpers.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			s.lg.Warn("Couldn't stop the CLI", "err", err)
		}
	})
}

// discard stops a process that no longer works.
func (s *Session) discard(r *running) {
	if !r.stopping {
		r.broken = true
		s.stopProcess(r)
	}
}

// processEnded cleans up after a process: open blocks are closed as cut off,
// questions withdrawn, the prompt it was answering ends, and prompts it never
// took up wait for the next process.
func (s *Session) processEnded() {
	r := s.process
	close(r.gone)
	s.process = nil
	exit := r.Exit()
	s.emitAll(s.unasked(s.projector.Stop()))
	s.emitAll(s.unasked(s.projector.ProcessEnded()))
	s.withdraw("the CLI ended")
	expected := r.stopping && !r.broken
	s.emit(&event.Closed{ExitCode: exit.Code, Signal: exit.Signal, Expected: expected})
	s.touch()
	if s.state == Closed {
		s.part() // it may have continued with its pending prompts
		s.endOwnTurn("closed")
		return
	}
	if r.suspended && expected {
		s.suspended()
	}
	defer func() {
		if s.process == nil && s.starting == nil && s.turn.id == "" {
			s.log.Trim(restMessages, restBytes) // older messages are in the transcript
		}
	}()
	if s.unknownConversation(r, exit) || s.knownConversation(r, exit) {
		return
	}
	if expected || s.interrupted {
		s.afterStop()
		return
	}
	s.crashed(r, exit)
}

// unknownConversation handles a CLI that doesn't know the conversation to resume or
// fork. The user decides whether to start a new one, which loses the model's
// context; until then the prompts wait. A conversation without an answer has nothing
// to lose.
func (s *Session) unknownConversation(r *running, exit Exit) bool {
	if r.spoke || !s.resumes && s.fork == nil || !strings.Contains(exit.Stderr+r.lastError, "No conversation found") {
		return false
	}
	if s.unanswered && s.fork == nil {
		s.retire(uuid.NewString())
		s.emit(&event.Status{Status: "notice", Message: "Claude Code stopped before it saved any of this conversation. The session continues with a new one."})
		s.again()
		return true
	}
	if s.interrupted {
		s.afterStop()
		return true
	}
	s.requeue()
	for _, p := range s.prompts {
		if p.gate == forNothing || p.gate == forTurn {
			p.gate = forFresh
		}
	}
	s.setTurn(turn{})
	e := &event.Error{
		Code: event.FailGone, Message: "Claude Code no longer has this conversation.",
		Hint: "Start a new conversation in this session. You can still read earlier messages, but Claude will not know them. Queued prompts go into the new one.", Detail: exit.Stderr,
	}
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
	s.emit(e)
	s.become(Failed)
	s.touch()
	return true
}

// knownConversation handles a CLI that already knows a conversation Parley was
// about to create: Parley died before it recorded that.
func (s *Session) knownConversation(r *running, exit Exit) bool {
	if r.spoke || s.resumes || !strings.Contains(exit.Stderr+r.lastError, "is already in use") {
		return false
	}
	s.resumes, s.fork = true, nil
	s.touch()
	s.again()
	return true
}

// again retries once after a process that failed to start.
func (s *Session) again() {
	if s.interrupted {
		s.afterStop()
		return
	}
	s.startOrRest()
}

// afterStop continues after a process that ended while its turn was being
// interrupted, or that Parley stopped because it didn't interrupt it. Prompts
// after the interrupted one aren't lost.
func (s *Session) afterStop() {
	s.lost("interrupted")
	for _, p := range slices.Clone(s.prompts) {
		if !p.taken() && (p.asked == toStop || p.asked == toHold) {
			s.notBegun(p)
		}
	}
	s.endOwnTurn("interrupted")
	s.interrupted = false
	s.startOrRest()
}

// crashed handles a process that died on its own.
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
	s.lost("crashed")
	s.endOwnTurn("crashed")
	s.hold()
	if s.going() == 0 {
		s.become(Failed)
		return
	}
	s.startOrRest()
}

func crashError(r *running, exit Exit) *event.Error {
	how := fmt.Sprintf("exit code %d", exit.Code)
	if exit.Signal != "" {
		how = "signal " + exit.Signal
	}
	e := &event.Error{
		Code: event.FailCrash, Message: "Claude Code stopped unexpectedly (" + how + ").",
		Hint:   "The conversation is kept. Send a prompt to continue.",
		Detail: exit.Stderr,
	}
	if strings.Contains(exit.Stderr+r.lastError, "No message found with") {
		return &event.Error{
			Code: event.FailForkPoint, Message: "Claude Code no longer has the message that this fork starts from.",
			Hint: "Fork from another message, or start a new conversation here.", Detail: exit.Stderr,
		}
	}
	if !r.spoke {
		e.Message = "Claude Code stopped right after it started (" + how + ")."
		e.Hint = "Check the details, then send the prompt again."
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
	s.returnNotes()
	for _, p := range slices.Clone(s.prompts) {
		if p.gate == forFile { // it was started, whatever the CLI was asked before
			continue
		}
		if p.asked == toDrop {
			s.finish(p, "dropped")
			continue
		}
		if p.asked = ""; p.phase == Handed || p.taken() {
			s.step(p, Accepted)
			s.keepPhase(p)
		}
	}
}

// startOrRest starts a new process if prompts wait, otherwise rests.
func (s *Session) startOrRest() {
	s.requeue()
	if s.going() > 0 {
		s.start()
		return
	}
	s.rest()
}
