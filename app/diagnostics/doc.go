// Package diagnostics says what this Parley is (app.*), and gives out its log (log.*), a report about it and the user's style sheet (style.*).
//
// Goroutines: none.
package diagnostics
