// Package outside shows external changes to Parley's files that need a decision, and carries it out (outside.*).
//
// Goroutines: none.
package outside
