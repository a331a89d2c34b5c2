package tmux

import (
	"errors"
	"strings"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrMissing: the program tmux is not installed.
	ErrMissing = errors.New("tmux is not installed")
	// ErrNoPane: no pane is called so, or the CLI is not in its foreground (any more).
	ErrNoPane = errors.New("there is no such pane that runs the CLI")
	// ErrAmbiguous: a session has several panes that run the CLI.
	ErrAmbiguous = errors.New("several panes run the CLI")
	// ErrNotAsking: nothing is asked on the screen.
	ErrNotAsking = errors.New("nothing is asked on the screen")
	// ErrOther: what is asked is not what was shown. Nothing was typed.
	ErrOther = errors.New("the screen shows something else than what was shown")
	// ErrBusy: the pane does not wait for text: it asks something, or shows something that
	// is unknown.
	ErrBusy = errors.New("the pane does not wait for text")
	// ErrCut: a part of the question is not on the screen.
	ErrCut = errors.New("a part of the question is above the screen")
	// ErrChoice: the question has no such option.
	ErrChoice = errors.New("the question has no such option")
	// ErrDraft: somebody has typed something in the pane and not sent it.
	ErrDraft = errors.New("something is typed there already")
	// ErrUnsure: keys were sent, and the screen does not show what should follow.
	ErrUnsure = errors.New("the screen does not show what should follow")
	// ErrInvalid: a name, folder or text cannot be used; what is wrapped says why.
	ErrInvalid = errors.New("it cannot be used")
	// ErrFull: no more panes can be watched.
	ErrFull = errors.New("too many panes are watched")
)

// State is what the CLI in a pane does, as far as its screen tells.
type State string

// The states.
const (
	// Working: a turn runs.
	Working State = "working"
	// Permission: it asks whether it may do something; Question: it asks something else
	// that has options.
	Permission State = "permission"
	Question   State = "question"
	// Idle: it waits for a prompt.
	Idle State = "idle"
	// Errored: it waits for a prompt, and the last thing that it said is an error.
	Errored State = "errored"
	// Unknown: the screen shows nothing that is known; a user has to look.
	Unknown State = "unknown"
	// Ended: the CLI is gone, the pane may be.
	Ended State = "ended"
)

// Pane is a pane whose foreground is the CLI.
type Pane struct {
	// ID is tmux's own: "%3". Target is what people call it: "code:1.0".
	ID     string `json:"id"`
	Target string `json:"target"`
	// Session is its session's name, Folder the CLI's working directory.
	Session string `json:"session"`
	Folder  string `json:"folder"`
	// PID is the CLI's.
	PID int `json:"pid"`
	// State is what its screen shows.
	State   State `json:"state"`
	Watched bool  `json:"watched"`
}

// Screen is what a pane shows.
type Screen struct {
	Pane Pane `json:"pane"`
	// Text are its newest lines, without colours.
	Text  string `json:"text"`
	State State  `json:"state"`
	// Asked is the text of the question that it shows, "" for none. Whole is false when
	// the question begins above the screen: then it cannot be answered from here.
	Asked string `json:"asked"`
	Whole bool   `json:"whole"`
	// Fingerprint names the question: another one has another, and so has the same one
	// when it is asked again after it was answered from here.
	Fingerprint string   `json:"fingerprint"`
	Options     []Option `json:"options"`
	// Said is the last thing that the CLI said, at most 500 characters of it.
	Said string `json:"said"`

	// draft is what stands where prompts are written, drafted is true when there is something; calm changes
	// when what is shown does, apart from clocks and counters.
	draft   string
	drafted bool
	calm    string
}

// Option is one that a question has, with the digit that chooses it.
type Option struct {
	Number int    `json:"number"`
	Label  string `json:"label"`
}

// no is the option that refuses what is asked for, 0 for none.
func (s *Screen) no() int {
	for _, o := range s.Options {
		if o.Label == no || strings.HasPrefix(o.Label, no+",") {
			return o.Number
		}
	}
	return 0
}

// Yes is the option that allows what is asked for this once, 0 for none.
func (s *Screen) Yes() int {
	for _, o := range s.Options {
		if o.Label == yes {
			return o.Number
		}
	}
	return 0
}

// Spawn is a terminal session to be started.
type Spawn struct {
	// Name is the session's: 1 to 64 letters, digits, "_" and "-". "" makes one.
	Name string `json:"name"`
	// Folder is absolute and exists. Prompt is what the CLI begins with, "" for nothing.
	Folder string `json:"folder"`
	Prompt string `json:"prompt"`
}

// Watch is a pane that is watched, and where to tell what becomes of it.
type Watch struct {
	// Target is as a user named it, then the pane's.
	Target string `json:"target"`
	// PaneID and PID tell whether it is still the same one.
	PaneID string `json:"paneId"`
	PID    int    `json:"pid"`
	Folder string `json:"folder"`
	// ChannelID and ThreadID are where alerts go, "" for a notice on this computer.
	ChannelID string `json:"channelId"`
	ThreadID  string `json:"threadId"`
	CreatedAt int64  `json:"createdAt"`
	// Told is what there was an alert about last, so that a Parley that starts again does
	// not repeat it.
	Told string `json:"told,omitempty"`
	// Begun says that it was started with a prompt, so that nobody has seen what it shows
	// first, and that it is done as soon as there is an answer.
	Begun bool `json:"begun,omitempty"`
}

// Alert is a transition of a watched pane.
type Alert struct {
	Watch Watch
	// Screen is what it showed; of a pane that is gone only its Pane.
	Screen Screen
	// What is "permission", "question", "idle", "errored", "stalled" or "ended".
	What string
	At   int64
}
