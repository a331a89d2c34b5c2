// Package devices gives other devices access: each is paired once with a code, may do what its role
// allows, and is disconnected immediately when it is removed (device.*).
//
// Goroutines: none.
package devices
