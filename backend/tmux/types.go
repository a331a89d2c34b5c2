package tmux

import (
	"errors"
	"strings"
)

// Errors to distinguish with errors.Is.
var (
	// ErrMissing: the program tmux is not installed.
	ErrMissing = errors.New("tmux is not installed")
	// ErrNoPane: there is no such pane, or the CLI isn't, or no longer, in its
	// foreground.
	ErrNoPane = errors.New("there is no such pane that runs the CLI")
	// ErrAmbiguous: several panes of a session run the CLI.
	ErrAmbiguous = errors.New("several panes run the CLI")
	// ErrNotAsking: there is no question on the screen.
	ErrNotAsking = errors.New("nothing is asked on the screen")
	// ErrOther: the question isn't the one that was shown. Nothing was typed.
	ErrOther = errors.New("the screen shows something else than what was shown")
	// ErrBusy: the pane doesn't wait for text: it has a question, or an unknown screen.
	ErrBusy = errors.New("the pane does not wait for text")
	// ErrCut: a part of the question isn't on the screen.
	ErrCut = errors.New("a part of the question is above the screen")
	// ErrChoice: the question has no such option.
	ErrChoice = errors.New("the question has no such option")
	// ErrDraft: the pane has an unsent draft.
	ErrDraft = errors.New("something is typed there already")
	// ErrUnsure: keys were sent, and the screen doesn't show the expected result.
	ErrUnsure = errors.New("the screen does not show what should follow")
	// ErrInvalid: an invalid name, folder or text; the wrapped error says why.
	ErrInvalid = errors.New("it cannot be used")
	// ErrFull: no more panes can be watched.
	ErrFull = errors.New("too many panes are watched")
)

// State is the CLI's state in a pane, as far as its screen shows.
type State string

// The states.
const (
	// Working: a turn runs.
	Working State = "working"
	// Permission: it asks for permission; Question: it asks another question with
	// options.
	Permission State = "permission"
	Question   State = "question"
	// Idle: it waits for a prompt.
	Idle State = "idle"
	// Errored: it waits for a prompt, and its last message is an error.
	Errored State = "errored"
	// Unknown: the screen isn't recognized; a user must look.
	Unknown State = "unknown"
	// Ended: the CLI is gone, and the pane may be.
	Ended State = "ended"
)

// Pane is a pane with the CLI in the foreground.
type Pane struct {
	// ID is tmux's own: "%3". Target is its readable name: "code:1.0".
	ID     string `json:"id"`
	Target string `json:"target"`
	// Session is its session's name, Folder the CLI's working directory.
	Session string `json:"session"`
	Folder  string `json:"folder"`
	// PID is the CLI's.
	PID int `json:"pid"`
	// State is the state according to its screen.
	State   State `json:"state"`
	Watched bool  `json:"watched"`
}

// Screen is the contents of a pane.
type Screen struct {
	Pane Pane `json:"pane"`
	// Text are its newest lines, without colors.
	Text  string `json:"text"`
	State State  `json:"state"`
	// Asked is the text of its question, "" for none. Whole is false if the question
	// starts above the screen: then it can't be answered from here.
	Asked string `json:"asked"`
	Whole bool   `json:"whole"`
	// Fingerprint identifies the question: it differs for another one, and for the
	// same one asked again after it was answered from here.
	Fingerprint string   `json:"fingerprint"`
	Options     []Option `json:"options"`
	// Said is the CLI's last message, at most 500 characters of it.
	Said string `json:"said"`

	// draft is the composer's text, drafted is true if there is any; calm changes with the
	// contents, ignoring clocks and counters.
	draft   string
	drafted bool
	calm    string
}

// Option is a question's option, with the digit that chooses it.
type Option struct {
	Number int    `json:"number"`
	Label  string `json:"label"`
}

// no returns the option that denies the request, 0 for none.
func (s *Screen) no() int {
	for _, o := range s.Options {
		if o.Label == no || strings.HasPrefix(o.Label, no+",") {
			return o.Number
		}
	}
	return 0
}

// Yes returns the option that allows the request once, 0 for none.
func (s *Screen) Yes() int {
	for _, o := range s.Options {
		if o.Label == yes {
			return o.Number
		}
	}
	return 0
}

// Spawn is a terminal session to start.
type Spawn struct {
	// Name is the session's: 1 to 64 letters, digits, "_" and "-". "" generates
	// one.
	Name string `json:"name"`
	// Folder is absolute and exists. Prompt is the CLI's first prompt, "" for none.
	Folder string `json:"folder"`
	Prompt string `json:"prompt"`
}

// Watch is a watched pane, and where to report its alerts.
type Watch struct {
	// Target is the name a user gave, and then the pane's.
	Target string `json:"target"`
	// PaneID and PID identify the pane.
	PaneID string `json:"paneId"`
	PID    int    `json:"pid"`
	Folder string `json:"folder"`
	// ChannelID and ThreadID are where alerts go, "" for a notice on this computer.
	ChannelID string `json:"channelId"`
	ThreadID  string `json:"threadId"`
	CreatedAt int64  `json:"createdAt"`
	// Told is the subject of the last alert, so that a restarted Parley does
	// not repeat it.
	Told string `json:"told,omitempty"`
	// Begun is true if it was started with a prompt: no user has seen what it shows
	// first, and it is done as soon as there is an answer.
	Begun bool `json:"begun,omitempty"`
}

// Alert is a transition of a watched pane.
type Alert struct {
	Watch Watch
	// Screen is its screen; if the pane is gone, only its Pane is set.
	Screen Screen
	// What is "permission", "question", "idle", "errored", "stalled" or "ended".
	What string
	At   int64
}
