// Package snapshots backs up Parley's data each hour in which something changed, and restores a
// backup at the next start. It knows stores and files, but not their content.
//
// Goroutine: one makes snapshots; Close waits for it.
package snapshots
