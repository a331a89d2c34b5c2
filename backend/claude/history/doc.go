// Package history reads the conversations that the CLI stores on disk: one file
// of JSON lines each, below the projects folder of the CLI's configuration. The
// CLI's files are the source of truth, and Parley only reads them.
//
//   - [Catalog] finds them all, describes each, explains why some are hidden, and
//     reports changes while a conversation continues elsewhere.
//   - [Transcript] reads one: the newest page first, older ones on demand, what is
//     appended, its subagents, and all texts for a search. A page costs the same
//     however long the file is.
//   - [Catalog.Index] counts messages in the background, and continues where it ended.
//
// Package transcript decides what the lines mean. What is known of a file may be
// kept in a [Cache], so that the next start only reads changed files.
//
// Reading is bounded: a line is read whole up to 8 MiB, a longer one has its long
// texts truncated, and a page has at most about 16 MiB. A file may grow, shrink,
// be replaced or removed at any time.
//
// Goroutines: [Catalog.Serve] runs on its caller's and has one that fsnotify owns;
// scans and indexing start a few workers and wait for them. The package knows nothing
// of sessions, stores or surfaces.
package history
