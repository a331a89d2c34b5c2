// Package command understands what people type after "!" in a thread of the chat, and
// does it: one table says of each command how it is written, what it needs, who may use
// it, and what it does; parsing, help and access all read that table.
//
// A command stands at the beginning of a post. Words are split as a shell would, and
// that is all that is taken from shells: nothing is expanded, and no text of a command
// is ever given to one. It starts no goroutine.
//
// Whether somebody may use a command is decided by who calls [Table.Run], with
// [Table.Need]. The package knows neither the chat's server nor package app: what it
// needs is in [Ports], and whatever of those is nil makes the commands that need it say
// so.
package command
