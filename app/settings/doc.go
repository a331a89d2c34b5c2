// Package settings keeps the user's choices (settings.*), and has the desktop start Parley at
// login. It starts no goroutine.
package settings
