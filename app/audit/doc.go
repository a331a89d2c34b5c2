// Package audit serves the audit log (audit.*), and writes requests, answers and rule changes to it.
//
// Goroutines: none.
package audit
