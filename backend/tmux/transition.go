package tmux

// The subject of an alert, in addition to the states.
const stalled = "stalled"

// watching is a watched pane with its state. The supervisor's mu guards its
// fields.
type watching struct {
	Watch
	state State
	// calm and same count the unchanged checks during a turn.
	calm string
	same int
	// quiet is true after a stall was reported, until something changes.
	quiet bool
}

// see evaluates the screen, and returns the subject of an alert, "" for none. Only
// a change causes one: not the clocks of a status line, and not an idle terminal
// that was already idle.
func (w *watching) see(s *Screen, stall int) string {
	before := w.state
	if s.State != Unknown { // a moment between two states, or something that a user is viewing
		w.state = s.State
	}
	switch s.State {
	case Permission, Question:
		w.same, w.quiet = 0, false
		return w.tell(string(s.State), s.Fingerprint)
	case Working:
		w.Told = string(Working)
		if s.calm != w.calm {
			w.calm, w.same, w.quiet = s.calm, 0, false
			return ""
		}
		if w.same++; w.same >= stall && !w.quiet {
			w.quiet = true
			return stalled
		}
	case Idle, Errored:
		w.same, w.quiet = 0, false
		if w.Begun && w.Told == "" && s.State == Idle && s.Said == "" {
			return "" // it hasn't started yet
		}
		if before == "" && w.Told == "" && !w.Begun {
			w.Told = string(s.State) // it was so when the watch started
			return ""
		}
		return w.tell(string(s.State), "")
	}
	return ""
}

// tell returns what, unless the same was already reported.
func (w *watching) tell(what, which string) string {
	key := what + " " + which
	if which == "" {
		key = what
	}
	if w.Told == key {
		return ""
	}
	w.Told = key
	return what
}
