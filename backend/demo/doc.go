// Package demo is a scripted Anthropic Messages API on the loopback
// interface. It is good enough that the real Claude Code CLI runs against it with
// its real tools, permission checks, subagents, compaction and transcripts, and
// no byte leaves the machine. It has two uses:
//
//   - Tests define exactly what "the model" answers and when: a [Script] returns the
//     [Reply] to each [Request]. [Rules] and [Queue] are the two scripts that
//     tests need, a [Gate] holds a reply at an exact point until it is opened.
//   - [Tour] is the guided tour for a user without an account, [Folder] creates
//     its small workspace. The tour says plainly that no model is involved.
//
// The package owns the HTTP server and nothing else. Each request is served by a
// goroutine of net/http; [Server.Close] ends waits of every kind and returns when
// all handlers and the accepting goroutine have ended. It must not know sessions,
// the CLI's process or frames, events or the rest of Parley: the code that starts the
// CLI passes it [Server.Env] as its whole environment.
//
// Keys and tokens that a client sends are neither read nor recorded.
package demo
