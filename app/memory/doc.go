// Package memory is what Parley remembers for the user (memory.*), with its tool set.
//
// Goroutine: one watches the files, from Start to Close.
package memory
