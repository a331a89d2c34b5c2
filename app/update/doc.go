// Package update announces a newer Parley and, on request, installs it in place of this one
// (app.updates, app.update): package backend/update downloads it, package app/restart continues
// with it, and a version that does not start is rolled back. Only a user on a surface with full
// rights can request it; no tool of a session can.
//
// Goroutines: none.
package update
