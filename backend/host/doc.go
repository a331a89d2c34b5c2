// Package host holds CLI processes in a process of their own. [Serve] is that process: it
// starts programs from a complete description, owns their streams, numbers what they say
// and keeps it until it is acknowledged, forwards what is said to them, and reports how
// they end. [Host] is Parley's side, whose [Program] can be used like a child.
//
// The two share one socket pair, which Parley's side makes before it starts the other:
// nobody can connect, there is no path and no listener. When it ends, Parley has ended,
// also by a kill: then the host ends every program, first with TERM, and what is left of
// them, and itself, within endWait and a little. When the host is killed, the kernel ends
// the programs (package child).
//
// # Protocol
//
// Both sides send frames: a length, a kind, the program's number, a body. Parley speaks
// first (hello), and both say the newest and oldest version they know. Numbers of output
// are byte offsets in what a program printed since its start. The host sends no further
// than it was let (the window), so that a session that takes long holds up no other, and
// keeps everything from what was acknowledged on: 8 MB of each program in memory, then in
// a file without a name in the folder that it was given, of 1 GB at most, and then it
// reads no more and the program waits. Input has numbers too: a piece that comes twice is
// written once.
//
// Parley may detach ([Host.Detach]), and another attach over the same socket ([Attach]): it
// gets the state that the first one left, which is nowhere else, all that was not
// acknowledged, and the ends of programs that nobody heard of yet. When nobody attaches
// within attachWait, or the socket ends, everything is ended. Version 1 knew no state.
//
// A frame that is too long, out of order or not understood ends the connection: what is
// on the other side cannot be trusted to mean what it says then.
//
// # Goroutines
//
// The host has one that receives, one that sends, and three for each program. Parley's side
// has two: one that receives, and one that waits for the host's end. [Host.Close] waits for
// both.
package host
