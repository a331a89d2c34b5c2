// Package audit writes down every question that was put to people and how it
// ended, so that it can be read later and so that nobody changes it unnoticed.
//
// The log is a folder of files with one JSON object on each line. Every record
// carries the hash of the one before it and its own, and the chain continues from
// file to file. A small file beside them, the head, says how far the chain has
// come. What was edited, taken out, put in, moved, or cut off shows in [Verify].
// What the chain cannot show is somebody who makes the whole folder anew: for that an
// [Anchor] keeps in another place how far the log had come, and a user may keep a
// [Report.Head]. Each record and the head carry the mark of the store beside the log, so
// that one which is older than the log shows, too.
//
// A record holds no input of a tool, only its hash and a short line about it in
// which everything that looks like a secret is masked ([Summary], [Mask]).
//
// A record is in its file when [Log.Append] returns, where the end of Parley
// cannot reach it any more; it is safe from a power failure a moment later, when
// the file and then the head have been synced. So a crash leaves a log that is ahead of
// its head, and perhaps ends within a line; neither is called a change. A record
// that cannot be written is an error of Append, counted, said aloud ([Log.Missing]), and
// the next one that can be is preceded by a gap that says how many are missing. The count
// is in the head, where it needs no room, and with the anchor: it outlives a crash.
//
// The bounds: a file has about [Config.MaxFileBytes], there are at most about
// [Config.MaxFiles], the oldest is removed first, and no record is larger than 64 KiB.
//
// Goroutines: one syncs what was written, from [Open] to [Log.Close], which waits
// for it. Everything else happens on the caller's, under one lock that is held for
// a write and never for a sync.
//
// The package knows neither sessions nor permissions; it is told plain values.
package audit
