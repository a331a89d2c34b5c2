// Package process looks at processes: which of those on this machine are Parley's
// own, what they use, how to end one with all that came of it, and whether memory
// is short. What belongs to Parley descends from it or carries its mark in its
// environment; a name says nothing, and a number alone says nothing either, for
// numbers are given away again: a process is always named by its number and its
// start.
//
// On Linux the package reads /proc itself, once for each process and look. The
// library that serves the other systems gives a process's start as a time of day
// there, made from the clock, so that the same process has another start after the
// clock was set; here a wrong answer ends somebody's work. It also takes three times
// as long and opens every file several times.
//
// The package owns no process and starts none. It does not know what sessions or
// CLIs are: who uses it says which processes are roots and how a mark reads.
//
// Goroutines: none. [Watch] and [Ledger.End] take the goroutine of their caller.
package process
