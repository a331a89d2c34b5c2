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

// Whoever can write into the CLI's input is obeyed like Parley itself, and what could be
// written there is not only words: a mode in which nobody is asked, rules, an answer to
// an open question. The streams are made so that nobody else can open them, see package
// claude. This file is for the case that somebody finds a way anyway, a debugger
// for example: the CLI says what it was told, and Parley knows what it told it.
//
// What was not Parley's word ends the process: nobody can know what else it was told.
// The next prompt gets a new one, with the mode that people gave.

const (
	// askedFor is how long the CLI may take to say that it is in a mode that was asked
	// for: until it has answered, and some more for what it said before.
	askedFor = controlWait + 10*time.Second
	// setBackWait is how long it may take to go back to the mode that people gave.
	setBackWait = time.Second
	// answerGrace is how long after a tool's result its question may be open, while word
	// of its end is on the way.
	answerGrace = time.Second
	// maxSent bounds the messages that are known to be Parley's.
	maxSent = 4096
	// ByParley is who stopped a turn that somebody else meddled with.
	ByParley = "parley"
)

// given is what Parley told the CLI of a session, and the people behind it.
type given struct {
	// mode is the laxest permission mode that people gave; "" leaves it to the CLI's own
	// settings until it says what they are.
	mode string
	// before is the mode that "plan" took the place of, "" for none.
	before string
	// asked says until when the CLI may say that it is in a mode.
	asked map[string]time.Time
	// model is until when it may tell the model that this was changed.
	model time.Time
	// sent are the uuids of the last messages, in the order of their writing.
	sent  map[string]bool
	order []string
}

// ask notes that a mode is about to be asked for.
func (g *given) ask(mode string) {
	if g.asked == nil {
		g.asked = make(map[string]time.Time)
	}
	g.asked[mode] = time.Now().Add(askedFor)
}

// set notes that people gave a mode.
func (g *given) set(mode string) {
	if mode == "plan" && g.mode != "plan" {
		g.before = g.mode
	}
	g.mode = mode
}

// leavePlan notes that people approved a plan: the CLI goes back to the mode before.
func (g *given) leavePlan() {
	if g.mode == "plan" {
		g.mode, g.before = cmp.Or(g.before, "default"), ""
	}
}

// allows says whether the CLI may be in a mode.
func (g *given) allows(mode string) bool {
	return !choice.Asking().Beyond(mode, cmp.Or(g.mode, "default")) || time.Now().Before(g.asked[mode])
}

// wrote notes that a message goes to the CLI.
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

// PlanApproved tells a session that a plan was approved. The CLI must not hear of it
// before.
func (r *Registry) PlanApproved(ctx context.Context, id string) {
	r.give(ctx, id, func(s *Session) { s.given.leavePlan() })
}

// ModeGranted tells a session that an answer to its CLI brings a permission mode with it.
// The CLI must not hear of it before.
func (r *Registry) ModeGranted(ctx context.Context, id, mode string) {
	r.give(ctx, id, func(s *Session) {
		if choice.Asking().Beyond(mode, cmp.Or(s.given.mode, "default")) {
			s.given.set(mode)
		}
	})
}

// give changes what a session knows to be given, before it continues. A session that ends
// needs to know nothing.
func (r *Registry) give(ctx context.Context, id string, change func(*Session)) {
	if s, err := r.session(id); err == nil {
		_, _ = ask(ctx, s, func() (struct{}, error) {
			change(s)
			return struct{}{}, nil
		})
	}
}

// reportedMode takes the mode that the CLI says it is in. first says that it reports
// for duty, as it does before all else.
func (s *Session) reportedMode(mode string, first bool) {
	switch {
	case mode == "" || mode == s.record.PermissionMode && mode == s.given.mode:
		return
	case s.given.mode == "" && first:
		// The user left it to the settings of the CLI, which says now what they are.
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

// meddled says what of a frame shows that somebody else spoke to the CLI, "" for nothing.
func (s *Session) meddled(f wire.Frame) string {
	switch f := f.(type) {
	case *wire.ControlResponse:
		// Answers to what Parley asked do not come here.
		return "it answered a request that Parley did not make"
	case *wire.CommandLifecycle:
		// What the CLI says to itself, such as a prompt of its schedule, is not queued.
		if f.State == "queued" && !s.wrote(f.CommandUUID) {
			return "it was given a prompt that Parley did not send"
		}
	case *wire.User:
		// What came in is said again.
		if f.IsReplay && !s.wrote(f.UUID) && !s.ownOutput(f) {
			return "it was given a prompt that Parley did not send"
		}
	}
	return ""
}

// wrote says whether a message is one that Parley sent.
func (s *Session) wrote(uuid string) bool {
	return s.given.sent[uuid] || s.byUUID(uuid) != nil || s.onlyNotes([]string{uuid})
}

// ownOutput says whether a message is what one of the CLI's own commands printed while
// one runs, or its word that the model was changed: those are given to the model in the
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

// ownCommand follows what the CLI says to itself.
func (s *Session) ownCommand(f *wire.CommandLifecycle) {
	switch r := s.process; {
	case r == nil || s.wrote(f.CommandUUID):
	case f.State == "started":
		r.own = f.CommandUUID
	case r.own == f.CommandUUID:
		r.own = ""
	}
}

// ran looks at the results of tools that ran: one whose question is still open was
// answered by somebody else.
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

// checkAnswer raises the alarm unless a question turns out to be answered.
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
					s.intruded("a question of it was answered by somebody else")
				}
			})
		}
	})
}

// intruded ends a process that somebody else spoke to, and tells people.
func (s *Session) intruded(what string) {
	r := s.process
	if r == nil || r.distrusted {
		return
	}
	r.distrusted = true
	s.lg.Warn("Somebody else than Parley spoke to the CLI; ending its process", "what", what)
	e := &event.Error{
		Code:    event.FailIntruder,
		Message: "Another program sent commands to this session's CLI: " + what + ".",
		Hint: "Parley stopped the turn. The next prompt starts a new process in the mode that you chose. " +
			"Check the last commands: one of them may have started that program.",
	}
	s.record.Error = &event.SessionError{Code: e.Code, Message: e.Message, Hint: e.Hint}
	s.emit(e)
	if s.cfg.Intruded != nil {
		s.cfg.Intruded(s.id, s.turn.id, what)
	}
	if r.adopted && choice.Asking().Beyond(s.given.mode, "default") {
		s.given.mode, s.record.PermissionMode = "", "" // perhaps it was not the user's settings
	}
	s.touch()
	mode := s.record.PermissionMode
	_ = s.interrupt(ByParley) // a session that is closed has nothing to stop
	s.helpers.Go(func() {
		if mode != "" {
			ctx, cancel := context.WithTimeout(context.Background(), setBackWait)
			defer cancel()
			if _, err := r.Control(ctx, wire.SetPermissionMode(mode)); err != nil {
				s.lg.Warn("The CLI did not go back to the permission mode that was given", "err", err)
			}
		}
		s.post(func() { s.stopProcess(r) })
	})
}
