// Package snapshot keeps dated copies of what must not be lost of a data folder, and puts
// one of them back.
//
// A snapshot is a folder of its own below snapshots, with the time (UTC) for a name. It
// has the store, the rooms, the user's settings, heartbeats, decisions about the chat, the
// memory, what files were before something was undone, and a manifest with the size and hash of each. It counts from the moment when all of it
// was written, synced, and read again; until then its name begins with [atomicfile.Unfinished].
// Nothing in it is believed later: [Verify] reads all of it.
//
// # Restoring
//
// What is to come back is copied beside what is there ([Prepare]), and written into a
// journal in one step: from then on the restore is decided. [Finish] does what the journal
// says, and may be ended and begun again at any point: what is there is moved into a folder
// replaced-<time>, what was copied takes its place. At the end the journal becomes a note
// ([Restored]) for the Parley that starts then: nothing that was allowed by what came back
// holds before a user has looked. So a restore cannot be a way to allow more.
//
// Whoever makes a snapshot, or restores one, holds the lock of the data folder.
//
// # Limits
//
// [Hourly] and [Daily] snapshots are kept, and the [Latest], of together at most [MaxBytes]; the newest stays
// in any case. Of the memory, [maxFolder] bytes are taken, of what was undone the newest
// records with [maxUndo], and rooms of up to [maxStore]; what is left out, the manifest says.
// A restore does not touch rooms, or what was undone, that its snapshot does not have.
//
// The package starts no goroutine. It knows nothing of what is in the files.
package snapshot
