// Package restart has Parley continue as the program that is on the disk now: this process
// executes it in its own place. It decides when: at once where nothing is cut by that, else
// when the sessions have finished, or when a user says that it may be cut. The program is
// tried before anything is given up.
//
// It has one goroutine while it waits for sessions; Close ends that. How the exec is done is
// the role's (package app/role).
package restart
