// Package handover executes a program in place of the running one and passes it the
// process's open files, and a state that may contain secrets. The process keeps its pid,
// parent, terminal and control group.
//
// The file descriptors' numbers are in one environment variable, which the successor
// removes before anything else. The state goes through a socket pair: during an exec other
// processes can briefly inspect a process, and could open its files and pipes through
// /proc, but no socket. All other descriptors are closed.
//
// It starts no goroutine, and doesn't interpret what it passes on.
package handover
