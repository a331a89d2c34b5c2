// Package shellrun runs a user's commands in the user's own shell: output is
// passed on as it comes, with the middle of long output omitted.
//
// It knows neither sessions nor the reader of the output. A command is the user's
// own and needs no permission.
//
// # Goroutines
//
// Two per running command: one reads its output, one waits for its end.
// [Runner.Close] ends all commands and waits for them.
//
// # Ending
//
// A command has its own process group. Stopping it signals the group: TERM, then
// KILL. What a command leaves running in its group ends with it. If Parley is killed,
// a shell that watches a pipe from Parley does the same. A program that created its
// own group escapes both; Parley's next start finds it by the marks in its
// environment.
package shellrun
