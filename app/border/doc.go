// Package border tests Parley from outside, the way its users meet it: the real
// program, started as "parley serve", with the real Claude Code CLI under it and a
// scripted model on the loopback interface behind that. The tests know what any
// client knows: the address and the token on the first line of output, the methods
// and events of the WebSocket, HTTP, signals and exit codes. They borrow the back
// end's types to read what comes, and nothing else.
//
// Every test starts a Parley of its own, with its own home, data folder and model,
// so that tests run at the same time and can end theirs in any way. What must hold
// whatever happens is checked at the end of each: events numbered without holes, one
// done for every accepted prompt, every block that was opened ended once, the
// history equal to what the events add up to, no secret in the log or in an event, an
// orderly end within five seconds on SIGTERM, and no process left behind.
//
// Two sets of them run. Every run has "protocol": all scenarios, those of the CLI's
// protocol with each engine, the others with one. PARLEY_TEST_CLI=all has every
// scenario with each engine, larger amounts, and what takes minutes; it runs when the
// pinned CLI is another one than testdata/passed names. A scenario whose outcome does
// not depend on the engine uses oneEngine, any other eachEngine.
//
// There is nothing in this package but tests. They run on Linux, where the system
// tells which processes are left; a CLI that is missing skips them
// (PARLEY_TEST_CLAUDE names another one, PARLEY_TEST_REQUIRE=1 makes it an error).
package border
