// Package update finds a newer Parley, fetches it, and puts it in the place of the program on
// the disk. It trusts nothing that a server says but a manifest that was signed (minisign)
// with the key that was built in, or with the one that such a manifest announced as the next.
// A manifest counts until it expires, and never after a newer one was seen.
//
// It starts no goroutine. It executes nothing: who does it, and when, is its caller's.
package update
