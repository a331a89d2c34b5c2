// Package relay connects sessions to Mattermost threads, both ways: a thread starts a
// session and talks to it, and a desktop session is mirrored in a thread.
//
// # Every post once
//
// Incoming events are written to their thread's record before [Relay.Handle] returns,
// so the chat needn't deliver them again; duplicates are merged. From there a post
// moves through Inbox, Waiting, Sent, and each step is written before the next one
// starts. A prompt's id is derived from its first post's and is written, with all its
// posts, before it is sent: after a crash the same prompt is sent again, which sessions
// recognize. Commands are the opposite: one that was started is never run again, and
// the thread is told.
//
// Every post of the relay has a key derived from its purpose, so that a retry doesn't
// create a second post.
//
// # While a turn continues
//
// The first message is sent into the running turn, as the session and its CLI see fit; the
// number of resulting turns isn't assumed. Later messages wait until the session is idle
// and its answers are in the thread, so that no answer is skipped if the chat is slow. Then
// adjacent messages by the same person are sent as one prompt.
//
// # Who may
//
// Everything that comes in passes [Gate] before any of it reaches a session, a command
// or a question. Posts by bots and the server are ignored.
//
// # Bounds
//
// A thread holds at most 100 items, 100 waiting messages and 1,000 events; further items are
// refused and must be delivered again, authors of further messages are told, and missed
// events are recovered from the session's history. At most [MaxThreads] threads are
// remembered; the least recently used are dropped, and a reply in a dropped one starts a
// session that gets the thread's text. An inactive thread has no goroutine and no stream.
//
// # Goroutines
//
// Each thread has a lane for posts, one for reactions, and one for notes and records; a
// lane has a goroutine while there is work, and its steps run one at a time. The stream of
// an active thread has one (package post), the questions have one (package ask). The relay
// has one that closes idle streams, one that receives session events, and one that
// recovers missed events while there are any. Close waits for all of them. No lock is held
// while waiting for the chat, a session or the disk, except to order the writes of one
// thread.
//
// The package knows neither the chat server nor how sessions run.
package relay
