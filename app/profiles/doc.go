// Package profiles is the accounts and providers that sessions use (profile.*).
//
// Goroutines: none.
package profiles
