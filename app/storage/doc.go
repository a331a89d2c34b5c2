// Package storage adapts the store to what the back end asks for, watches disks, and has the
// book of what is wrong with Parley.
//
// Goroutine: one looks at disks; Close waits for it.
package storage
