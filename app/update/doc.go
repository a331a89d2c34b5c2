// Package update tells a user of a newer Parley and, when they want it, puts it in the place
// of this one (app.updates, app.update): package backend/update fetches it, package app/restart
// has it continue, and what does not start is taken back. Only a user on a surface that may do
// everything can have it done; no tool of a session can.
//
// Goroutines: none.
package update
