// Package post makes posts of a thread out of what happens in a session: it renders
// turns as the text of posts, and keeps a thread's posts up to date while a turn continues.
//
// Rendering is pure: [Split], [Tame], [Quote], [Fence], [Code], [Escape], [Table] and the
// turns of this package are values in, text out. A [Stream] does the rest: it takes the
// events of one session and brings the posts of one thread to what they add up to, by way
// of a chat (package port). It owns one goroutine from [NewStream] to [Stream.Close],
// which makes one call to the chat at a time; what a stream holds is bounded.
//
// It does not know which sessions are shown where, who may see them, and how questions
// are asked.
package post
