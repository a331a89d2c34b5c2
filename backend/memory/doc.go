// Package memory keeps what sessions and people want to be remembered, in markdown
// files that people read and edit with whatever they like:
//
//	memory/SOUL.md                           who the model is here
//	memory/USER.md                           about the user
//	memory/2026-11-21.md                     what was saved on a day
//	memory/workspaces/<slug>/NOTES.md        about one folder
//	memory/workspaces/<slug>/2026-11-21.md   what was saved on a day about it
//
// It owns that folder, and there .lock, .trash.jsonl and workspaces/<slug>/.workspace.json.
// Other files are left alone. The form of the files and of a daily line is EARL's, so
// that its folder can be taken over, and its programs can go on appending:
//
//   - **14:03 UTC** | `@anna` | Deploys on Fridays only. <!-- parley by=session&id=… -->
//
// The comment says where a memory came from. A line without one is as good; its id
// follows from its text.
//
// # Writing
//
// A memory is appended with one write. Everything else makes the file anew and puts it
// in place by renaming, so that a crash leaves the old file or the new one. Both hold a
// lock in the process, one on the folder, and one on the file itself, which is EARL's.
// What another program appends without looking for a lock while a file is put in place
// is carried over; who waited for the lock of a file has to open it again.
//
// # Limits
//
// [MaxEntry], [MaxFile], [MaxTotal] and [MaxFiles]; going over one is a fault
// (too_large) and changes nothing. Links are not followed: they are told as problems.
// Control characters and those that turn the direction of text are taken out of what is
// saved, shown or handed to a model; files keep what a user wrote into them.
//
// # Goroutines
//
// [Store.Watch] runs on its caller's; the package starts none. It knows neither
// sessions nor tools, only names of them.
package memory
