package snapshots

// SnapshotList has the available snapshots.
type SnapshotList struct {
	// Snapshots are listed newest first.
	Snapshots []Snapshot `json:"snapshots"`
	// Problem is why the last one failed, "" if it did not.
	Problem string `json:"problem"`
	// Restarts is true if Parley restarts itself to restore one. Otherwise a user has to.
	Restarts bool `json:"restarts"`
}

// Snapshot is a backup of Parley's data at a time.
type Snapshot struct {
	Name string `json:"name"`
	// At is when it was taken, in milliseconds since 1970.
	At int64 `json:"at"`
	// Version is the Parley that took it.
	Version string `json:"version"`
	Bytes   int64  `json:"bytes"`
	// Counts are the numbers of "sessions", "workspaces", "rules", "trust" (decisions about
	// folders), "drafts" and "prompts" (queued) in it.
	Counts map[string]int `json:"counts"`
	// Files are its files, by their names in the data folder; Left are those left out because they
	// are too large or unreadable.
	Files []string `json:"files"`
	Left  []string `json:"left"`
	// Problem is why it can't be restored, "" if none is known.
	Problem string `json:"problem"`
}

// SnapshotTaken is the result of taking a snapshot.
type SnapshotTaken struct {
	// Made is false if nothing differs from the newest one, which is returned then.
	Made     bool     `json:"made"`
	Snapshot Snapshot `json:"snapshot"`
}

// SnapshotRef names a snapshot.
type SnapshotRef struct {
	Name string `json:"name"`
}

// SnapshotRestoring says what happens next.
type SnapshotRestoring struct {
	// Restarts is true if Parley restarts now. Otherwise the snapshot is restored by the next
	// start.
	Restarts bool `json:"restarts"`
}
