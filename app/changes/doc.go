// Package changes lists the file changes of sessions and undoes them (change.*). It starts no
// goroutine.
package changes
