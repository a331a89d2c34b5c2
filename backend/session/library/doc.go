// Package library knows all sessions there are. It joins three things that know
// nothing of each other: the records that Parley keeps, the sessions that run, and
// the conversations that the CLI has on disk. It is one package because they are one
// list to a user: a session is the same one whether it runs, rests since months,
// or was made in a terminal.
//
//   - A conversation that some record refers to, by its present id or an earlier
//     one, is that record's; every other one is listed under the CLI's own id.
//   - A session that rests becomes live ("woken") when something is asked of it that
//     needs its owner. Listing, reading and arranging wake nothing. Of those that have
//     nothing to do, only the ones that were used last stay live.
//   - Its history is the owner's log, then the CLI's files: that of the present
//     conversation, and those from before each /clear.
//   - What those files do not have is kept beside them, and put on when they are read:
//     who wrote a prompt, who stopped a turn or answered a question, what a turn cost.
//   - It is the sessions' [session.Keeper]: what they say of themselves is in memory
//     at once and on the disk soon after; a prompt is on the disk before it counts.
//
// A change that a user makes is stored first and then made. The CLI's files are
// only ever read.
//
// Goroutines: one writes records, one takes the changes on disk and tells of those
// in the list; both run from Start to Close, which waits for them. The package knows
// neither the store nor the surfaces; it declares what it needs of the former.
package library
