// Package changes shows what sessions changed in files, and takes it back (change.*). It starts no
// goroutine.
package changes
