// Package host keeps CLI processes in a separate process. [Serve] is that process: it
// starts programs from a complete description, owns their streams, numbers their output
// and keeps it until it is acknowledged, forwards their input, and reports how they end.
// [Host] is Parley's side, whose [Program] can be used like a child.
//
// Both share one socket pair, which Parley's side creates before it starts the other:
// nobody can connect, there is no path and no listener. Its end means that Parley has
// ended, even by a kill: then the host ends every program, first with TERM, then what is
// left, and itself, shortly after endWait. If the host is killed, the kernel ends the
// programs (package child).
//
// # Protocol
//
// Both sides send frames: a length, a kind, the program's number, a body. Parley speaks
// first (hello), and both state the newest and oldest version they support. Output is
// numbered by byte offsets in a program's output since its start. The host only sends
// within the window it was granted, so that a slow session blocks no other, and keeps
// everything unacknowledged: 8 MB per program in memory, then at most 1 GB in an unnamed
// file in the given folder; beyond that it stops reading and the program blocks. Input is
// numbered too: a repeated piece is written once.
//
// Parley may detach ([Host.Detach]), and another attach over the same socket ([Attach]): it
// gets the state left by the first, which is nowhere else, everything unacknowledged, and
// the unreported ends of programs. If nobody attaches within attachWait, or the socket
// ends, everything is ended. Version 1 had no state.
//
// A frame that is too long, out of order or invalid ends the connection, because the
// other side can't be trusted.
//
// # Goroutines
//
// The host has one that receives, one that sends, and three per program. Parley's side has
// two: one that receives, and one that waits for the host's end. [Host.Close] waits for
// both.
package host
