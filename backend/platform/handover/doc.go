// Package handover executes a program in the place of the running one and hands it what the
// process has: open files, and a state that may hold secrets. The process keeps its number,
// its parent, its terminal and its control group.
//
// The numbers of the files go in one variable of the environment, which the successor takes
// out before it does anything else. The state goes through a pair of sockets: at an exec a
// process can be looked into for a moment, and whoever may do that can open its files and
// pipes by way of /proc, but no socket. What else was open is closed.
//
// It starts no goroutine, and knows nothing of what it hands over.
package handover
