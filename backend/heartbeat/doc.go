// Package heartbeat runs prompts on a schedule. It reads heartbeats.yaml and follows
// its changes, wakes when something is due, runs it in sessions, and accounts for
// every due time in a ledger. Package plan computes what is due; this package
// executes it.
//
// # Every due time once
//
// A due time has one record, identified by its heartbeat's name and the time. It is
// written before anything else happens ("due"), together with the accounted time; again
// with the session's id before the prompt is sent ("started"); and with its result and
// cost when it is over. What can't be written isn't run. A record found "started" by the
// next Parley is from a crash: it is "failed" and never run again. One found "due"
// counts as missed.
//
// A run has only succeeded if the session reports its turn as completed.
//
// # Look, act only if needed
//
// Every prompt ends with the request to end the answer with a line [Marker] if there was
// nothing to do. Such a run is folded: its session is listed as quiet, and nobody is
// notified.
//
// # Bounds
//
// At most [MaxWorking] runs work at a time, and at most [MaxRuns] including those waiting
// for a user's answer; others stay due. A run's time limit is suspended while it waits for
// an answer: the desk limits that. The ledger keeps [KeepRecords] records per heartbeat,
// for [KeepFor].
//
// # The fuse
//
// A run is stopped when it exceeds its budget, or the rest of its daily and monthly budgets,
// or calls the same tool with the same input [MaxRepeats] times in a row. A heartbeat is
// stopped until a user enables it again after [MaxFailures] failures in a row, or a single
// failure because of the account. A run during which Parley ended says nothing about the
// heartbeat and doesn't count. When a daily or monthly budget is used up, due times are
// skipped.
//
// In demo mode, only heartbeats run that never ran with the real model: a scripted
// model must not be mistaken for it.
//
// # Goroutines
//
// One owner holds all of the state; a watcher follows the file; one per run, which ends
// with its process cleaned up; and at the start one that cleans up after an earlier
// Parley. Close waits for all of them. The package knows neither how sessions are
// created nor where records are stored: it declares both as interfaces.
package heartbeat
