package event

import "strings"

// ViaDevice is the Via of who wrote on a paired device.
const ViaDevice = "device"

// Author is who wrote a prompt when it was not whoever sits at this Parley.
type Author struct {
	// Via is "mattermost", or "device" for a paired device.
	Via string `json:"via"`
	// Username is without the "@", "" for a device; Name is what people read.
	Username string `json:"username"`
	Name     string `json:"name"`
}

// deviceMark ends what [ByDevice] gives; who is in a chat has another ending.
const deviceMark = " (device)"

// ByDevice names a paired device as the one who did something. It is named like a user,
// for it stands for one: "@Phone (device)".
func ByDevice(name string) string { return "@" + name + deviceMark }

// DeviceOf is the name of the device in what [ByDevice] gave.
func DeviceOf(by string) (name string, ok bool) {
	name, at := strings.CutPrefix(by, "@")
	name, mark := strings.CutSuffix(name, deviceMark)
	return name, at && mark
}

// Own says whether it is the user whose Parley it is: here, or on a device of theirs.
func (a *Author) Own() bool { return a == nil || a.Via == ViaDevice }

// Mirror is the thread of a team chat in which a session is shown.
type Mirror struct {
	// On is false while nothing is shown; the thread stays, and continues when it is
	// switched on again.
	On        bool   `json:"on"`
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	// Channel is the channel's title, Link the thread's address in a browser.
	Channel string `json:"channel"`
	Link    string `json:"link"`
	// Began is true where the session began in the thread, and not here.
	Began bool `json:"began"`
	// Problem is a sentence when what is new cannot be shown, "" otherwise.
	Problem string `json:"problem,omitempty"`
}

// ChatChanged says that the connection to the chat, or its configuration, has changed.
type ChatChanged struct {
	Whole
	// State is "off", "connecting", "connected", "waiting" or "refused".
	State string `json:"state"`
	// Mirrors counts the sessions that are shown in threads now.
	Mirrors int `json:"mirrors"`
}

// EventName implements [Event].
func (*ChatChanged) EventName() string { return "chat.changed" }
