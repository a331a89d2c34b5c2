// Package trust reports what a folder makes the CLI load or run automatically, and stores the users' decisions
// (trust.*).
//
// Goroutines: none.
package trust
