// Package storage adapts the store to the back end's interfaces, watches disks, and has the book of
// Parley's problems.
//
// Goroutine: one looks at disks; Close waits for it.
package storage
