// Package claude runs the Claude Code CLI: it finds the program and judges it
// ([Find], [Version], [Account]), prepares its environment ([Environ]), starts it
// ([Engine]) and speaks the stream-json protocol with it ([Process]).
//
// It knows processes, pipes and the control protocol. It must not know what frames
// mean (package transcript), which state a session is in (package session, whose
// Engine and Process interfaces it satisfies), nor who asks for what: whatever a
// feature wants on the command line or in the environment comes in through
// [Config], and so does who answers what the CLI asks ([Host]).
//
// # Goroutines
//
// Every [Process] has four, all ended and waited for before its Frames channel is
// closed:
//   - supervise waits for the CLI's end and cleans up.
//   - read turns stdout into frames and answers into returns of Control. It waits
//     for the receiver of Frames and for nobody else.
//   - write is the only writer of stdin.
//   - warm waits for the answer to initialize, which makes the first prompt quicker.
//
// Where there is a Host, each request of the CLI that is being answered has one
// more, and so have refusals that wait to be written.
//
// # Ending
//
// The CLI runs every Bash tool in a process group of its own, so no group signal
// reaches them all; the CLI cleans up after itself on TERM and does not on KILL.
// So TERM comes first always: from Stop, and from the kernel when Parley dies
// (death signal on Linux, a watchdog process on other unixes; on Windows a job
// object ends the whole tree). Where the CLI was killed or crashed, its descendants
// are found by a mark in their environment and ended too.
package claude
