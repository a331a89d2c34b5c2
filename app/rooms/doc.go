// Package rooms are the places where sessions and people talk (room.*), with their set of tools.
//
// Goroutines: two from Start to Close, see [Service].
package rooms
