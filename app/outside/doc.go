// Package outside shows what others changed in Parley's files and that waits for a user, and does what they decide (outside.*).
//
// Goroutines: none.
package outside
