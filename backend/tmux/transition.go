package tmux

// What an alert is about, besides a state.
const stalled = "stalled"

// watching is a watched pane with what is known of it. Its fields belong to the
// supervisor's mu.
type watching struct {
	Watch
	state State
	// calm and same say since how many looks nothing has changed while a turn runs.
	calm string
	same int
	// quiet is true when it was said that it is stalled, until something changes.
	quiet bool
}

// see takes a look at the screen, and returns what there is an alert about, "" for
// nothing. Only a change makes one: not what the clocks of a status
// line show, and not an idle terminal that was idle before.
func (w *watching) see(s *Screen, stall int) string {
	before := w.state
	if s.State != Unknown { // a moment between two, or something that a user looks at
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
			return "" // it has not begun yet
		}
		if before == "" && w.Told == "" && !w.Begun {
			w.Told = string(s.State) // it was so when the watch began
			return ""
		}
		return w.tell(string(s.State), "")
	}
	return ""
}

// tell returns what, unless that was told of the same already.
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
