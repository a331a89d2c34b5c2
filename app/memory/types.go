package memory

// Parameters and results of memory. A memory file is identified by its path in the memory folder:
// "SOUL.md", "2026-11-21.md", "workspaces/<slug>/NOTES.md".

// MemoryOverview is an overview of the memory.
type MemoryOverview struct {
	// Folder is where the files are.
	Folder string `json:"folder"`
	// Files are in the order of their names.
	Files []MemoryFile `json:"files"`
	// Memories counts all, Bytes is what the files have together and MaxBytes what they
	// may have.
	Memories int   `json:"memories"`
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"maxBytes"`
	// MaxFile is what one file may have, MaxEntry one memory, in bytes.
	MaxFile  int `json:"maxFile"`
	MaxEntry int `json:"maxEntry"`
	// Workspaces are those of the list, and others with memories.
	Workspaces []MemoryWorkspace `json:"workspaces"`
	// Problems are sentences about what is left out.
	Problems []string `json:"problems"`
	// Inject and BudgetTokens are the settings.
	Inject       bool `json:"inject"`
	BudgetTokens int  `json:"budgetTokens"`
}

// MemoryFile is a file of the memory.
type MemoryFile struct {
	File string `json:"file"`
	// Kind is "soul", "user", "notes" or "daily".
	Kind string `json:"kind"`
	// Workspace is the slug of its workspace, "" for none; Day is "2026-11-21" of a daily file.
	Workspace string `json:"workspace"`
	Day       string `json:"day"`
	Bytes     int64  `json:"bytes"`
	Modified  int64  `json:"modified"`
	Memories  int    `json:"memories"`
}

// MemoryWorkspace is a workspace as the memory knows it.
type MemoryWorkspace struct {
	// Slug names it in the memory.
	Slug string `json:"slug"`
	// ID is the workspace's, "" if it is not listed; Path is its folder, "" if unknown.
	ID    string `json:"id"`
	Path  string `json:"path"`
	Title string `json:"title"`
	// Off is true if its sessions include no memory.
	Off      bool `json:"off"`
	Memories int  `json:"memories"`
}

// MemorySearchParams search memories. Without words, all are found, newest first.
type MemorySearchParams struct {
	Words string `json:"words,omitempty"`
	// In leaves out other workspaces: slugs, "" for general memories. Null is all.
	In []string `json:"in,omitempty"`
	// File leaves out other files, About what is about other people.
	File  string `json:"file,omitempty"`
	About string `json:"about,omitempty"`
	// Limit is 1 to 200; 0 means 50.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// MemoryFound are the results, best first.
type MemoryFound struct {
	Memories []Memory `json:"memories"`
	Total    int      `json:"total"`
	// Loose is true when no memory has all the words; these have the most of them.
	Loose bool `json:"loose"`
}

// Memory is one memory: a line of a day, or a paragraph of another file.
type Memory struct {
	ID   string `json:"id"`
	File string `json:"file"`
	// Kind, Workspace and Day are those of the file, Line is its first line.
	Kind      string `json:"kind"`
	Workspace string `json:"workspace"`
	Day       string `json:"day"`
	Line      int    `json:"line"`
	// At is when it was saved. Without a clock that is only the day, or when the file was
	// changed.
	At    int64 `json:"at"`
	Clock bool  `json:"clock"`
	// About is the user it is about, "" for none.
	About string `json:"about"`
	// Text is the full text without invisible parts; Excerpt is the matching part.
	Text    string        `json:"text"`
	Excerpt []MemoryPiece `json:"excerpt"`
	Origin  MemoryOrigin  `json:"origin"`
}

// MemoryPiece is a part of an excerpt. Match is true for matching words.
type MemoryPiece struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

// MemoryOrigin says where a memory came from.
type MemoryOrigin struct {
	// By is "session", "person" (typed in Parley), "chat" (a Mattermost user), "earl" (imported) or
	// "" (by hand, or another program).
	By string `json:"by"`
	// SessionID is the session, SessionTitle its title, "" if it no longer exists.
	SessionID    string `json:"sessionId"`
	SessionTitle string `json:"sessionTitle"`
	SessionKnown bool   `json:"sessionKnown"`
	Heartbeat    string `json:"heartbeat"`
	// Workspace is the slug of the session's folder.
	Workspace string `json:"workspace"`
}

// MemoryFileRef names a file.
type MemoryFileRef struct {
	File string `json:"file"`
}

// MemoryText is a file as it is written.
type MemoryText struct {
	File string `json:"file"`
	Text string `json:"text"`
	// Revision is passed back when writing: a file that changed since then is a conflict. "" stands
	// for a missing file.
	Revision string `json:"revision"`
	// Tokens is the estimated number of tokens.
	Tokens int `json:"tokens"`
}

// MemoryWriteParams replace a file. Empty text deletes it.
type MemoryWriteParams struct {
	File     string `json:"file"`
	Text     string `json:"text"`
	Revision string `json:"revision"`
}

// MemorySaveParams save a memory for a user.
type MemorySaveParams struct {
	Text string `json:"text"`
	// WorkspaceID is the workspace that it is about, "" for none.
	WorkspaceID string `json:"workspaceId,omitempty"`
	// About is whom it is about, "" for the user.
	About string `json:"about,omitempty"`
}

// MemoryChangeParams change a memory's text, if it still has the old one (was).
type MemoryChangeParams struct {
	ID   string `json:"id"`
	Was  string `json:"was"`
	Text string `json:"text"`
}

// MemoryRef names a memory.
type MemoryRef struct {
	ID string `json:"id"`
}

// MemoryForgetFileParams move a file to the trash, if it still has the revision.
type MemoryForgetFileParams struct {
	File     string `json:"file"`
	Revision string `json:"revision"`
}

// MemoryTrash has deleted memories, newest first.
type MemoryTrash struct {
	Items []MemoryForgotten `json:"items"`
}

// MemoryForgotten is an item in the trash.
type MemoryForgotten struct {
	// ID identifies it for memory.restore.
	ID string `json:"id"`
	At int64  `json:"at"`
	// SessionID is the session whose model asked for it, "" for the user.
	SessionID string `json:"sessionId"`
	File      string `json:"file"`
	Text      string `json:"text"`
	// Whole is true for a whole file.
	Whole bool `json:"whole"`
}

// MemoryPreviewParams ask what a new session of a workspace would include, "" for one without a
// workspace.
type MemoryPreviewParams struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
}

// MemoryTold is the memory included in a session.
type MemoryTold struct {
	// Known is false for a session whose process has not started since Parley did.
	Known bool `json:"known"`
	// Off says why nothing is included: "general", "workspace", "tools" (the tool set is off),
	// "rehearsal", or "" for none of these.
	Off string `json:"off"`
	// At is when, in milliseconds since 1970.
	At           int64           `json:"at"`
	Text         string          `json:"text"`
	Tokens       int             `json:"tokens"`
	BudgetTokens int             `json:"budgetTokens"`
	Sections     []MemorySection `json:"sections"`
}

// MemorySection is a part of the memory included in a session.
type MemorySection struct {
	Kind string `json:"kind"`
	// File is "" for the newest daily memories.
	File string `json:"file"`
	// Tokens are included, of Total.
	Tokens int `json:"tokens"`
	Total  int `json:"total"`
	// Memories counts the daily ones that are included, Left those that are not.
	Memories int `json:"memories"`
	Left     int `json:"left"`
}

// MemorySwitchParams set whether a workspace's sessions include memory.
type MemorySwitchParams struct {
	WorkspaceID string `json:"workspaceId"`
	On          bool   `json:"on"`
}

// MemoryImportParams name a folder in EARL's form.
type MemoryImportParams struct {
	Path string `json:"path"`
}

// MemoryImport is the result or preview of an import.
type MemoryImport struct {
	Files []MemoryImportFile `json:"files"`
	// New and Known count memories to import and those that exist already; TooLong counts those
	// over the length limit.
	New      int      `json:"new"`
	Known    int      `json:"known"`
	TooLong  int      `json:"tooLong"`
	Problems []string `json:"problems"`
}

// MemoryImportFile is one file of it.
type MemoryImportFile struct {
	File  string `json:"file"`
	New   int    `json:"new"`
	Known int    `json:"known"`
}
