// Package engine starts CLI processes for sessions: it ties the process (package
// claude) to the tool server and to the desk where it asks for permission, and chooses
// the environment of a real session or of a rehearsal.
//
// There are two ways to do that, and a session has one of them. With "cli" the CLI
// reaches the tool server as it reaches any other: over the socket, by a relay that
// it spawns; a tool of that server answers its questions. With "sdk" it asks, and
// calls tools, by requests on the pipes that it has anyway. What people see of a
// session is the same.
//
// Before a CLI starts, a user answers for what its folder makes it load (admission).
// Beside sessions it starts CLIs for one answer: what there is to choose from (Models),
// and whether a use of a tool is harmless (Review).
//
// Goroutines: for each process, one that hears what it offers, and for a moment one that
// takes back its way to call Parley; two for each review. Close waits for them.
package engine
