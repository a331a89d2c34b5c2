// Package rooms are the places where sessions and people talk (room.*), with their tool set.
//
// Goroutines: two from Start to Close, see [Service].
package rooms
