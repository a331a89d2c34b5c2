// Package engine starts CLI processes for sessions: it connects the process (package claude) to the
// tool server and to the permission queue, and provides the environment of a real or demo session.
//
// A session uses one of two engines. With "cli" the CLI reaches the tool server like any other MCP
// server: over the socket, through a relay that it starts; a tool of that server answers its
// permission requests. With "sdk" it sends these requests and tool calls over its own pipes. To
// users, the session looks the same.
//
// Before a CLI starts, a user has to trust what its folder makes it load (admission). Besides
// sessions, it starts CLIs for a single answer: the available choices (Models), and whether a tool
// call is harmless (Review).
//
// Goroutines: for each process, one that reads its models and commands, and briefly one
// that revokes its access to Parley; two for each AI review. Close waits for them.
package engine
