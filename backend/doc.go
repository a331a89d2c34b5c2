// Package backend is the map of Parley. It holds no code: the packages below it
// do the work, package parley/app puts them together, and the surfaces (window,
// gateway) show the result. Read this first.
//
// # One turn
//
// A prompt comes in as a method of the table (app/method), through the gateway or
// the window. The session's owner goroutine takes it from its inbox and has a CLI
// process write it to the CLI. What the CLI prints is decoded (claude/wire) and
// handed to the same owner, which projects it into events (claude/transcript), merges
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
//	app/feature                     what features share at their border
//	app/tool                        the host of Parley's own tools, and how they ask people
//	app/engine                      starts CLI processes, and ties them to desk and tools
//	app/permissions                 decides about uses of tools, by rules, guard and people
//	app/audit                       the log of permissions, for people
//	app/devices                     other devices: pairing, what they may, shutting them out
//	app/trust                       what a folder makes the CLI load, and who answered for it
//	app/elicitation                 what MCP servers ask people, as a form
//	app/reading                     keeps what is known of the conversations on disk up to date
//	app/profiles                    environments and providers that sessions run with
//	app/tour                        the guided tour, with the scripted model
//	app/install                     which CLI runs, and installing one
//	app/signin                      signing in, with the CLI's own login
//	app/diagnostics                 what this Parley is, its log, a report about it
//	app/processes                   what Parley started, and what became of it
//	app/shell                       commands that a user types into a session
//	app/search                      words in all conversations, and in one
//	app/changes                     what sessions changed in files, and taking it back
//	app/usage                       tokens and money; what fills a context window
//	app/files                       files that people mention, open, save and send
//	app/outside                     what others changed in Parley's files, until a user decides
//	app/settings                    the user's choices, and starting at login
//	app/restart                     decides when the program on the disk goes on in this one's place
//	app/update                      tells of a newer Parley, and has it installed by a user's word
//	app/recovery                    opens what is kept, and notices when it is not what was left
//	app/storage                     the store, disks, and what is wrong with Parley
//	app/snapshots                   copies of what is kept, each hour, and bringing one back
//	app/sessions                    sessions, the library of them, workspaces, drafts, tasks
//	app/notices                     notifications, the window, and leaving while work continues
//	app/push                        addresses elsewhere that word goes to, and their rules
//	app/memory                      what is remembered, with its tools
//	app/rooms                       rooms, with their tools
//	app/heartbeats                  prompts on a schedule, with their tool
//	app/chat                        sessions in threads of the team chat: the connection and its methods
//	app/chat/config                 what was decided about it: its file and its token
//	app/chat/ports                  the features, as threads and commands there ask for them
//	app/chat/records                what its threads must not forget
//	app/chat/threadtool             the tool that reads a thread of it
//	app/chat/words                  what people of it are called, and what of theirs reaches a model
//	app/terminals                   terminals that are watched, with their tool
//	app/sessiontools                tools for other sessions and for the user
//	app/tool/tooltest               test code of tools
//	app/method                      the table of methods: parameters, results, errors
//	app/checkup                     reads and verifies everything that is kept
//	app/doctor                      looks whether all is well that Parley needs and keeps
//	app/tsgen                       the border in TypeScript, generated
//	build/map                       draws these packages from their imports
//	build/budgets                   sizes and counts of what is built, and their budgets
//	build/papers                    man pages and licences for packages
//	build/testrun                   compiles tests, runs them, and says what may be tried again
//	build/mutants                   mistakes put into packages, and which of them no test notices
//	app/border                      tests the border from outside, with the real CLI
//	app/desktop/dragtest            another program to drag from and to, for tests
//	app/tray/traytest               a desktop's panel for tests
//	app/bench                       measures Parley from outside
//	app/bench/bare                  a window to measure Parley's against
//
//	session                         one owner goroutine per session; declares what it needs
//	claude  toolserver  rehearsal   adapters: the CLI's process; its way back in; a scripted model
//	toolserver/relay                that way, for the small program which the CLI spawns
//	toolserver/relay/parley-mcp     that program, which also guards processes and holds CLIs
//	claude/history                  adapter: the conversations that the CLI keeps on disk
//	claude/history/corpus           made-up conversations to measure with
//	claude/history/corpus/write     writes them
//	claude/claudetest               a CLI for tests, which fails on demand
//	search                          finds words in all conversations
//	room                            what rooms are, in which sessions and people talk: pure
//	room/hub                        runs the rooms of one Parley
//	room/embedded  room/natsroom    keep rooms: here, or on a NATS server
//	room/roomtest                   tests both
//	session/library                 all sessions there are: those that run, rest, or lie on disk
//	session/workspace               the folders a user works in
//	session/profile                 environments and providers; secrets in the keyring
//	usage/spend                     what conversations used and cost, each answer once
//	host                            holds the CLIs in a process of their own, which ends with Parley
//	host/child                      runs one program whose streams nobody else can open
//	platform/contain                holds the processes of a CLI together, where the kernel does
//	platform/process                what processes of ours there are, and what they use
//	permission/audit                the log of all questions and answers, chained by hashes
//	search/textsearch               a text in the messages of one conversation: pure
//	chat                            what any team chat is for Parley: people, channels, posts
//	chat/mattermost                 adapter: the connection to a Mattermost server
//	chat/mattermost/wire            the server's JSON, as far as it is read and written
//	chat/mattermost/mattermosttest  a Mattermost in memory for tests, which fails on demand
//	chat/mattermost/mattermosttest/serve  runs that one for the end-to-end suites
//	heartbeat                       runs prompts on a schedule, and accounts for them
//	heartbeat/plan                  what a heartbeat is, and when it is due: pure
//	chat/relay                      ties sessions to the threads of a team chat, both ways
//	chat/relay/port                 what the relay needs of a chat, of sessions and of a store
//	chat/relay/access               who may do what through the team chat
//	chat/relay/post                 turns as posts of a thread, and keeps those up to date
//	chat/relay/command              what people type after "!" in a thread
//	chat/relay/ask                  open questions in threads, and answers by reaction
//	memory                          what is remembered, in files that people edit
//	tmux                            adapter: sessions of the CLI in plain terminals, in tmux
//	need                            the programs that tests drive
//	claude/todo                     what the model wrote down to be done, as the CLI keeps it
//	platform/shellrun               runs the commands that a user types
//	platform/filefind               finds the files of a folder by a few letters
//	platform/logbuffer              the newest records of the log
//	platform/notify                 tells a user who is not looking
//	platform/push                   sends word to webhooks and ntfy topics
//	store/blob                      files that belong to drafts and waiting prompts
//	platform/packed                 reads files that lie there packed, under their own names
//	platform/logfile                keeps the log on the disk, and what a crash prints
//	platform/service                has the system run Parley without a window
//	platform/autostart              has the desktop start Parley at login
//	platform/editor                 opens files in the user's own editor
//	claude/transcript               frames to events, events and saved lines to messages: pure
//	permission/rule                 allow, ask or deny by rules: pure
//	permission/trust                what a folder makes the CLI load or run by itself
//	claude/clisettings              adapter: the settings files of the CLI
//	permission/rulebook             the rules that a user made
//	permission/rule/shell           what a shell command would run: pure
//	permission/guard                how risky the use of a tool looks: pure
//	permission                      open questions and their answers: pure
//	filechange                      what a session's tools did to files: pure
//	filechange/undo                 puts files back, and keeps what they were instead
//	filechange/gitdiff              asks git how a folder differs from the last commit
//	usage                           context and cost: pure
//	bus                             bounded fan-out of events
//	update                          a newer Parley: what was signed, fetched and put in place
//	platform/atomicfile             writes a file in one step
//	platform/regular                opens files that anybody may have put there
//	kept                            what was accepted of files, and whether the store is the one it was
//	snapshot                        dated copies of what must not be lost, and the way back
//	outside                         what a change of Parley's files by others lets happen: pure
//	outside/outsidetest             keeps what was accepted for tests
//	platform/handover               executes another program in the place of this one, with its files
//	platform/seal                   closes the process off from others of the same person
//	platform/disk                   what is wrong with a disk: errors, room, whether it takes a file
//	problem                         what is wrong with Parley now, for all surfaces
//	untrusted                       makes text harmless that the owner did not type: pure
//	owner                           wakes a goroutine that owns a state, and asks it
//	markdown                        the parser of Markdown in which HTML is text: pure
//	fold                            makes texts comparable that a user takes for the same: pure
//	truncate                        cuts texts that are too long: pure
//	choice                          what choices may look like that end in the CLI: pure
//	settings  paths                 the user's choices; the folders and their lock
//	store/schema  store/model       what Parley keeps, and the types of it
//	store/storetest                 a store for tests, checked when they are over
//	store                           typed records in one file that is never trusted
//	event  claude/wire  fault       leaves: what we say, what the CLI says, what went wrong
//
// # Who owns the goroutines
//
// Whoever starts a goroutine waits for it. These packages start some, all others none:
//
//   - app: the tool server's accepting goroutine, and at the end some that end the parts.
//   - app/role: the signal listener, the gateway's accepting goroutine, two that look whether
//     all works where a service manager wants to hear it, one that follows the settings of the gateway for
//     browsers, and some at the start and the end of the window.
//   - app/gateway: a reader, a writer and an ordered lane per socket, and one goroutine
//     for each other running request. Close waits for all.
//   - app/desktop: the feed of the page, the watch over the end of the context, one that
//     handles requests to close the window, one for a dialog that is open, and in the background one that waits for
//     the end of the work.
//   - app/tray: one that owns what is shown, one that hears the bus, two that wait for and
//     carry out clicks, and one that hears of the desktop's panel.
//   - app/engine: one for each link to a CLI that is being ended, one for each CLI that has not
//     said yet what it offers, and two for each use of a tool that a model looks at.
//   - app/processes: one that watches memory, and at the start one that ends what a Parley that
//     crashed left behind.
//   - app/reading: one that looks at the conversations on disk, one that has their messages
//     counted, one that tells how far that is.
//   - app/sessiontools: one that hears what becomes of prompts that one session gave another.
//   - app/restart: one while it waits for sessions to finish.
//   - app/storage: one that looks at disks while sessions work or something cannot be kept.
//   - app/snapshots: one that takes them.
//   - app/notices: one that hears the sessions' events, one that looks at the files that
//     people change by hand, and one for each notice that is being sent.
//   - app/rooms: two that hear what sessions do, and what is said.
//   - app/chat: one that owns the connection, one that says how it is, three for each
//     connection, and one for each look at it. Those of mattermost and of the relay are listed there.
//   - app/chat/ports: one for the time of a call, which kills a process beside its end.
//   - app/memory: one that watches the files.
//   - app/search: an owner of what is read for the index, and up to two that read conversations.
//   - app/shell: one for each command that runs.
//   - app/signin: one for each login that is under way.
//   - backend/platform/notify: one that hears the clicks, while the desktop shows notifications.
//   - backend/platform/push: one for each address that has something to be sent.
//   - backend/platform/contain: one that waits for the guard's end.
//   - backend/platform/shellrun: two or three for each command that runs.
//   - backend/platform/filefind: one for each folder whose names are being read.
//   - backend/session: one owner per session; while a process runs, one that writes prompts
//     and one per control request under way; once a minute, while any runs, one that
//     looks for those that are idle.
//   - backend/session/library: one that writes records, and one that takes what changes on disk and
//     tells of it.
//   - backend/session/workspace: up to 16 that look at folders, while there are any to look at.
//   - backend/session/profile: one while the system's keyring is asked, which may wait for a user.
//   - backend/host: two while there is a host; in that process, two and three for each program.
//   - backend/host/child: two for each program.
//   - backend/claude: four per CLI process and one for each request of the CLI that is being
//     answered, ended before its frames end.
//   - backend/claude/history: one of the system's watch, and workers while there are files to read.
//   - backend/toolserver: a reader per connection and one goroutine per call, and for each CLI
//     that is reached over its pipes up to four that send it notices.
//   - backend/toolserver/relay: one for each direction of its connection.
//   - backend/permission: one that reports changes, while there are any. Who asks waits on
//     its own goroutine.
//   - backend/permission/audit: one that syncs what was written.
//   - backend/heartbeat: the owner of all, a watch over their file, and one for each run, which
//     ends when its process is put away.
//   - backend/search: one that merges; two while a commit writes or a query runs.
//   - backend/usage/spend: one that writes what changed, and tells of it.
//   - backend/room/hub: three.
//   - backend/room/embedded: one that writes messages.
//   - backend/room/natsroom: the link to its server, and those of the NATS client.
//   - backend/chat/mattermost: while it runs, its owner, one that keeps the socket with one that pings,
//     one that fetches what was missed, and one that calls the handler.
//   - backend/chat/relay: one that hears the sessions, one that puts idle streams away, one that makes
//     missed events good, and up to three for each thread, while there is work.
//   - backend/chat/relay/post: one for each session that is shown in a thread.
//   - backend/tmux: one that looks at the terminals that are watched.
//   - backend/rehearsal: those of its HTTP server.
//
// # Threats
//
// Parley's first promise is that nothing runs without approval. Who might break it, what
// they can do, and what stands against it:
//
//   - The model, and whoever speaks through what it reads (a web page, a file, a tool's
//     result). It chooses every tool call and its arguments, and a command that was allowed
//     runs as the user. Each call is asked about, unless a rule, the mode or the guard
//     lets it pass; what the shell reader (permission/rule/shell) did not read completely asks, and an
//     allow rule for many commands does not hold where the guard finds a high risk.
//   - A command that was allowed once. It runs as the same user, beside Parley. It must not
//     get more than what was allowed: Parley's memory and environment are closed to it
//     where the system can do that, the CLI's streams cannot be opened by others, the tool server asks
//     whose child a caller is, and changes of Parley's files that widen what is allowed wait for a
//     user. A program that may trace other processes (ptrace) can still take over the
//     CLI itself; kernel.yama.ptrace_scope=1 or higher stops it. Where the screen is an X server,
//     every program of the user can press keys in every window; Wayland stops it.
//   - A repository. Its settings, hooks, servers and skills do nothing before a user
//     trusts the folder, and again when they change (permission/trust); its git configuration runs
//     nothing of its own when Parley asks git (filechange/gitdiff).
//   - A web page in the user's browser. The gateway listens on loopback, demands a token
//     that no page can read, and refuses other hosts and origins. The window's page loads
//     nothing from elsewhere and shows outside text through one sanitizer.
//   - People in the chat. Each has a role (chat/relay/access), nobody has one by default. What
//     they write reaches the model as words: it names no file and runs no command of the
//     CLI. What needs approval needs a role for it, and counts only for the
//     question that was shown.
//   - Other sessions, rooms and heartbeats. What one session tells another is framed as what
//     another said, and gives no permission. A room on a server is as far to be trusted as
//     those who may write there.
//   - Other users of the machine. Data folders and sockets are for the user alone. Root
//     can do everything, and is out of scope; so is whoever holds the user's unlocked
//     account, and the CLI with the account it talks to.
//
// What cannot be prevented is to be seen: each question and its answer is in the audit
// trail, chained so that a change shows.
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
// Inside, errors are wrapped with %w. Where a user can act, they are made a
// fault: a code for programs and a sentence that says what to do. Everything else
// crosses the border as one fixed sentence, and its details go to the log.
package backend
