// Package history reads the conversations that the CLI keeps on disk: one file of
// JSON lines for each, below the projects folder of the CLI's configuration. The
// CLI's files are the truth, and Parley only ever reads them.
//
//   - [Catalog] finds them all, says what each is about, why some are not shown,
//     and what changes while a conversation goes on elsewhere.
//   - [Transcript] reads one: the newest page first, older ones on demand, what is
//     appended, its subagents, and all texts for a search. A page costs the same
//     however long the file is.
//   - [Catalog.Index] counts messages in the background, and continues where it ended.
//
// What the lines mean is not decided here but in package transcript. What has been
// found out about a file may be kept in a [Cache], so that the next start reads
// nothing that did not change.
//
// Reading is bounded: a line is read whole up to 8 MiB, a longer one has its long
// texts cut, and a page has at most about 16 MiB. A file may grow, shrink, be
// replaced or go away at any time.
//
// Goroutines: [Catalog.Serve] runs on its caller's and has one that fsnotify owns;
// scans and indexing start a few workers and wait for them. The package knows nothing
// of sessions, stores or surfaces.
package history
