// Package library knows all sessions. It joins three independent sources: the
// records that Parley stores, the live sessions, and the conversations the CLI has
// on disk. It is one package because users see one list: a session is the same
// whether it is running, has been idle for months, or was created in a terminal.
//
//   - A conversation that a record refers to, by its current id or an earlier one,
//     belongs to that record; every other one is listed under the CLI's own id.
//   - A suspended session becomes live ("woken") when a request needs its owner.
//     Listing, reading and arranging wake nothing. Of the inactive sessions, only
//     the most recently used stay live.
//   - Its history is the owner's log, then the CLI's files: that of the current
//     conversation, and those from before each /clear.
//   - What those files don't contain is stored separately and added on reading:
//     who wrote a prompt, who stopped a turn or answered a question, what a turn cost.
//   - It is the sessions' [session.Persister]: their state is in memory at once and on
//     disk soon after; a prompt is on disk before it counts.
//
// A user's change is stored before it takes effect. The CLI's files are never
// written.
//
// Goroutines: one writes records, one applies changes on disk and publishes those in the
// list; both run from Start to Close, which waits for them. The package knows
// neither the store nor the surfaces; it declares what it needs of the former.
package library
