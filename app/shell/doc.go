// Package shell runs commands that a user types into a session (shell.*).
//
// Goroutines: those of the runner, and one for each command; Close waits for all.
package shell
