// Package snapshot keeps dated copies of the important parts of a data folder, and restores
// one of them.
//
// A snapshot is a separate folder below snapshots, named by its time (UTC). It
// contains the store, the rooms, the user's settings, heartbeats, decisions about the chat, the
// memory, the contents of files before an undo, and a manifest with the size and hash of each. It is valid once all of it
// was written, synced, and read back; until then its name starts with [atomicfile.Unfinished].
// Nothing in it is trusted later: [Verify] reads all of it.
//
// # Restoring
//
// The files to restore are copied beside the current ones ([Prepare]), and written into a
// journal in one step: from then on the restore is decided. [Finish] executes the
// journal, and may be interrupted and restarted at any point: the current files are moved into a folder
// replaced-<time>, and the copies take their place. At the end the journal becomes a note
// ([Restored]) for the Parley that starts then: nothing that the restored files allowed
// applies before a user has checked it. So a restore cannot be a way to allow more.
//
// The caller that makes or restores a snapshot holds the lock of the data folder.
//
// # Limits
//
// [Hourly] and [Daily] snapshots are kept, and the [Latest], of together at most [MaxBytes]; the newest stays
// in any case. At most [maxFolder] bytes of the memory are copied, of the undo records the newest
// with [maxUndo], and rooms of up to [maxStore]; the manifest lists what is left out.
// A restore does not touch rooms, or undo records, that its snapshot does not have.
//
// The package starts no goroutine. It knows nothing of the files' contents.
package snapshot
