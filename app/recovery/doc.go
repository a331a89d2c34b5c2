// Package recovery opens the store and the audit log, and detects if they are not what the last
// Parley left: removed, emptied, damaged, or replaced by older ones. Lost data is restored from the
// newest good snapshot. Until a user has confirmed it, earlier permissions do not apply, and the
// last known budgets do.
//
// It starts no goroutine.
package recovery
