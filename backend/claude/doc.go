// Package claude runs the Claude Code CLI: it finds and checks the program
// ([Find], [Version], [Account]), prepares its environment ([Environ]), starts it
// ([Engine]) and speaks the stream-json protocol with it ([Process]).
//
// It knows processes, pipes and the control protocol. It must not know what frames
// mean (package transcript), which state a session is in (package session, whose
// Engine and Process interfaces it implements), nor who requests what: whatever a
// feature adds to the command line or the environment comes in through [Config],
// as does the handler of the CLI's requests ([Host]).
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
// With a Host, each pending request of the CLI has one more, and so do refusals
// waiting to be written.
//
// # Ending
//
// The CLI runs every Bash tool in its own process group, so no group signal reaches
// them all; the CLI cleans up after TERM but not after KILL. So TERM always comes
// first: from Stop, and from the kernel when Parley dies (death signal on Linux, a
// watchdog process on other unixes; on Windows a job object ends the whole tree).
// If the CLI was killed or crashed, its descendants are found by a mark in their
// environment and ended too.
package claude
