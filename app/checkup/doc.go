// Package checkup reads and verifies everything that Parley keeps in a data folder, and
// says in lines what it found. It changes nothing but what is asked of [Repair], and opens
// the store as a copy only, so that a Parley may run meanwhile.
//
// It starts no goroutine.
package checkup
