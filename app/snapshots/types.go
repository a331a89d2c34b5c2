package snapshots

// SnapshotList is what there is to go back to.
type SnapshotList struct {
	// Snapshots are the newest first.
	Snapshots []Snapshot `json:"snapshots"`
	// Problem is why the last one could not be made, "" when it could.
	Problem string `json:"problem"`
	// Restarts says that Parley ends and starts again by itself to restore one. Otherwise a
	// user does that.
	Restarts bool `json:"restarts"`
}

// Snapshot is a copy of Parley's data as it was at a time.
type Snapshot struct {
	Name string `json:"name"`
	// At is when it was made, in milliseconds since 1970.
	At int64 `json:"at"`
	// Version is the Parley that made it.
	Version string `json:"version"`
	Bytes   int64  `json:"bytes"`
	// Counts are how many "sessions", "workspaces", "rules", "trust" (answers about
	// folders), "drafts" and "prompts" (that wait) are in it.
	Counts map[string]int `json:"counts"`
	// Files are those in it, by their names in the data folder, Left those that were left
	// out because they are too large or cannot be read.
	Files []string `json:"files"`
	Left  []string `json:"left"`
	// Problem is why it cannot be restored, "" when nothing is known.
	Problem string `json:"problem"`
}

// SnapshotTaken is what became of making one.
type SnapshotTaken struct {
	// Made is false when nothing is different from the newest one, which is returned then.
	Made     bool     `json:"made"`
	Snapshot Snapshot `json:"snapshot"`
}

// SnapshotRef names a snapshot.
type SnapshotRef struct {
	Name string `json:"name"`
}

// SnapshotRestoring says what comes next.
type SnapshotRestoring struct {
	// Restarts is true when Parley ends and starts again now. Otherwise the snapshot is
	// restored by the next start.
	Restarts bool `json:"restarts"`
}
