// Package reading keeps the index of conversations on disk up to date.
//
// Goroutines: three, from Start to Close; see [Service].
package reading
