package session

import "parley/backend/event"

// Shell adds the progress of a user's shell command to the conversation, with its
// output. With a note, the model is informed at the next prompt. It reports
// whether the session exists.
func (r *Registry) Shell(sessionID string, e *event.ShellUpdate, note *Note) bool {
	return r.tell(sessionID, func(s *Session) {
		if s.state == Closed {
			return // its end was already reported
		}
		if note != nil {
			s.addNote(*note) // callers that see the command end may rely on it
		}
		s.shell(e)
	})
}

// ShellOutput appends to a command's output.
func (r *Registry) ShellOutput(sessionID, messageID, text string) bool {
	return r.tell(sessionID, func(s *Session) {
		if _, runs := s.shells[messageID]; !runs {
			return
		}
		s.emitIn("", &event.TextDelta{MessageID: messageID, BlockID: messageID + ":0", Text: text})
	})
}

// Ended returns a channel that is closed when a session's owner is gone (fault
// not_found without one).
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

// shell publishes the progress of a command.
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

// stopShells reports the commands that end with their session.
func (s *Session) stopShells() {
	for id, shell := range s.shells {
		shell.State, shell.ExitCode = "stopped", -1
		s.shell(&event.ShellUpdate{MessageID: id, Shell: shell})
	}
}
