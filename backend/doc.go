// Package backend is the map of Parley. It holds no code: the packages below it
// do the work, package parley/app wires them together, and the surfaces (window,
// gateway) show the result. Read this first.
//
// # One turn
//
// A prompt arrives as a method call (app/method), through the gateway or the window.
// The session's owner goroutine takes it from its inbox and writes it to the CLI
// process. The CLI's output is decoded (claude/wire) and handed to the same owner,
// which turns it into events (claude/transcript), merges small deltas, numbers them
// and publishes them (bus). Each surface reads them at its own pace; one that missed
// numbers reads the history. Every accepted prompt ends with exactly one done event.
//
// A tool that needs permission makes the CLI call back: "parley mcp" relays the
// call to a unix socket (toolserver), or the CLI asks on its own pipes (claude);
// the session's engine decides which. Either way it is an open request (permission)
// until a user answers on any surface, the CLI withdraws it, or it times out. Nothing
// else waits for it.
//
// # Packages
//
// Imports point down only; deps_test.go has the exact table with reasons.
//
//	app/role                        subcommands of the binary; signals, streams, startup and shutdown order
//	app/gateway  app/desktop        surfaces: HTTP and WebSocket; the native window
//	app/tray                        surface: the tray icon and its menu
//	app                             composition root; one small service per feature
//	app/feature                     helpers that features share
//	app/tool                        host of Parley's own tools, and how they request permission
//	app/engine                      starts CLI processes and connects them to permissions and tools
//	app/engine/admission            asks users to trust a folder
//	app/engine/models               what sessions can choose from
//	app/permissions                 decides about tool calls: rules, auto-approve, users
//	app/audit                       the audit log, as an API
//	app/devices                     other devices: pairing, access, revoking
//	app/trust                       what a folder makes the CLI load, and who trusted it
//	app/elicitation                 forms that MCP servers show to users
//	app/reading                     keeps the index of transcripts on disk up to date
//	app/profiles                    environments and providers for sessions
//	app/tour                        the guided tour, with the scripted model
//	app/install                     finds the CLI, and installs one
//	app/signin                      signing in, through the CLI's own login
//	app/diagnostics                 version, log, and a report for support
//	app/processes                   the processes Parley started
//	app/shell                       shell commands that a user types into a session
//	app/search                      searches one conversation or all of them
//	app/changes                     file changes of sessions, and undo
//	app/usage                       tokens, cost and the context meter
//	app/files                       files that users mention, attach, open and save
//	app/health                      the public part of the state
//	app/outside                     external changes to Parley's files, pending a user's decision
//	app/settings                    user settings, and start at login
//	app/restart                     decides when to restart into the program on disk
//	app/update                      reports a newer version, and installs it on request
//	app/recovery                    opens the stored data, and detects that it was altered
//	app/sessionstore                sessions and workspaces in the store
//	app/storage                     the store, disks, and current problems
//	app/snapshots                   hourly copies of the stored data, and restoring one
//	app/sessions                    sessions, their library, workspaces, drafts, tasks
//	app/notices                     notifications, the window, and closing while work runs
//	app/push                        push addresses and their rules
//	app/memory                      the memory and its tools
//	app/rooms                       rooms
//	app/rooms/roomstore             where rooms are stored
//	app/rooms/roomtool              tools for rooms
//	app/heartbeats                  scheduled prompts
//	app/heartbeats/beattool         the tool for heartbeats
//	app/heartbeats/ledger           state and runs of heartbeats in the store
//	app/chat                        Mattermost: the connection and its methods
//	app/chat/config                 its configuration file and token
//	app/chat/ports                  adapters from threads and commands to features
//	app/chat/records                persistent records of threads
//	app/chat/threadtool             the tool that reads a thread
//	app/chat/words                  how Mattermost users and their text appear to a model
//	app/terminals                   watched terminals and their tool
//	app/sessiontools                tools for other sessions and for the user
//	app/tool/tooltest               test helpers for tools
//	app/method                      the method table: parameters, results, errors
//	app/checkup                     reads and verifies all stored data
//	app/doctor                      checks everything Parley depends on
//	app/tsgen                       generates the API's TypeScript types
//	build/map                       draws these packages from their imports
//	build/budgets                   sizes and counts of the build, and their limits
//	build/papers                    man pages and licenses for packages
//	build/testrun                   compiles and runs tests, and reports which may be retried
//	build/mutants                   mutation testing: reports mutants no test catches
//	app/border                      tests the API from outside, with the real CLI
//	app/desktop/dragtest            a second program to drag from and to, for tests
//	app/tray/traytest               a system tray for tests
//	app/bench                       measures Parley from outside
//	app/bench/bare                  a bare window to compare Parley's with
//
//	session                         one owner goroutine per session; declares its dependencies
//	claude  toolserver  demo        adapters: the CLI process; its calls back; a scripted model
//	toolserver/relay                the relay for those calls, for the small program the CLI spawns
//	toolserver/relay/parley-mcp     that program, which also guards processes and holds CLIs
//	claude/history                  adapter: the CLI's transcripts on disk
//	claude/history/corpus           generated conversations for benchmarks
//	claude/history/corpus/write     writes them
//	claude/claudetest               a fake CLI that fails on demand, for tests
//	search                          full-text search in all conversations
//	room                            rooms, where sessions and users talk: pure
//	room/hub                        runs the rooms of one Parley
//	room/embedded  room/natsroom    room storage: local, or on a NATS server
//	room/roomtest                   tests both
//	session/library                 all known sessions: running, suspended, or only on disk
//	session/workspace               the folders a user works in
//	session/profile                 environments and providers; secrets in the keyring
//	usage/spend                     tokens and cost of conversations, each answer counted once
//	host                            holds the CLIs in a separate process, which ends with Parley
//	host/child                      runs one program whose streams nobody else can open
//	platform/contain                keeps a CLI's processes in one control group
//	platform/process                lists our processes and their resources
//	permission/audit                the audit log: all requests and answers, hash-chained
//	search/textsearch               text search in the messages of one conversation: pure
//	chat                            the team chat port: users, channels, posts
//	chat/mattermost                 adapter: the connection to a Mattermost server
//	chat/mattermost/wire            the part of the server's JSON that is used
//	chat/mattermost/mattermosttest  an in-memory Mattermost that fails on demand, for tests
//	chat/mattermost/mattermosttest/serve  runs it for the end-to-end suites
//	heartbeat                       runs scheduled prompts and keeps their ledger
//	heartbeat/plan                  definition of a heartbeat and its due times: pure
//	chat/relay                      connects sessions and Mattermost threads, both ways
//	chat/relay/port                 the relay's dependencies: chat, sessions, store
//	chat/relay/access               roles: who may do what through Mattermost
//	chat/relay/post                 renders turns as posts, and updates them
//	chat/relay/command              "!" commands in a thread
//	chat/relay/ask                  open requests in threads, answered by reaction
//	memory                          memories, in files that users edit
//	tmux                            adapter: CLI sessions in plain terminals, in tmux
//	need                            external programs that tests need
//	claude/todo                     the model's to-do list, as the CLI stores it
//	platform/shellrun               runs shell commands that a user types
//	platform/filefind               fuzzy search for file names in a folder
//	platform/logbuffer              the newest log records
//	platform/notify                 desktop notifications
//	platform/push                   sends messages to webhooks and ntfy topics
//	store/blob                      files that belong to drafts and queued prompts
//	platform/packed                 serves compressed files under their original names
//	platform/logfile                writes the log and crash output to disk
//	platform/service                installs Parley as a system service
//	platform/autostart              starts Parley at login
//	platform/editor                 opens files in the user's editor
//	claude/transcript               CLI frames to events, events and transcript lines to messages: pure
//	permission/rule                 allow, ask or deny by rules: pure
//	permission/trust                what a folder makes the CLI load or run automatically
//	claude/clisettings              adapter: the CLI's settings files
//	permission/rulestore            the user's rules
//	permission/rule/shell           what a shell command would run: pure
//	permission/guard                rates the risk of a tool call: pure
//	permission                      open requests and their answers: pure
//	filechange                      what a session's tools did to files: pure
//	filechange/undo                 restores files, and keeps what it replaced
//	filechange/gitdiff              compares a folder with the last commit
//	usage                           context and cost: pure
//	bus                             bounded fan-out of events
//	update                          a newer Parley: signature, download, installation
//	platform/atomicfile             writes a file atomically
//	platform/safeopen               opens untrusted paths, regular files only
//	kept                            accepted versions of files, and whether the store was swapped
//	snapshot                        dated copies of the stored data, and restoring them
//	outside                         what an external change to Parley's files would allow: pure
//	outside/outsidetest             accepted versions, for tests
//	platform/handover               executes another program in place of this one, with its open files
//	platform/seal                   shields the process from the user's other processes
//	platform/disk                   disk health: errors, free space, writability
//	problem                         current problems, for all surfaces
//	untrusted                       makes text safe that the user did not type: pure
//	owner                           wakes and queries a goroutine that owns state
//	markdown                        a Markdown parser that treats HTML as text: pure
//	fold                            folds texts that a user considers equal: pure
//	truncate                        truncates long texts: pure
//	choice                          valid values of choices that reach the CLI: pure
//	settings  paths                 user settings; the folders and their lock
//	style                           the user's own style sheet
//	store/schema  store/model       what Parley stores, and its types
//	store/storetest                 a store for tests, verified at their end
//	store                           typed records in one file that is never trusted
//	event  claude/wire  fault       leaves: Parley's events, the CLI's frames, errors for users
//
// # Who owns the goroutines
//
// Whoever starts a goroutine waits for it. These packages start some, all others none:
//
//   - app: some at the end that close the parts.
//   - app/role: the signal listener, the gateway's accept loop, two that check the program's
//     health for a service manager, one that follows the gateway's settings, and some at the
//     start and the end of the window.
//   - app/gateway: a reader, a writer and an ordered lane per socket, and one goroutine
//     for each other running request. Close waits for all.
//   - app/desktop: the page's event feed, one that waits for the end of the context, one that
//     handles requests to close the window, one for an open dialog, and in the background one
//     that waits until the work is done.
//   - app/tray: one that owns the displayed state, one that reads the bus, two that receive and
//     execute clicks, and one that watches the system tray.
//   - app/engine: one for each link to a CLI that is stopping, one for each CLI that has not yet
//     reported its models and commands, and two for each tool call under AI review.
//   - app/processes: one that watches memory, and at the start one that ends processes left by a
//     Parley that crashed.
//   - app/reading: one that scans the transcripts on disk, one that has their messages counted,
//     one that reports progress.
//   - app/sessiontools: one that follows prompts that one session gave another.
//   - app/restart: one while it waits for sessions to finish.
//   - app/storage: one that checks disks while sessions work or something couldn't be saved.
//   - app/snapshots: one that takes them.
//   - app/notices: one that reads the sessions' events, one that watches files that users edit,
//     and one for each notification being sent.
//   - app/rooms: two that follow sessions and messages.
//   - app/chat: one that owns the connection, one that publishes its state, three for each
//     connection, and one for each check of it. Those of mattermost and of the relay are listed there.
//   - app/chat/ports: one during a call, which kills a process as the call ends.
//   - app/memory: one that watches the files.
//   - app/search: one that owns the index's input, and up to two that read conversations.
//   - app/shell: one for each running command.
//   - app/signin: one for each login in progress.
//   - backend/platform/notify: one that receives clicks, while the desktop shows notifications.
//   - backend/platform/push: one for each address with pending messages.
//   - backend/platform/contain: one that waits for the guard to exit.
//   - backend/platform/shellrun: two or three for each running command.
//   - backend/platform/filefind: one for each folder being read.
//   - backend/session: one owner per session; while a process runs, one that writes prompts
//     and one per pending control request; once a minute, while any runs, one that
//     looks for idle sessions.
//   - backend/session/library: one that writes records, and one that applies changes on disk and
//     publishes them.
//   - backend/session/workspace: up to 16 that probe folders, while any are due.
//   - backend/session/profile: one while the system's keyring is asked, which may wait for a user.
//   - backend/host: two while there is a host; in that process, two and three for each program.
//   - backend/host/child: two for each program.
//   - backend/claude: four per CLI process and one for each of the CLI's requests being
//     answered, ended before its frames end.
//   - backend/claude/history: one for the file watch, and workers while there are files to read.
//   - backend/toolserver: the accept loop, a reader per connection and one goroutine per call, and for each CLI
//     that is reached over its pipes up to four that send notices.
//   - backend/toolserver/relay: one for each direction of its connection.
//   - backend/permission: one that reports changes, while there are any. Askers wait on
//     their own goroutines.
//   - backend/permission/audit: one that syncs written records.
//   - backend/heartbeat: the owner, a watch on their file, and one for each run, which
//     ends when its process is suspended.
//   - backend/search: one that merges; two while a commit writes or a query runs.
//   - backend/usage/spend: one that writes changes and reports them.
//   - backend/room/hub: three.
//   - backend/room/embedded: one that writes messages.
//   - backend/room/natsroom: the link to its server, and those of the NATS client.
//   - backend/chat/mattermost: while it runs, its owner, one that keeps the socket with one that pings,
//     one that fetches missed events, and one that calls the handler.
//   - backend/chat/relay: one that reads the sessions' events, one that closes idle streams, one that
//     recovers missed events, and up to three for each busy thread.
//   - backend/chat/relay/post: one for each mirrored session.
//   - backend/tmux: one that polls the watched terminals.
//   - backend/demo: those of its HTTP server.
//
// # Threats
//
// Parley's first promise is that nothing runs without approval. Who might break it, what
// they can do, and what prevents it:
//
//   - The model, and anyone whose text it reads (a web page, a file, a tool's result). It
//     chooses every tool call and its arguments, and an allowed command runs as the user.
//     Each call needs approval unless a rule, the mode or auto-approve allows it. A command
//     that the shell parser (permission/rule/shell) can't read completely needs approval, and
//     an allow rule for many commands does not apply to a high risk.
//   - A command that was allowed once. It runs as the same user, beside Parley, and must not
//     gain more than was allowed: Parley's memory and environment are closed to it where the
//     system supports that, others can't open the CLI's streams, the tool server checks
//     whose child a caller is, and changes to Parley's files that allow more wait for a
//     user. A program that may trace other processes (ptrace) can still take over the
//     CLI; kernel.yama.ptrace_scope=1 or higher prevents that. On an X server, every
//     program of the user can press keys in every window; Wayland prevents that.
//   - A repository. Its settings, hooks, servers and skills do nothing until a user
//     trusts the folder, and again when they change (permission/trust); its git configuration
//     runs nothing when Parley calls git (filechange/gitdiff).
//   - A web page in the user's browser. The gateway listens on loopback, demands a token
//     that no page can read, and refuses other hosts and origins. The window's page loads
//     nothing from elsewhere and shows outside text through one sanitizer.
//   - Mattermost users. Each needs a role (chat/relay/access); nobody has one by default.
//     Their text reaches the model as plain words: it attaches no file and runs no CLI
//     command. Approving needs its own role, and counts only for the request that was shown.
//   - Other sessions, rooms and heartbeats. A message from another session is marked as such
//     and grants no permission. A room on a server is only as trustworthy as those who may
//     write there.
//   - Other users of the machine. Data folders and sockets are for the user alone. Root
//     can do everything and is out of scope; so is anyone with the user's unlocked
//     account, and the CLI with the account it uses.
//
// What can't be prevented must be visible: each request and its answer is in the audit
// log, chained so that tampering shows.
//
// # Limits
//
// Every queue has a bound, and exceeding it has a defined outcome: a bus subscription
// learns that it lagged, a socket that does not read is closed, a request over the limit
// waits in its client's own buffers, and a list that is too long is an error.
//
// # Errors
//
// Internally, errors are wrapped with %w. Where a user can act, they become a fault: a
// code for programs and a sentence that says what to do. Every other error reaches clients
// as one fixed sentence, and its details go to the log.
package backend
