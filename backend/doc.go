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
//	app/tray                        surface: the icon in the desktop's panel, with its menu
//	app                             composition root, one small service per feature
//	app/method                      the table of methods: parameters, results, errors
//	app/tsgen                       the border in TypeScript, generated
//	app/border                      tests the border from outside, with the real CLI
//	app/tray/traytest               a desktop's panel for tests
//	app/bench                       measures Parley from outside
//
//	session                         one owner goroutine per session; declares what it needs
//	claude  toolserver  rehearsal   adapters: the CLI's process; its way back in; a scripted model
//	history                         adapter: the conversations that the CLI keeps on disk
//	history/corpus                  made-up conversations to measure with
//	search                          finds words in all conversations
//	room                            what rooms are, in which sessions and people talk: pure
//	room/hub                        runs the rooms of one Parley
//	room/embedded  room/natsroom    keep rooms: here, or on a NATS server; room/roomtest tests both
//	library                         all sessions there are: those that run, rest, or lie on disk
//	workspace                       the folders a person works in
//	profile                         environments and providers; secrets in the keyring
//	spend                           what conversations used and cost, each answer once
//	ledger                          what processes of ours there are, and what they use
//	audit                           the log of all questions and answers, chained by hashes
//	find                            a text in the messages of one conversation: pure
//	mattermost                      adapter: the connection to a Mattermost server
//	mattermost/mattermosttest       a Mattermost in memory for tests, which fails on demand
//	heartbeat                       runs prompts on a schedule, and accounts for them
//	heartbeat/plan                  what a heartbeat is, and when it is due: pure
//	relay                           ties sessions to the threads of a team chat, both ways
//	relay/port                      what the relay needs of a chat, of sessions and of a store
//	relay/access                    who may do what by way of the team chat
//	relay/post                      turns as posts of a thread, and keeps those up to date
//	relay/command                   what people type after "!" in a thread
//	relay/ask                       open questions in threads, and answers by reaction
//	memory                          what is remembered, in files that people edit
//	tmux                            adapter: sessions of the CLI in plain terminals, in tmux
//	todo                            what the model wrote down to be done, as the CLI keeps it
//	shellrun                        runs the commands that a person types
//	files                           finds the files of a folder by a few letters
//	logbook                         the newest records of the log
//	notify                          tells a person who is not looking
//	blob                            files that belong to drafts and waiting prompts
//	autostart                       has the desktop start Parley at login
//	editor                          opens files in the person's own editor
//	transcript                      frames to events, events and saved lines to messages: pure
//	rule                            allow, ask or deny by rules: pure
//	trust                           what a folder makes the CLI load or run by itself
//	clisettings                     adapter: the settings files of the CLI
//	rulebook                        the rules that a person made
//	rule/shell                      what a shell command would run: pure
//	guard                           how risky the use of a tool looks: pure
//	permission                      open questions and their answers: pure
//	change                          what a session's tools did to files: pure
//	undo                            puts files back, and keeps what they were instead
//	checkout                        asks git how a folder differs from the last commit
//	usage                           context and cost: pure
//	bus                             bounded fan-out of events
//	replace  regular                writes a file in one step; opens files that anybody may have put there
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
//   - desktop: the feed of the page, the watch over the end of the context, one that
//     handles requests to close the window, and in the background one that waits for
//     the end of the work.
//   - tray: one that owns what is shown, one that hears the bus, two that wait for and
//     carry out clicks, and one that hears of the desktop's panel.
//   - app: the tool server's accepting goroutine, one for each link to a CLI that is
//     being ended, one for each CLI that has not said yet what it offers, one that
//     watches memory, and at the start one that ends what a Parley that crashed left
//     behind; one that looks at the conversations on disk, one that has their messages
//     counted, one that tells how far that is.
//   - app, own tools: one that hears what becomes of prompts that one session gave
//     another, and for each CLI that is reached over its pipes up to four that send it
//     notices.
//   - app, notices: one that hears the sessions' events, one that looks at the files that
//     people change by hand.
//   - notify: one that hears the clicks, while the desktop shows notifications.
//   - session: one owner per session; while a process runs, one that writes prompts
//     and one per control request under way; once a minute, while any runs, one that
//     looks for those that are idle.
//   - claude: five per CLI process and one for each request of the CLI that is being
//     answered, ended before its frames end.
//   - toolserver: a reader per connection and one goroutine per call.
//   - permission: one that reports changes, while there are any. Who asks waits on
//     its own goroutine.
//   - history: one of the system's watch, and workers while there are files to read.
//   - heartbeat: the owner of all, a watch over their file, and one for each run, which
//     ends when its process is put away.
//   - library: one that writes records, and one that takes what changes on disk and
//     tells of it.
//   - search: one that merges; two while a commit writes or a query runs. The app's
//     feed of it has an owner, and up to two that read conversations.
//   - audit: one that syncs what was written.
//   - workspace: up to 16 that look at folders, while there are any to look at.
//   - shellrun: two or three for each command that runs, and one of the app.
//   - files: one for each folder whose names are being read.
//   - profile: one while the system's keyring is asked, which may wait for a person.
//   - spend: one that writes what changed, and tells of it.
//   - room/hub: three; room/embedded: one that writes messages; room/natsroom: the link to
//     its server, and those of the NATS client. The app's rooms hear what sessions do.
//   - mattermost: while it runs, its owner, one that keeps the socket with one that pings,
//     one that fetches what was missed, and one that calls the handler.
//   - rehearsal: those of its HTTP server.
//   - relay: one that hears the sessions, one that puts idle streams away, one that makes
//     missed events good, and up to three for each thread, while there is work.
//   - relay/post: one for each session that is shown in a thread.
//   - tmux: one that looks at the terminals that are watched.
//   - relay/ask: one that brings the posts of questions to what they should say.
//   - app, chat: one that owns the connection, one that says how it is, and two for each
//     connection. Those of mattermost and of the relay are listed there.
//   - memory: none of its own; the app has one that watches the files.
//   - autostart, bus, blob, editor, ledger, regular, replace, settings, logbook, store, paths, relay/access, relay/command, rule, guard, transcript, usage, event,
//     wire, fault, method, change, undo, checkout, rulebook, trust, clisettings: none
//     that outlives a call.
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
