// Package audit records every question that was put to users and how it ended,
// so that it can be read later and can't be changed unnoticed.
//
// The log is a folder of files with one JSON object per line. Every record carries its
// own hash and that of its predecessor, and the chain continues from file to file. A
// small file beside them, the head, holds the end of the chain. [Verify] detects records
// that were edited, removed, inserted, moved, or cut off. The chain can't reveal that
// the whole folder was recreated: for that, an [Anchor] keeps the log's position in
// another place, and a user may keep a [Report.Head]. Each record and the head carry the
// mark of the store beside the log, so that an older store is detected too.
//
// A record doesn't contain a tool's input, only its hash and a short summary in
// which everything that looks like a secret is masked ([Summary], [Mask]).
//
// When [Log.Append] returns, the record is in its file and survives the end of Parley; it
// survives a power failure shortly after, when the file and then the head have been
// synced. So a crash leaves a log that is ahead of its head and may end within a line;
// neither counts as tampering. A record that can't be written is an error of Append,
// counted and reported ([Log.Missing]), and the next successful record is preceded by a
// gap that says how many are missing. The count is in the head, where it needs no space,
// and in the anchor: it survives a crash.
//
// Limits: a file has about [Config.MaxFileBytes], there are at most about
// [Config.MaxFiles], the oldest is removed first, and no record is larger than 64 KiB.
//
// Goroutines: one syncs what was written, from [Open] to [Log.Close], which waits
// for it. Everything else happens on the caller's, under one lock that is held for
// a write and never for a sync.
//
// The package knows neither sessions nor permissions; it takes plain values.
package audit
