// Package profiles is the environments and providers that sessions run with (profile.*).
//
// Goroutines: none.
package profiles
