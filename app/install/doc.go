// Package install finds the Claude Code CLI, judges whether it can be used, and installs one where there is none (cli.*).
//
// Goroutines: none.
package install
