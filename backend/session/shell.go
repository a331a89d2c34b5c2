package session

import "parley/backend/event"

// Shell puts how a user's command goes into a session's conversation, with the
// pieces of its output. With a note the model hears of it with the next prompt. It
// says whether the session is there.
func (r *Registry) Shell(sessionID string, e *event.ShellUpdate, note *Note) bool {
	return r.tell(sessionID, func(s *Session) {
		if s.state == Closed {
			return // it was told to have ended
		}
		if note != nil {
			s.addNote(*note) // whoever sees that the command has ended may count on it
		}
		s.shell(e)
	})
}

// ShellOutput adds to what a command printed.
func (r *Registry) ShellOutput(sessionID, messageID, text string) bool {
	return r.tell(sessionID, func(s *Session) {
		if _, runs := s.shells[messageID]; !runs {
			return
		}
		s.emitIn("", &event.TextDelta{MessageID: messageID, BlockID: messageID + ":0", Text: text})
	})
}

// Ended is closed when a session's owner is gone (fault not_found without one).
func (r *Registry) Ended(sessionID string) (<-chan struct{}, error) {
	s, err := r.session(sessionID)
	if err != nil {
		return nil, err
	}
	return s.done, nil
}

func (r *Registry) tell(sessionID string, what func(*Session)) bool {
	s, err := r.session(sessionID)
	return err == nil && s.post(func() { what(s) })
}

// shell tells how a command goes.
func (s *Session) shell(e *event.ShellUpdate) {
	if s.shells == nil {
		s.shells = make(map[string]event.Shell)
	}
	_, runs := s.shells[e.MessageID]
	switch {
	case e.State == "running":
		s.shells[e.MessageID] = e.Shell
	case runs:
		delete(s.shells, e.MessageID)
		s.emitIn("", &event.BlockEnd{BlockID: e.MessageID + ":0"})
	}
	s.emitIn("", e)
}

// stopShells tells of the commands that end because their session does.
func (s *Session) stopShells() {
	for id, shell := range s.shells {
		shell.State, shell.ExitCode = "stopped", -1
		s.shell(&event.ShellUpdate{MessageID: id, Shell: shell})
	}
}
