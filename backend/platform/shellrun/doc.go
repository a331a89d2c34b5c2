// Package shellrun runs the commands that a user types, in the user's own shell:
// what they print is handed on as it comes, its middle left out when it is long.
//
// It knows neither sessions nor who reads the output. A command is the user's own:
// nobody is asked about it.
//
// # Goroutines
//
// Two for each command that runs: one reads what it prints, one sees it end.
// [Runner.Close] ends all commands and waits for them.
//
// # Ending
//
// A command has a process group of its own. Stopping it signals the group: TERM,
// then KILL. What a command leaves running in its group ends with it. When Parley is
// killed, a shell that watches a pipe of Parley's does the same. A program that made
// a group of its own escapes both; it is found at Parley's next start by the marks in
// its environment.
package shellrun
