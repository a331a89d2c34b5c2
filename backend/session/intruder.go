package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/event"
)

// Whoever can write to the CLI's input is obeyed like Parley, and can do more than send
// text: switch off permission checks, add rules, answer open requests. The streams are
// set up so that no other program can open them, see package claude. This file covers
// the case that something, such as a debugger, does so anyway: the CLI echoes its input,
// and Parley knows what it sent.
//
// Input that Parley didn't send ends the process, because it may have received more.
// The next prompt starts a new one, in the mode the user chose.

const (
	// askedFor is how long the CLI may take to report a requested mode: until it has
	// answered, plus time for earlier output.
	askedFor = controlWait + 10*time.Second
	// setBackWait is how long it may take to return to the user's mode.
	setBackWait = time.Second
	// answerGrace is how long after a tool's result its question may still be open while
	// its resolution is on the way.
	answerGrace = time.Second
	// maxSent bounds the remembered uuids of Parley's messages.
	maxSent = 4096
	// ByParley is the actor that stops a turn after foreign input.
	ByParley = "parley"
)

// given is what Parley, on behalf of users, has told a session's CLI.
type given struct {
	// mode is the laxest permission mode that users granted; "" leaves it to the CLI's
	// own settings until it reports them.
	mode string
	// before is the mode that "plan" replaced, "" for none.
	before string
	// asked holds until when the CLI may report a requested mode.
	asked map[string]time.Time
	// model is until when the CLI may tell the model about a model change.
	model time.Time
	// sent are the uuids of the last messages, order the order they were written
	// in.
	sent  map[string]bool
	order []string
}

// ask records that a mode is about to be requested.
func (g *given) ask(mode string) {
	if g.asked == nil {
		g.asked = make(map[string]time.Time)
	}
	g.asked[mode] = time.Now().Add(askedFor)
}

// set records that users granted a mode.
func (g *given) set(mode string) {
	if mode == "plan" && g.mode != "plan" {
		g.before = g.mode
	}
	g.mode = mode
}

// leavePlan records that users approved a plan: the CLI returns to the mode before
// it.
func (g *given) leavePlan() {
	if g.mode == "plan" {
		g.mode, g.before = cmp.Or(g.before, "default"), ""
	}
}

// allows reports whether the CLI may be in a mode.
func (g *given) allows(mode string) bool {
	return !choice.Asking().Beyond(mode, cmp.Or(g.mode, "default")) || time.Now().Before(g.asked[mode])
}

// wrote records that a message is sent to the CLI.
func (g *given) wrote(uuid string) {
	if g.sent == nil {
		g.sent = make(map[string]bool)
	}
	if g.sent[uuid] {
		return
	}
	if len(g.order) >= maxSent {
		delete(g.sent, g.order[0])
		g.order = g.order[1:]
	}
	g.sent[uuid] = true
	g.order = append(g.order, uuid)
}

// PlanApproved tells a session that a plan was approved. It must be called before
// the CLI is told.
func (r *Registry) PlanApproved(ctx context.Context, id string) {
	r.give(ctx, id, func(s *Session) { s.given.leavePlan() })
}

// ModeGranted tells a session that an answer to its CLI includes a permission mode. It
// must be called before the CLI is told.
func (r *Registry) ModeGranted(ctx context.Context, id, mode string) {
	r.give(ctx, id, func(s *Session) {
		if choice.Asking().Beyond(mode, cmp.Or(s.given.mode, "default")) {
			s.given.set(mode)
		}
	})
}

// give updates what a session has granted, before the CLI continues. It ignores sessions
// that end.
func (r *Registry) give(ctx context.Context, id string, change func(*Session)) {
	if s, err := r.session(id); err == nil {
		_, _ = ask(ctx, s, func() (struct{}, error) {
			change(s)
			return struct{}{}, nil
		})
	}
}

// reportedMode handles the mode reported by the CLI. first is set for the process's
// first init frame.
func (s *Session) reportedMode(mode string, first bool) {
	switch {
	case mode == "" || mode == s.record.PermissionMode && mode == s.given.mode:
		return
	case s.given.mode == "" && first:
		// The user left it to the CLI's settings, which are known now.
		s.given.mode = mode
		if s.process != nil {
			s.process.adopted = true
		}
	case !s.given.allows(mode):
		s.intruded(fmt.Sprintf("it was switched to the permission mode %.40q", mode))
		return
	}
	if mode != s.record.PermissionMode {
		s.record.PermissionMode = mode
		s.touch()
	}
}

// meddled returns which input of another program a frame reveals, "" for none.
func (s *Session) meddled(f wire.Frame) string {
	switch f := f.(type) {
	case *wire.ControlResponse:
		// Answers to Parley's own requests don't get here.
		return "it answered a request that Parley did not make"
	case *wire.CommandLifecycle:
		// The CLI doesn't queue prompts of its own, such as those of its schedule.
		if f.State == "queued" && !s.wrote(f.CommandUUID) {
			return "it was given a prompt that Parley did not send"
		}
	case *wire.User:
		// The CLI replays its input.
		if f.IsReplay && !s.wrote(f.UUID) && !s.ownOutput(f) {
			return "it was given a prompt that Parley did not send"
		}
	}
	return ""
}

// wrote reports whether Parley sent a message.
func (s *Session) wrote(uuid string) bool {
	return s.given.sent[uuid] || s.byUUID(uuid) != nil || s.onlyNotes([]string{uuid})
}

// ownOutput reports whether a message is the output of one of the CLI's own commands
// while one runs, or the CLI's note about a model change: the model gets both in the
// same way.
func (s *Session) ownOutput(f *wire.User) bool {
	if len(f.Message.Content) != 1 || !strings.HasPrefix(f.Message.Content[0].Text, "<local-command-std") {
		return false
	}
	if strings.HasPrefix(f.Message.Content[0].Text, "<local-command-stdout>Set model to ") && time.Now().Before(s.given.model) {
		return true
	}
	return s.process != nil && s.process.own != "" ||
		slices.ContainsFunc(s.prompts, func(p *prompt) bool { return p.taken() && strings.HasPrefix(p.Said(), "/") })
}

// ownCommand follows the CLI's own commands.
func (s *Session) ownCommand(f *wire.CommandLifecycle) {
	switch r := s.process; {
	case r == nil || s.wrote(f.CommandUUID):
	case f.State == "started":
		r.own = f.CommandUUID
	case r.own == f.CommandUUID:
		r.own = ""
	}
}

// ran checks the results of tools: if a tool ran while its question is open,
// another program answered it.
func (s *Session) ran(f *wire.User) {
	for _, b := range f.Message.Content {
		if b.Type != "tool_result" || b.IsError {
			continue
		}
		for id, q := range s.openAsks {
			if q.ToolUseID == b.ToolUseID && q.ToolUseID != "" {
				s.checkAnswer(s.process, id)
			}
		}
	}
}

// checkAnswer raises the alarm unless the question has been answered after
// all.
func (s *Session) checkAnswer(r *running, requestID string) {
	if r == nil {
		return
	}
	s.helpers.Go(func() {
		select {
		case <-r.gone:
			return
		case <-time.After(answerGrace):
		}
		if s.cfg.Questions.Open(requestID) {
			s.post(func() {
				if s.process == r {
					s.intruded("one of its requests was answered outside Parley")
				}
			})
		}
	})
}

// intruded stops a process that received foreign input, and warns users.
func (s *Session) intruded(what string) {
	r := s.process
	if r == nil || r.distrusted {
		return
	}
	r.distrusted = true
	s.lg.Warn("Foreign input reached the CLI; stopping its process", "reason", what)
	e := &event.Error{
		Code:    event.FailIntruder,
		Message: "Another program sent commands to Claude Code in this session: " + what + ".",
		Hint: "Parley stopped the turn. The next prompt starts a new process in the mode that you chose. " +
			"Check the last commands: one of them may have started that program.",
	}
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint}
	s.emit(e)
	if s.cfg.Audit != nil {
		s.cfg.Audit.Intruded(s.id, s.turn.id, what)
	}
	if r.adopted && choice.Asking().Beyond(s.given.mode, "default") {
		s.given.mode, s.record.PermissionMode = "", "" // it may not have been the user's settings
	}
	s.touch()
	mode := s.record.PermissionMode
	_ = s.interrupt(ByParley) // a closed session has nothing to stop
	s.helpers.Go(func() {
		if mode != "" {
			ctx, cancel := context.WithTimeout(context.Background(), setBackWait)
			defer cancel()
			if _, err := r.Control(ctx, wire.SetPermissionMode(mode)); err != nil {
				s.lg.Warn("Couldn't restore the CLI's permission mode", "err", err)
			}
		}
		s.post(func() { s.stopProcess(r) })
	})
}
