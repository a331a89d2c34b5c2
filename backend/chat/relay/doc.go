// Package relay ties sessions to the threads of a team chat, both ways: a thread begins
// a session and talks to it, and a session of the desktop is shown in a thread.
//
// # Every post once
//
// What the chat tells is written into the record of its thread before [Relay.Handle]
// returns, so the chat need not tell it again; what it tells twice is one. From there a
// post goes the way Inbox, Waiting, Sent, and each step is written before the next one
// begins. A prompt's id is made of its first post's and is written, with all posts that
// are in it, before it is sent: whoever finds it after a crash sends the same prompt
// again, which sessions recognise. Commands are the other way about: one that had begun
// is never run again, and the thread is told.
//
// Whatever the relay posts has a key that is made of what it is for, so that a repeated
// attempt makes no second post.
//
// # While a turn continues
//
// The first message goes into the running turn, as the session and its CLI see fit; how
// many turns come of it is not assumed. Those after it wait for the session to be at rest,
// and for what it answered to be in the thread, so that no answer is left out when the chat
// is slow. Then neighbours by the same person go out as one prompt.
//
// # Who may
//
// Everything that comes in passes [Gate] before anything of it reaches a session, a
// command or a question. Posts of machines and of the server are not looked at at all.
//
// # Bounds
//
// A thread holds at most 100 items, 100 messages that wait and 1,000 events; whoever tells
// more items is refused and has to tell them again, whoever writes more messages is told
// so, and missed events are made good from the session's history. At most [MaxThreads] threads are remembered; those
// used longest ago are forgotten, and a reply in one begins a session that is told what
// was written there. A thread with nothing to do has no goroutine and no stream.
//
// # Goroutines
//
// One lane each for a thread's posts, for reactions, and for what it has to note and to
// say; a lane has a goroutine while there is work, and each step of a lane is taken by one
// goroutine at a time. The stream of a thread in which something goes on has one (package
// post), the questions have one (package ask). The relay has one that puts idle streams
// away, one that the sessions tell their events, and one that makes missed events good
// while there are any. Close waits for all of them. No lock is held while the chat, a
// session or the disk is waited for, but for the order of writes of one thread.
//
// The package knows neither the chat's server nor how sessions are run.
package relay
