// Package snapshots makes copies of Parley's data each hour in which something changed, and
// restores one at the next start. It knows stores and files, and nothing of what is in them.
//
// Goroutine: one makes snapshots; Close waits for it.
package snapshots
