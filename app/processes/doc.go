// Package processes is the ledger of the processes that Parley started (process.*). At its start it
// ends what a crashed Parley left behind.
//
// Goroutines: one watches memory, and at the start one waits for the end of what was left;
// Close waits for both.
package processes
