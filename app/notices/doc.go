// Package notices tells the user on this computer what happened, shows the window (window.*), and
// asks what becomes of work when the window is closed.
//
// Goroutines: listed at [Service]; Close waits for all.
package notices
