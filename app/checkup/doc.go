// Package checkup reads and verifies everything that Parley keeps in a data folder, and reports its
// findings in lines. It changes nothing except in [Repair], and opens only a copy of the store, so
// that a Parley may be running.
//
// It starts no goroutine.
package checkup
