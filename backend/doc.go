// Package backend is the map of Parley. It holds no code: the packages below it
// do the work, package parley/app puts them together, and the surfaces (window,
// gateway) show the result. Read this first.
//
// # One turn
//
// A prompt comes in as a method of the table (app/method), through the gateway or
// the window. The session's owner goroutine takes it from its inbox and has a CLI
// process write it to the CLI. What the CLI prints is decoded (claude/wire) and
// handed to the same owner, which projects it into events (transcript), merges
// small deltas, numbers them and publishes them (bus). The surfaces take
// them from there, each at its own pace; one that missed numbers asks for the
// history. Every accepted prompt ends with exactly one done event.
//
// A tool that needs permission makes the CLI call back: "parley mcp" relays the
// call to a unix socket (toolserver), or the CLI asks on its own pipes (claude);
// the session's engine decides which. Either way it waits as an open question
// (permission) until somebody answers on any surface, the CLI withdraws it, or
// time is up. Nothing else waits for it.
//
// # Packages
//
// Arrows go down only; deps_test.go has the exact table with its reasons.
//
//	app/role                        the roles of the binary; signals, streams, order of start and end
//	app/gateway  app/desktop        surfaces: HTTP and WebSocket; the native window
//	app                             composition root, one small service per feature
//	app/method                      the table of methods: parameters, results, errors
//	app/tsgen                       the border in TypeScript, generated
//	app/border                      tests the border from outside, with the real CLI
//	app/bench                       measures Parley from outside
//
//	session                         one owner goroutine per session; declares what it needs
//	claude  toolserver  rehearsal   adapters: the CLI's process; its way back in; a scripted model
//	history                         adapter: the conversations that the CLI keeps on disk
//	history/corpus                  made-up conversations to measure with
//	workspace                       the folders a person works in
//	transcript                      frames to events, events and saved lines to messages: pure
//	permission                      open questions and their answers: pure
//	usage                           context and cost: pure
//	bus                             bounded fan-out of events
//	settings  paths                 the person's choices; the folders and their lock
//	store/schema  record            what Parley keeps, and the types of it
//	store                           typed records in one file that is never trusted
//	event  claude/wire  fault       leaves: what we say, what the CLI says, what went wrong
//
// # Who owns the goroutines
//
// Whoever starts a goroutine waits for it. Every package comment lists its own;
// together:
//
//   - role: the signal listener, and the gateway's accepting goroutine.
//   - gateway: a reader, a writer and an ordered lane per socket, and one goroutine
//     for each other running request. Close waits for all.
//   - desktop: the feed of the page and the watch over the end of the context.
//   - app: the tool server's accepting goroutine, and one for each link to a CLI that
//     is being ended.
//   - session: one owner per session; while a process runs, one that writes prompts
//     and one per control request under way.
//   - claude: five per CLI process and one for each request of the CLI that is being
//     answered, ended before its frames end.
//   - toolserver: a reader per connection and one goroutine per call.
//   - permission: one that reports changes, while there are any. Who asks waits on
//     its own goroutine.
//   - history: one per conversation that is followed, one of the system's watch, and
//     workers while there are files to read.
//   - workspace: up to 16 that look at folders, while there are any to look at.
//   - rehearsal: those of its HTTP server.
//   - bus, settings, store, paths, transcript, usage, event, wire, fault, method: none.
//
// # Limits
//
// Every queue has a bound, and going over it has a stated outcome: a subscription
// to the bus is told that it lagged, a socket that does not read is cut off, a
// request over the limit waits in its client's own buffers, too long a list is
// an error that says so.
//
// # Errors
//
// Inside, errors are wrapped with %w. Where a person can act, they are made a
// fault: a code for programs and a sentence that says what to do. Everything else
// crosses the border as one fixed sentence, and its details go to the log.
package backend
