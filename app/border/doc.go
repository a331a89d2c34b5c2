// Package border tests Parley from outside, as its users run it: the real
// program, started as "parley serve", with the real Claude Code CLI under it and a
// scripted model on the loopback interface behind that. The tests know what any
// client knows: the address and the token on the first line of output, the methods
// and events of the WebSocket, HTTP, signals and exit codes. They use the back
// end's types to read the data, and nothing else.
//
// Every test starts its own Parley, with its own home, data folder and model,
// so that tests run in parallel and can end theirs in any way. The invariants
// are checked at the end of each: events numbered without gaps, one
// done for every accepted prompt, every opened block ended once, the
// history equal to the sum of the events, no secret in the log or in an event, an
// orderly end within five seconds on SIGTERM, and no process left behind.
//
// There are two sets. Every run has "protocol": all scenarios, those of the CLI's
// protocol with each engine, the others with one. PARLEY_TEST_CLI=all runs every
// scenario with each engine, larger amounts, and those that take minutes; it runs if the
// pinned CLI is not the one that testdata/passed names. A scenario whose outcome does
// not depend on the engine uses oneEngine, any other eachEngine.
//
// This package contains only tests. They run on Linux, where the system
// reports which processes are left; a missing CLI skips them
// (PARLEY_TEST_CLAUDE names another one, PARLEY_TEST_REQUIRE=1 makes it an error).
package border
