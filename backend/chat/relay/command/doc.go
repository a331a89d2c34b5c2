// Package command parses and runs what people type after "!" in a Mattermost thread:
// one table defines each command's syntax, requirements, role and effect; parsing, help
// and access all use that table.
//
// A command is at the start of a post. Words are split as in a shell, but that is all:
// nothing is expanded, and no command text ever reaches a shell. It starts no
// goroutine.
//
// The caller of [Table.Run] decides whether a user may use a command, with
// [Table.Need]. The package knows neither the chat server nor package app: its
// dependencies are in [Ports], and commands that need a nil one say so.
package command
