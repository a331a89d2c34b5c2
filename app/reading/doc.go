// Package reading keeps what is known of the conversations on disk up to date.
//
// Goroutines: three, from Start to Close; see [Service].
package reading
