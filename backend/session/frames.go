package session

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/backend/choice"
	"parley/backend/claude/transcript"
	"parley/backend/claude/wire"
	"parley/backend/event"
)

// frame handles one CLI frame: first its effect on the turn, then its visible
// events.
func (s *Session) frame(f wire.Frame) {
	if what := s.meddled(f); what != "" {
		s.intruded(what)
	}
	switch f := f.(type) {
	case *wire.ControlResponse:
		return
	case *wire.User:
		s.ran(f)
	case *wire.CommandLifecycle:
		s.lifecycle(f)
		return
	case *wire.Init:
		s.reported(f)
	case *wire.Status:
		s.statusOf(f)
	case *wire.ConversationReset:
		s.touch()
	case *wire.Result:
		s.result(f)
		return
	case *wire.PromptSuggestion:
		s.suggested(f.Suggestion)
		return
	case *wire.Unknown:
		s.lg.Debug("Unknown frame", "type", f.Type, "subtype", f.Subtype, "reason", f.Reason)
		return
	case *wire.ControlRequest:
		s.lg.Warn("Unsupported request from the CLI", "subtype", f.Subtype)
		return
	case *wire.TaskStarted, *wire.TaskUpdated, *wire.TaskNotification, *wire.BackgroundTasksChanged:
		s.touch()
	}
	s.emitAll(s.projector.Frame(f))
}

// maxSuggestion bounds a suggested prompt; a longer one doesn't help in the
// composer.
const maxSuggestion = 200

// suggested takes the CLI's suggestion for the next prompt, unless it already
// arrived.
func (s *Session) suggested(text string) {
	text = strings.TrimSpace(text)
	if s.turn.id != "" || s.going() > 0 || utf8.RuneCountInString(text) > maxSuggestion {
		return
	}
	s.record.Suggestion = text
	s.touch()
}

// emitAll publishes the events the projector made from a frame.
func (s *Session) emitAll(events []event.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case *event.ContextUpdate:
			s.touch()
		case *event.Status:
			if e.Retry != nil {
				e.Retry.Until = time.Now().UnixMilli() + e.Retry.DelayMs
			}
			s.retrying(e.Retry)
		case *event.TextDelta, *event.ThinkingStart, *event.ToolStart, *event.Error, *event.Result:
			s.retrying(nil)
		}
		s.emit(e)
	}
}

// retrying records the API call that the CLI is waiting to retry; nil once it
// continued.
func (s *Session) retrying(r *event.Retry) {
	if r == nil && s.record.Retry == nil {
		return
	}
	s.record.Retry = r
	s.touch()
}

// reported handles the CLI's init frame. It comes at the start of every turn;
// one without a prompt starts a turn of the CLI's own.
func (s *Session) reported(f *wire.Init) {
	if s.process != nil {
		s.process.spoke = true
	}
	s.conversation(f.SessionID)
	s.record.Model = f.Model
	s.reportedMode(f.PermissionMode, true)
	if f.Effort != nil {
		s.record.Effort = *f.Effort
	}
	s.touch()
	for _, server := range f.MCPServers {
		// Only the first engine sends permission requests over that connection.
		if s.record.Engine == choice.EngineCLI && server.Name == toolServerName && server.Status != "connected" && server.Status != "pending" {
			s.cutOff(s.process, "the CLI reports the connection as "+server.Status)
		}
	}
	if s.turn.id != "" {
		return
	}
	if s.process != nil && !s.process.lifecycles {
		// A CLI that doesn't report lifecycles takes prompts in order.
		for _, p := range s.prompts {
			if p.phase == Handed {
				s.begin(p)
				return
			}
		}
	}
	s.beginOwn()
}

// conversation records the conversation the CLI is in. A CLI that is being stopped
// may still report an abandoned one.
func (s *Session) conversation(id string) {
	if s.process != nil && s.process.stopping {
		return
	}
	if id != "" && id != s.record.CLISessionID { // after /clear
		s.retire(id)
	}
	s.unanswered = s.unanswered || !s.resumes
	s.resumes, s.fork = true, nil
}

// toolServerName is the name of Parley's own MCP server.
const toolServerName = "parley"

// toolServerLost handles a process that lost its connection to Parley's tools. A
// process that exits loses it too; that is reported separately.
func (s *Session) toolServerLost(why string) {
	r := s.process
	if r == nil {
		return
	}
	s.helpers.Go(func() {
		select {
		case <-r.gone:
		case <-time.After(linkGrace):
			s.post(func() { s.cutOff(r, why) })
		}
	})
}

// linkGrace is how long a CLI that lost its connection may take to exit.
const linkGrace = time.Second

// cutOff warns users, before a tool fails, that a process can no longer ask
// them. The process can't reconnect, so it is stopped after its turn; the next
// prompt starts a new one.
func (s *Session) cutOff(r *running, why string) {
	if r == nil || s.process != r || r.stopping || r.unreachable {
		return
	}
	r.unreachable = true
	s.emit(&event.Error{
		Code:    event.FailTools,
		Message: "Claude Code cannot reach Parley, so Parley cannot ask you for permission: " + strings.TrimSuffix(why, ".") + ".",
		Hint:    "Tools that need permission fail until this turn ends. The next prompt starts a new process. The conversation is kept.",
	})
	if s.state == Idle {
		s.stopProcess(r)
	}
}

// statusOf follows compaction and changes of the permission mode.
func (s *Session) statusOf(f *wire.Status) {
	s.reportedMode(f.PermissionMode, false)
	switch {
	case f.Status == "compacting":
		if s.state == Idle || s.state == Starting || s.state == Running || s.state == Waiting {
			s.become(Compacting)
		}
	case s.state == Compacting:
		s.carryOn()
	}
}

// carryOn returns to the state before a compaction or question.
func (s *Session) carryOn() {
	switch {
	case s.starting != nil:
		s.become(Starting)
	case s.turn.id == "":
		s.rest()
	case len(s.openAsks) > 0:
		s.become(Waiting)
	default:
		s.become(Running)
	}
}

// result ends a turn.
func (s *Session) result(f *wire.Result) {
	if s.process != nil && !s.process.spoke && f.IsError {
		// The CLI fails before its first turn and is about to exit. Its error is
		// reported after the exit, unless Parley can recover.
		s.process.lastError = strings.TrimSpace(strings.Join(append(f.Errors, f.Text), "\n"))
		s.discard(s.process)
		return
	}
	if s.turn.id == "" && s.onlyNotes(f.UserMessageUUIDs) {
		return // no request was sent
	}
	if s.turn.id == "" {
		// The turn's only frame is its result: either a prompt answered without the
		// model, or a turn that started before Parley listened.
		for _, id := range f.UserMessageUUIDs {
			if p := s.byUUID(id); p != nil {
				s.begin(p)
				break
			}
		}
	}
	reason := "completed"
	switch {
	case s.interrupted || transcript.Interrupted(f):
		reason = "interrupted"
	case f.IsError:
		reason = "error"
	}
	if s.interrupted {
		f.TerminalReason = "interrupted"
	}
	if reason == "error" {
		s.hold()
	}
	events := s.projector.Frame(f)
	for _, e := range events {
		if failed, ok := e.(*event.Error); ok {
			s.record.Error = &event.SessionError{Code: failed.Code, Message: failed.Message, Hint: failed.Hint}
		}
	}
	s.emitAll(events)
	if messageID, r := s.log.Outcome(s.turn.id); r != nil {
		s.cfg.Keeper.Ended(s.id, messageID, *r)
	}
	s.emitAll(s.projector.EndTurn())
	s.resultOf(f.UserMessageUUIDs, reason)
}

// interrupt stops the turn: in the UI at once, then in the CLI.
func (s *Session) interrupt(by string) error {
	if s.state == Closed {
		return errClosed()
	}
	if !s.state.busy() || s.interrupted || s.turn.id == "" && s.going() == 0 {
		return nil
	}
	s.hold()
	s.emitAll(s.projector.Stop())
	s.emit(&event.Interrupted{By: by})
	s.did(s.turn.id, by, false)
	s.interrupted = true
	s.withdraw("the turn was interrupted")
	// Prompts the CLI has but didn't start must not start automatically
	// afterwards.
	stop := toHold
	if s.turn.id == "" {
		stop = toStop // the user can't mean anything else
	}
	for _, p := range slices.Clone(s.prompts) {
		switch {
		case !p.out() || p.taken() || p.asked == toDrop:
		case p.phase == Handed:
			p.asked = stop
		default:
			p.asked = stop
			s.notBegun(p)
		}
	}
	if s.process == nil {
		// The process isn't up yet. Nothing was sent, so there is nothing to stop.
		s.interrupted = false
		s.become(Interrupting)
		return nil
	}
	s.stopTurn()
	return nil
}

// stopTurn makes the CLI stop its turn and give back its pending prompts.
func (s *Session) stopTurn() {
	s.interrupted = true
	s.become(Interrupting)
	s.interrupts++
	process, nth := s.process, s.interrupts
	s.helpers.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), interruptLimit)
		defer cancel()
		_, err := process.Control(ctx, wire.Interrupt(true))
		if err == nil {
			s.post(func() { s.stopHeard(process) })
			select {
			case <-process.gone:
				return
			case <-time.After(interruptLimit):
			}
		}
		s.post(func() { s.interruptLate(process, nth, err) })
	})
}

// stopHeard handles the CLI's confirmation of an interrupt. A prompt that arrived after
// the interrupt may have started anyway.
func (s *Session) stopHeard(process *running) {
	if p := s.turn.prompt; s.process == process && p != nil && (p.asked == toStop || p.asked == toHold) {
		p.asked = ""
		s.stopTurn()
	}
}

// interruptLate stops a process that didn't interrupt its turn in time.
func (s *Session) interruptLate(process *running, nth int, err error) {
	if s.process != process || s.state != Interrupting || s.interrupts != nth {
		return
	}
	s.lg.Warn("The CLI didn't stop the turn; stopping its process", "err", err)
	s.stopProcess(process)
}

// withdraw ends the session's open questions. It must not block: the desk
// notifies its observers, which post back to this owner.
func (s *Session) withdraw(why string) {
	s.helpers.Go(func() { s.cfg.Questions.Withdraw(s.id, why) })
}

func (s *Session) questionOpened(q event.Question) {
	if s.state == Closed {
		return
	}
	s.openAsks[q.RequestID] = q
	s.projector.Asking(q.ToolUseID)
	switch s.state {
	case Idle, Starting, Running, Compacting:
		s.become(Waiting)
	}
	if q.Kind == "trust" {
		s.emit(&event.Status{Status: "starting", Message: "Claude Code starts when you have answered the trust request for this folder."})
	}
	s.emit(&event.PermissionRequest{Question: q})
	s.touch()
}

func (s *Session) questionResolved(e *event.PermissionResolved) {
	if _, open := s.openAsks[e.RequestID]; !open && s.state == Closed {
		return
	}
	delete(s.openAsks, e.RequestID)
	s.projector.Asked(e.ToolUseID, e.Outcome)
	s.emit(e)
	switch {
	case strings.HasPrefix(e.By, "@") || e.Said:
		s.did(e.ToolUseID, e.By, e.Said)
	case e.Outcome == "expired":
		s.did(e.ToolUseID, ByTimeout, false)
	}
	s.touch()
	if s.state == Waiting && len(s.openAsks) == 0 {
		s.carryOn()
	}
}

// Values of by for [Persister.RecordAction] when nobody decided about a tool use: its question
// expired, or the CLI or Parley ended while it was open.
const (
	ByTimeout = "timeout"
	ByNobody  = "nobody"
)

// unasked records which tools never ran because their process ended, and returns the
// events. The CLI doesn't write that down.
func (s *Session) unasked(events []event.Event) []event.Event {
	for _, e := range events {
		if r, ok := e.(*event.ToolResult); ok && r.Outcome == event.UseNotRun {
			s.did(r.ToolUseID, ByNobody, false)
		}
	}
	return events
}

// did records who acted in the conversation, which the transcript doesn't
// contain.
func (s *Session) did(id, by string, said bool) {
	if id != "" && by != "" {
		s.cfg.Keeper.RecordAction(s.id, id, by, said)
	}
}
