// Package push keeps the addresses that word goes to beside this computer's notifications,
// each with its rules and its secret (way.*). What happened it hears from app/notices, which
// decides whether anybody is to be disturbed at all.
//
// Goroutines: those of backend/platform/push; Close waits for them.
package push
