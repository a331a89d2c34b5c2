// Package trust says what a folder makes the CLI load or run by itself, and remembers what people answered (trust.*).
//
// Goroutines: none.
package trust
