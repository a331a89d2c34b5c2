// Package diagnostics describes this Parley (app.*), and provides its log (log.*), a report about it and the user's
// style sheet (style.*).
//
// Goroutines: none.
package diagnostics
