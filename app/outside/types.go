package outside

// HeldList has external changes to Parley's files that need a decision. Until then, the accepted version
// applies.
type HeldList struct {
	// Doubt is set if Parley's own store is not the one it left: "gone" (it is missing), "older" (it is
	// older than the audit log, or another Parley's), "log" (the log is not as it was left), "seal"
	// (another program changed it), "restored" (it was restored from a snapshot) or "damaged" (it was
	// damaged, and records may be missing). Then earlier permissions do not apply until the name "store"
	// is accepted. It is usually "".
	Doubt string     `json:"doubt"`
	Files []HeldFile `json:"files"`
	// More is the number of files beyond these; they follow when these are decided.
	More int `json:"more"`
}

// HeldFile is a file with a change that would allow more than before.
type HeldFile struct {
	// Name is its path in the data folder: "settings.json", "memory/SOUL.md".
	Name string `json:"name"`
	Path string `json:"path"`
	// Revision identifies the file's current content.
	Revision string       `json:"revision"`
	Changes  []HeldChange `json:"changes"`
	// More is the number of changes that are too long to be shown in full. The file can't be accepted
	// with them.
	More int `json:"more"`
}

// HeldChange is one difference.
type HeldChange struct {
	// Field says where it is: "permissionMode", "heartbeats.night".
	Field string `json:"field"`
	// Was is the current value, Is the file's, in full; "" is none.
	Was string `json:"was"`
	Is  string `json:"is"`
	// Why describes the effect, a sentence on each line, unless the field makes it clear.
	Why string `json:"why,omitempty"`
}

// HeldRef names a file as it was shown.
type HeldRef struct {
	// Name is that of the list, or "store".
	Name string `json:"name"`
	// Revision is that of the list; none for the store.
	Revision string `json:"revision,omitempty"`
}
