// Package process inspects processes: which of those on this computer are
// Parley's own, what they use, how to end one with all its descendants, and
// whether memory is low. A process belongs to Parley if it descends from it or
// has its mark in its environment. A name proves nothing, and neither does a pid
// alone, because pids are reused: a process is always identified by its pid and
// its start.
//
// On Linux the package reads /proc itself, once per process and look. The library
// used on other systems returns a process's start as wall clock time there, so that
// the same process has another start after the clock was set; a wrong answer here
// would end someone's work. It also takes three times as long and opens every file
// several times.
//
// The package owns no process and starts none. It doesn't know sessions or CLIs:
// the caller says which processes are roots and how to parse a mark.
//
// Goroutines: none. [Watch] and [Ledger.End] take the goroutine of their caller.
package process
