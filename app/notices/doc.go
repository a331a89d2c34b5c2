// Package notices shows desktop notifications, shows the window (window.*), and asks what to do
// with running work when the window is closed.
//
// Goroutines: listed at [Service]; Close waits for all.
package notices
