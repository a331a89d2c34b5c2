package outside

// HeldList is what other programs changed in Parley's files, and that waits for a
// user. What was accepted before is in force meanwhile.
type HeldList struct {
	// Doubt says that Parley's own notes are not those that it left, and why: "gone" (they
	// are missing), "older" (they are older than the log of permissions says, or another
	// Parley's), "log" (the log is not as it was left), "seal" (somebody changed them), "restored" (they
	// came back from a snapshot) or "damaged" (they were, and some may be missing).
	// Then nothing holds that was allowed before, until the name "store" is accepted. ""
	// is the usual.
	Doubt string     `json:"doubt"`
	Files []HeldFile `json:"files"`
}

// HeldFile is a file that was changed so that it lets more happen than before.
type HeldFile struct {
	// Name is that in the data folder: "settings.json", "memory/SOUL.md".
	Name string `json:"name"`
	Path string `json:"path"`
	// Revision stands for what the file says now.
	Revision string       `json:"revision"`
	Changes  []HeldChange `json:"changes"`
	// More is how many changes there are beyond these.
	More int `json:"more"`
}

// HeldChange is one difference.
type HeldChange struct {
	// Field says where it is: "permissionMode", "heartbeats.night".
	Field string `json:"field"`
	// Was is what is in force, Is what the file says; "" is nothing.
	Was string `json:"was"`
	Is  string `json:"is"`
	// Why says what it would do, where the field does not.
	Why string `json:"why,omitempty"`
}

// HeldRef names a file as it was shown.
type HeldRef struct {
	// Name is that of the list, or "store".
	Name string `json:"name"`
	// Revision is that of the list; none for the store.
	Revision string `json:"revision,omitempty"`
}
