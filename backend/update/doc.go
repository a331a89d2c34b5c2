// Package update finds a newer Parley, downloads it, and replaces the program on
// disk. It trusts nothing from a server except a manifest that was signed (minisign)
// with the built-in key, or with the one that such a manifest announced as the next.
// A manifest is valid until it expires, and never after a newer one was seen.
//
// It starts no goroutine. It executes nothing: that is up to its caller.
package update
