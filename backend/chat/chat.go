// Package chat is what Parley says and hears in a team chat: people, channels, posts
// and what happens to them, in plain values. It is a leaf: it does no I/O and knows
// neither the chat's server (package mattermost) nor what is made of it (package
// relay).
//
// All times are Unix milliseconds, all sizes bytes unless they say characters.
package chat

import (
	"errors"
	"time"
)

// Errors of a chat that callers tell apart with errors.Is.
var (
	// ErrGone: the post, file, channel or person does not exist (any more).
	ErrGone = errors.New("it is not there any more")
	// ErrForbidden: the account may not do this. Nothing changes by trying again.
	ErrForbidden = errors.New("the account may not do this")
	// ErrOffline: there is no connection, or the server did not answer in time after all
	// tries. What was asked for may have happened: it is asked again with the same key.
	ErrOffline = errors.New("the chat cannot be reached")
	// ErrTooLarge: a text or file is over the server's limit.
	ErrTooLarge = errors.New("it is too large for the chat")
)

// Person is somebody with an account.
type Person struct {
	ID string `json:"id"`
	// Username is without the "@". Name is what people read, never empty.
	Username string `json:"username"`
	Name     string `json:"name"`
	Bot      bool   `json:"bot,omitempty"`
	// Guests have no rights but those given to them by name, deactivated accounts none.
	Guest       bool `json:"guest,omitempty"`
	Deactivated bool `json:"deactivated,omitempty"`
	// TeamIDs are the teams that the user is known to be in, when it was asked for.
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
	// Title is what people read.
	Title string `json:"title"`
}

// Channel is where posts are.
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

// File is what comes with a post.
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
	// RootID is the first post of the thread, "" for one that begins a thread.
	RootID   string `json:"rootId"`
	AuthorID string `json:"authorId"`
	Text     string `json:"text"`
	Files    []File `json:"files,omitempty"`
	At       int64  `json:"at"`
	EditedAt int64  `json:"editedAt,omitempty"`
	// Mine is true for posts of Parley's own account, System for those that the server
	// made ("… joined the channel"), Automated for those of other bots and of webhooks.
	Mine      bool `json:"mine,omitempty"`
	System    bool `json:"system,omitempty"`
	Automated bool `json:"automated,omitempty"`
	// Key is the key that it was sent with when it is one of ours and the server says so.
	Key string `json:"key,omitempty"`
}

// Thread is the id of the thread's first post.
func (p Post) Thread() string {
	if p.RootID != "" {
		return p.RootID
	}
	return p.ID
}

// NewPost is a message to be sent.
type NewPost struct {
	// Key makes sending idempotent: a second post with the same key is not made, however
	// often and from whichever run of Parley it is sent. Required; at most 60 of
	// [A-Za-z0-9_-].
	Key       string
	ChannelID string
	RootID    string
	// Text has at most [Limits.Text] characters.
	Text    string
	FileIDs []string
	// Buttons may be left out by a server that cannot call back.
	Buttons []Button
}

// Button is one of a post's.
type Button struct {
	// ID is unique in the post: [a-z0-9]+. Label is what people read.
	ID    string
	Label string
	// Style is "default", "primary" or "danger".
	Style string
}

// Reaction is an emoji that somebody gave a post.
type Reaction struct {
	PostID   string
	PersonID string
	// Emoji is its name without colons: "+1".
	Emoji string
	At    int64
}

// Limits are the server's.
type Limits struct {
	// Text is in characters (16,383 for Mattermost), Files how many a post can have.
	Text, Files int
	// FileBytes bounds one file.
	FileBytes int64
	// EditFor is for how long a post may be edited, 0 for ever.
	EditFor time.Duration
}

// Incoming is something that happened in the chat, one of the types below. Somebody's
// own doings come back too: Post.Mine and Me tell them.
type Incoming interface{ incoming() }

// Posted is a new post.
type Posted struct{ Post Post }

// Edited is a post whose text was changed.
type Edited struct{ Post Post }

// Deleted is a post that is gone. Only ID, ChannelID and RootID are sure to be set.
type Deleted struct{ Post Post }

// Reacted and Unreacted are about reactions. Post is what it was given to.
type Reacted struct {
	Reaction Reaction
	Post     Post
}

// Unreacted takes a reaction back.
type Unreacted struct {
	Reaction Reaction
	Post     Post
}

// Pressed is a button of a post of ours. Key is the one that the post was sent with.
type Pressed struct {
	PostID, Key, ButtonID, PersonID string
	At                              int64
}

func (Posted) incoming()    {}
func (Edited) incoming()    {}
func (Deleted) incoming()   {}
func (Reacted) incoming()   {}
func (Unreacted) incoming() {}
func (Pressed) incoming()   {}

// Connection is how it is with the connection.
type Connection struct {
	// State is "off", "connecting", "connected", "waiting" (for the next try) or "refused"
	// (the token or the address is wrong: it is tried rarely until somebody changes it).
	State string `json:"state"`
	// Reason is a sentence that says what is wrong and what to do, "" when connected.
	Reason string `json:"reason"`
	// Since is when it became so, RetryAt when the next try is, 0 for none.
	Since   int64 `json:"since"`
	RetryAt int64 `json:"retryAt,omitempty"`
	// Server is the address, Version what it says it is, Me who Parley is there.
	Server  string `json:"server"`
	Version string `json:"version"`
	Me      Person `json:"me"`
	// Reconnects counts the times the connection was lost since the start, CaughtUp the
	// posts and reactions that were fetched after gaps.
	Reconnects int64 `json:"reconnects"`
	CaughtUp   int64 `json:"caughtUp"`
}
