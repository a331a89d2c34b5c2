// Package mattermost is the connection to a Mattermost server: it implements the
// relay's port.Chat over REST, and delivers what happens there to one handler.
//
// # What is delivered, and how often
//
// [Client.Run] hands the handler one thing at a time, in order within each thread. A post
// that was there while Parley was not connected (a cut socket, a server that restarted, a
// Parley that was ended) comes later: after every gap the posts and reactions since the
// last one seen are fetched, from a cursor for each channel that the store keeps. The
// cursor moves only over what the handler took without an error; what it refuses comes
// again after a wait that grows to a minute, and holds up its own thread only.
//
// While a process lives, nothing is handled twice. A process that is killed may not have
// written the cursor of the last tenth of a second (see saveAfter): what was handled then
// comes again to the next one. The consumer tells by the ids: Post.ID for a post, ID and
// EditedAt for an edit, ID for a deletion, and PostID, PersonID, Emoji and At for a
// reaction.
//
// What is not delivered: posts that were made and deleted within one gap; the replies of a
// thread one by one when its first post is deleted; edits of posts that Parley made
// itself; the taking back of a reaction that is not among the last ones told (see
// maxPresent); of a gap with more than 10,000 posts in a channel the oldest (people are
// told); what was there before the account came into a channel, or Parley to the account.
// A server whose clock goes back is followed while the socket is open, and after a gap as
// far as the marks of the cursor reach.
//
// A thread whose post the handler never takes stands still; its channel does when 2,500
// other things of it were handled meanwhile. Other channels continue.
//
// # Sending
//
// A key makes one post: see sends. Everything else can be repeated without harm, and is,
// when a call was not answered, refused with 429, or failed in the server.
//
// # Goroutines
//
// While Run runs there are four: its own, which owns all that is known of channels and
// cursors; one that keeps the socket and reads it, with one that pings while it is open;
// one that fetches after gaps; and one that calls the handler. Run waits for all. Calls
// run on their callers' goroutines.
//
// # What it must not know
//
// Sessions, permissions, and what is made of a post. Times are the server's own: the two
// clocks are never compared without an allowance.
package mattermost
