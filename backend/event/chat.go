package event

import "strings"

// ViaDevice is the Via of an author on a paired device.
const ViaDevice = "device"

// Author is who wrote a prompt, if not the local user.
type Author struct {
	// Via is "mattermost", or "device" for a paired device.
	Via string `json:"via"`
	// Username is without the "@", "" for a device; Name is for display.
	Username string `json:"username"`
	Name     string `json:"name"`
}

// deviceMark is the suffix added by [ByDevice]; chat users have another one.
const deviceMark = " (device)"

// ByDevice names a paired device as an actor. It is named like a user, whom it
// represents: "@Phone (device)".
func ByDevice(name string) string { return "@" + name + deviceMark }

// DeviceOf returns the device's name in a result of [ByDevice].
func DeviceOf(by string) (name string, ok bool) {
	name, at := strings.CutPrefix(by, "@")
	name, mark := strings.CutSuffix(name, deviceMark)
	return name, at && mark
}

// Own reports whether the author is Parley's own user: here, or on a paired device.
func (a *Author) Own() bool { return a == nil || a.Via == ViaDevice }

// Mirror is the Mattermost thread in which a session is mirrored.
type Mirror struct {
	// On is false while mirroring is paused; the thread stays, and continues when it
	// is resumed.
	On        bool   `json:"on"`
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	// Channel is the channel's title, Link the thread's address in a browser.
	Channel string `json:"channel"`
	Link    string `json:"link"`
	// Began is true if the session was started in the thread, and not here.
	Began bool `json:"began"`
	// Problem is a sentence if updates can't be shown, "" otherwise.
	Problem string `json:"problem,omitempty"`
}

// ChatChanged reports that the Mattermost connection, or its configuration, has
// changed.
type ChatChanged struct {
	NoHeader
	// State is "off", "connecting", "connected", "waiting" or "refused".
	State string `json:"state"`
	// Mirrors counts the sessions currently mirrored in threads.
	Mirrors int `json:"mirrors"`
}

// EventName implements [Event].
func (*ChatChanged) EventName() string { return "chat.changed" }
