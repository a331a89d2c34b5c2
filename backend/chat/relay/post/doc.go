// Package post turns a session's activity into posts of a thread: it renders turns as text,
// and keeps a thread's posts up to date during a turn.
//
// Rendering is pure: [Split], [Sanitize], [Quote], [Fence], [Code], [Escape], [Table] and the
// turns of this package map values to text. A [Stream] does the rest: it takes the events
// of one session and updates the posts of one thread to match them, through a chat
// (package port). It owns one goroutine from [NewStream] to [Stream.Close], which makes
// one call to the chat at a time; a stream's memory is bounded.
//
// It doesn't know which sessions are shown where, who may see them, or how questions
// are asked.
package post
