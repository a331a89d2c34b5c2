// Package memory stores memories of sessions and people in markdown files that
// people can read and edit with any program:
//
//	memory/SOUL.md                           who the model is here
//	memory/USER.md                           about the user
//	memory/2026-11-21.md                     what was saved on a day
//	memory/workspaces/<slug>/NOTES.md        about one folder
//	memory/workspaces/<slug>/2026-11-21.md   what was saved on a day about it
//
// It owns that folder, and in it .lock, .trash.jsonl and workspaces/<slug>/.workspace.json.
// Other files are left alone. The format of the files and of a daily line is EARL's, so
// that its folder can be imported, and its programs can keep appending:
//
//   - **14:03 UTC** | `@anna` | Deploys on Fridays only. <!-- parley by=session&id=… -->
//
// The comment contains a memory's origin. A line without one is equally valid; its
// id is derived from its text.
//
// # Writing
//
// A memory is appended with one write. All other changes create a new file and rename
// it into place, so that a crash leaves the old or the new file. Both hold a lock in
// the process, one on the folder, and one on the file itself, which is EARL's. What
// another program appends without locking during a replacement is carried over; a
// program that waited for a file's lock must reopen the file.
//
// # Limits
//
// [MaxEntry], [MaxFile], [MaxTotal] and [MaxFiles]; exceeding one is a fault
// (too_large) and changes nothing. Links aren't followed, but reported as problems.
// Control and direction characters are removed from what is saved, shown or passed to a
// model; files keep what a user wrote.
//
// # Goroutines
//
// [Store.Watch] runs on its caller's; the package starts none. It knows neither
// sessions nor tools, only their names.
package memory
