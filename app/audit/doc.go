// Package audit shows people the log of permissions (audit.*), and writes to it what is asked, answered and ruled.
//
// Goroutines: none.
package audit
