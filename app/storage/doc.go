// Package storage adapts the store to what the back end asks for, makes snapshots, watches disks, and
// has the book of what is wrong with Parley.
//
// Goroutines: one makes snapshots and one looks at disks; each ends with its part.
package storage
