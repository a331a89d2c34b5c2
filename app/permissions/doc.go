// Package permissions decides about uses of tools and asks people (permission.*), with the rules that people make (rule.*) and the guard (guard.*).
//
// Goroutines: none.
package permissions
