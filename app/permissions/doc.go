// Package permissions decides about tool calls and asks users (permission.*), with the users' rules (rule.*) and
// auto-approve (guard.*).
//
// Goroutines: none but that of the request queue, which Close ends.
package permissions
