// Package push stores the addresses for notifications besides this computer's, each with its rules
// and secret (way.*). Events come from app/notices, which decides whether anyone may be disturbed
// at all.
//
// Goroutines: those of backend/platform/push; Close waits for them.
package push
