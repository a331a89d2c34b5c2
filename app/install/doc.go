// Package install finds the Claude Code CLI, checks whether it is usable, and installs it if missing (cli.*).
//
// Goroutines: none.
package install
