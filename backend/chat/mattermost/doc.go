// Package mattermost is the connection to a Mattermost server: it implements the
// relay's port.Chat over REST, and delivers events to one handler.
//
// # What is delivered, and how often
//
// [Client.Run] passes events to the handler one at a time, in order within each thread. A
// post created while Parley wasn't connected (a cut socket, a server restart, a stopped
// Parley) is delivered later: after every gap the posts and reactions since the last one
// seen are fetched, from a stored cursor per channel. The cursor only moves past what the
// handler accepted without an error; what it refuses is redelivered after a delay of up
// to a minute, and only blocks its own thread.
//
// Within a process, nothing is handled twice. A killed process may not have written the
// cursor of the last tenth of a second (see saveAfter): what was handled then is
// redelivered to the next one. The consumer detects that by id: Post.ID for a post, ID
// and EditedAt for an edit, ID for a deletion, and PostID, PersonID, Emoji and At for a
// reaction.
//
// Not delivered: posts that were created and deleted within one gap; individual replies of
// a thread when its first post is deleted; edits of posts that Parley wrote; the removal
// of a reaction that isn't among the last ones delivered (see maxPresent); the oldest
// posts of a gap with more than 10,000 posts in a channel (users are told); anything
// before the account joined a channel, or before Parley first used the account. A server
// whose clock goes back is followed while the socket is open, and after a gap as far as
// the cursor's marks reach.
//
// A thread whose post the handler never accepts stops; its channel does after 2,500
// other events of it were handled. Other channels continue.
//
// # Sending
//
// A key creates one post: see sends. All other calls can be safely repeated, and are, if
// a call wasn't answered, was refused with 429, or failed in the server.
//
// # Goroutines
//
// While Run runs there are four: its own, which owns the state of channels and cursors;
// one that keeps and reads the socket, with one that pings while it is open; one that
// fetches after gaps; and one that calls the handler. Run waits for all. Calls run on
// their callers' goroutines.
//
// # What it must not know
//
// Sessions, permissions, and how a post is used. Times are the server's own: the two
// clocks are never compared without an allowance.
package mattermost
