// Package recovery opens what Parley keeps, the store with the log of permissions, and
// notices when it is not what the last Parley left: removed, emptied, damaged, or replaced
// by an older one. What is lost comes back from the newest good snapshot. Until a user has
// looked, nothing holds that was allowed, and the budgets stay at what was known last.
//
// It starts no goroutine.
package recovery
