// Package heartbeat runs prompts on a schedule. It reads heartbeats.yaml and follows
// its changes, wakes when something is due, has sessions run it, and accounts for
// every due time in a ledger. Package plan knows what is due; this one does it.
//
// # Every due time once
//
// A due time has one record, made of its heartbeat's name and the time. It is written
// before anything else happens ("due"), together with how far the heartbeat is accounted
// for; again with the session's id before the prompt goes out ("started"); and with what
// it came to, and what it cost, when it is over. What cannot be written is not run.
// A record that is found "started" by the next Parley became of a crash: it is "failed"
// and never run again. One that is found "due" is a missed one.
//
// A run has succeeded when the session says that its turn was completed, and in no other
// way.
//
// # Look, act only if needed
//
// Every prompt ends with the request to close the answer with a line [Marker] when there
// was nothing to do. Such a run is folded: its session is listed as quiet, and nobody is
// told.
//
// # Bounds
//
// At most [MaxWorking] runs work at a time, and at most [MaxRuns] with those that wait for
// a user's answer; others stay due. The time limit of a run counts only while nobody is
// asked: how long a question waits is the desk's matter. The ledger keeps [KeepRecords]
// records of a heartbeat, for [KeepFor].
//
// # The fuse
//
// A run is stopped when it is over its budget, or over what was left of those of its day
// and month, or calls the same tool with the same input [MaxRepeats] times in a row. A
// heartbeat is stopped, until a user switches it on again, after [MaxFailures] failures in
// a row, and after the first one because of the account. A run in which Parley ended says
// nothing about the heartbeat and does not count. When the budget of a day or month is used up, due times are skipped.
//
// While Parley rehearses, only heartbeats run that never ran with the real model: a
// scripted one must not be taken for it.
//
// # Goroutines
//
// One owner holds all of the state; a watcher follows the file; one for each run, which
// ends with its process put away; and at the start one that puts away what an earlier
// Parley left. Close waits for all of them. The package knows neither how sessions are
// made nor where records are kept: it declares both.
package heartbeat
