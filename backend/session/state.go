package session

import "fmt"

// State is what a session is doing.
type State string

const (
	// Idle: nothing is running, with or without a process; a prompt starts a turn.
	Idle State = "idle"
	// Starting: a CLI process was requested and hasn't sent output yet.
	Starting State = "starting"
	// Running: a turn is running.
	Running State = "running"
	// Waiting: a turn is running and waits for a user's answer.
	Waiting State = "waiting"
	// Interrupting: a user stopped the turn; the CLI hasn't confirmed.
	Interrupting State = "interrupting"
	// Compacting: the CLI is compacting the conversation.
	Compacting State = "compacting"
	// Failed: the last process died or couldn't be started; the next prompt
	// retries.
	Failed State = "failed"
	// Closed: a user closed the session, or it was left to a later Parley. It can
	// only be restored.
	Closed State = "closed"
)

// transitions lists every legal state change with its reasons. All others are
// refused: a session never "repairs" itself into an unforeseen state.
var transitions = map[State]map[State]string{
	Idle: {
		Starting:   "a prompt came, or one that waited is to go, and no process runs",
		Running:    "a prompt or a queued prompt is sent to a warm process; or the CLI started a turn on its own",
		Compacting: "the CLI summarizes on its own",
		Waiting:    "background work asks",
		Failed:     "the warm process died",
		Closed:     "the user closed it, or Parley ends",
	},
	Starting: {
		Running:      "the process took up the prompt",
		Waiting:      "the process asks before it says anything else",
		Interrupting: "the user stopped it before it began",
		Compacting:   "the first prompt was /compact",
		Idle:         "the prompt was answered or withdrawn without a turn",
		Failed:       "the process could not be started or died",
		Closed:       "the user closed it, or Parley ends",
	},
	Running: {
		Waiting:      "a tool needs an answer",
		Interrupting: "the user stopped it",
		Compacting:   "the context is full, or /compact",
		Idle:         "the turn ended",
		Starting:     "the process died with prompts waiting; a new one takes them up",
		Failed:       "the process died",
		Closed:       "the user closed it, or Parley ends",
	},
	Waiting: {
		Running:      "the last open question was answered",
		Interrupting: "the user stopped it",
		Compacting:   "the CLI summarises while background work asks",
		Idle:         "the turn ended and took its questions with it",
		Starting:     "the process died with prompts waiting; a new one takes them up",
		Failed:       "the process died",
		Closed:       "the user closed it, or Parley ends",
	},
	Interrupting: {
		Idle:     "the CLI confirmed",
		Running:  "the CLI confirmed and took up the next prompt",
		Waiting:  "the CLI confirmed and background work asks",
		Starting: "the process had to be ended and prompts wait",
		Failed:   "the process died",
		Closed:   "the user closed it, or Parley ends",
	},
	Compacting: {
		Running:      "the summary is ready and the turn continues",
		Waiting:      "background work asks",
		Interrupting: "the user stopped it",
		Idle:         "the summary is there",
		Starting:     "the process died with prompts waiting; a new one takes them up",
		Failed:       "the process died",
		Closed:       "the user closed it, or Parley ends",
	},
	Failed: {
		Starting: "the next prompt, or a held one that is sent, tries again",
		Idle:     "the user began a fresh conversation instead",
		Closed:   "the user closed it, or Parley ends",
	},
	Closed: {},
}

// next validates a state change.
func (s State) next(to State) error {
	if _, ok := transitions[s][to]; !ok {
		return fmt.Errorf("session: no way from %q to %q", s, to)
	}
	return nil
}

// busy reports whether a turn is running.
func (s State) busy() bool {
	switch s {
	case Starting, Running, Waiting, Interrupting, Compacting:
		return true
	}
	return false
}
