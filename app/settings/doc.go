// Package settings stores the user's settings (settings.*), and makes the desktop start Parley at
// login. It starts no goroutine.
package settings
