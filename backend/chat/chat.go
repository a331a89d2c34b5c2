// Package chat defines the plain values of a team chat: people, channels, posts and
// events. It is a leaf: it does no I/O and knows neither the chat server (package
// mattermost) nor how its events are used (package relay).
//
// All times are Unix milliseconds, all sizes bytes unless noted.
package chat

import (
	"errors"
	"time"
)

// Errors of a chat that callers tell apart with errors.Is.
var (
	// ErrGone: the post, file, channel or person doesn't exist, or no longer.
	ErrGone = errors.New("it no longer exists")
	// ErrForbidden: the account lacks the permission. A retry won't help.
	ErrForbidden = errors.New("the account may not do this")
	// ErrOffline: there is no connection, or the server didn't answer in time after all
	// retries. The request may have succeeded; it is repeated with the same key.
	ErrOffline = errors.New("the chat cannot be reached")
	// ErrTooLarge: a text or file is over the server's limit.
	ErrTooLarge = errors.New("it is too large for the chat")
)

// Person is a user account.
type Person struct {
	ID string `json:"id"`
	// Username is without the "@". Name is for display, never empty.
	Username string `json:"username"`
	Name     string `json:"name"`
	Bot      bool   `json:"bot,omitempty"`
	// Guests only have rights granted to them by name, deactivated accounts none.
	Guest       bool `json:"guest,omitempty"`
	Deactivated bool `json:"deactivated,omitempty"`
	// TeamIDs are the known teams of the user, if they were requested.
	TeamIDs []string `json:"teamIds,omitempty"`
}

// Kinds of channels.
const (
	Open    = "open"
	Private = "private"
	Direct  = "direct"
	Group   = "group"
)

// Team is a group of channels and people.
type Team struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Title is for display.
	Title string `json:"title"`
}

// Channel is a channel of posts.
type Channel struct {
	ID string `json:"id"`
	// TeamID is "" for direct and group messages.
	TeamID string `json:"teamId"`
	Name   string `json:"name"`
	Title  string `json:"title"`
	// Kind is one of the constants.
	Kind string `json:"kind"`
	// Archived channels take no posts.
	Archived bool `json:"archived,omitempty"`
}

// File is a post's attachment.
type File struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Bytes     int64  `json:"bytes"`
}

// Post is one message.
type Post struct {
	ID        string `json:"id"`
	ChannelID string `json:"channelId"`
	// RootID is the first post of the thread, "" if this post starts one.
	RootID   string `json:"rootId"`
	AuthorID string `json:"authorId"`
	Text     string `json:"text"`
	Files    []File `json:"files,omitempty"`
	At       int64  `json:"at"`
	EditedAt int64  `json:"editedAt,omitempty"`
	// Mine is true for posts of Parley's own account, System for those of the server
	// ("… joined the channel"), Automated for those of other bots and of webhooks.
	Mine      bool `json:"mine,omitempty"`
	System    bool `json:"system,omitempty"`
	Automated bool `json:"automated,omitempty"`
	// Key is the key it was sent with, if it is ours and the server returns it.
	Key string `json:"key,omitempty"`
}

// Thread returns the id of the thread's first post.
func (p Post) Thread() string {
	if p.RootID != "" {
		return p.RootID
	}
	return p.ID
}

// NewPost is a post to send.
type NewPost struct {
	// Key makes sending idempotent: a second post with the same key isn't created,
	// however often and by whichever run of Parley it is sent. Required; at most 60 of
	// [A-Za-z0-9_-].
	Key       string
	ChannelID string
	RootID    string
	// Text has at most [Limits.Text] characters.
	Text    string
	FileIDs []string
	// Buttons may be omitted by a server that can't call back.
	Buttons []Button
}

// Button is a post's button.
type Button struct {
	// ID is unique in the post: [a-z0-9]+. Label is for display.
	ID    string
	Label string
	// Style is "default", "primary" or "danger".
	Style string
}

// Reaction is an emoji reaction to a post.
type Reaction struct {
	PostID   string
	PersonID string
	// Emoji is its name without colons: "+1".
	Emoji string
	At    int64
}

// Limits are the server's limits.
type Limits struct {
	// Text is in characters (16,383 for Mattermost), Files the maximum per post.
	Text, Files int
	// FileBytes is the maximum size of a file.
	FileBytes int64
	// EditFor is how long a post may be edited, 0 for no limit.
	EditFor time.Duration
}

// Incoming is an event of the chat, one of the types below. Parley's own actions come
// back too: Post.Mine and Me identify them.
type Incoming interface{ incoming() }

// Posted is a new post.
type Posted struct{ Post Post }

// Edited is a post whose text changed.
type Edited struct{ Post Post }

// Deleted is a deleted post. Only ID, ChannelID and RootID are always set.
type Deleted struct{ Post Post }

// ReactionAdded and Unreacted report added and removed reactions. Post is the
// target.
type ReactionAdded struct {
	Reaction Reaction
	Post     Post
}

// ReactionRemoved reports a removed reaction.
type ReactionRemoved struct {
	Reaction Reaction
	Post     Post
}

// ButtonPressed is a click on a button of one of our posts. Key is the key the post was
// sent with.
type ButtonPressed struct {
	PostID, Key, ButtonID, PersonID string
	At                              int64
}

func (Posted) incoming()          {}
func (Edited) incoming()          {}
func (Deleted) incoming()         {}
func (ReactionAdded) incoming()   {}
func (ReactionRemoved) incoming() {}
func (ButtonPressed) incoming()   {}

// Connection is the state of the connection.
type Connection struct {
	// State is "off", "connecting", "connected", "waiting" (for the next try) or "refused"
	// (the token or the address is wrong: it is rarely retried until it is changed).
	State string `json:"state"`
	// Reason is a sentence with the problem and what to do, "" when connected.
	Reason string `json:"reason"`
	// Since is the time of the last change, RetryAt the time of the next try, 0
	// for none.
	Since   int64 `json:"since"`
	RetryAt int64 `json:"retryAt,omitempty"`
	// Server is the address, Version the version it reports, Me Parley's account
	// there.
	Server  string `json:"server"`
	Version string `json:"version"`
	Me      Person `json:"me"`
	// Reconnects counts lost connections since the start, CaughtUp the posts and
	// reactions fetched after gaps.
	Reconnects int64 `json:"reconnects"`
	CaughtUp   int64 `json:"caughtUp"`
}
