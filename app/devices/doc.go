// Package devices lets other devices in: each is paired once with a code, may do what its
// role says, and is shut out at once when it is removed (device.*).
//
// Goroutines: none.
package devices
