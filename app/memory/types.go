package memory

// The parameters and results of what is remembered. A file of the memory is known by its
// path below the memory's folder: "SOUL.md", "2026-11-21.md", "workspaces/<slug>/NOTES.md".

// MemoryOverview is what there is.
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
	// Workspaces are those of the list, and others that something is remembered of.
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
	// Workspace is the slug of the workspace that it is about, "" for none; Day is
	// "2026-11-21" of a daily file.
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
	// ID is the workspace's, "" when it is not on the list; Path is its folder, "" when
	// that is unknown.
	ID    string `json:"id"`
	Path  string `json:"path"`
	Title string `json:"title"`
	// Off is true when its sessions are told nothing.
	Off      bool `json:"off"`
	Memories int  `json:"memories"`
}

// MemorySearchParams look for memories. Without words all are found, the newest first.
type MemorySearchParams struct {
	Words string `json:"words,omitempty"`
	// In leaves out other workspaces: slugs, "" for what is about none. Null is all.
	In []string `json:"in,omitempty"`
	// File leaves out other files, About what is about other people.
	File  string `json:"file,omitempty"`
	About string `json:"about,omitempty"`
	// Limit is 1 to 200; 0 means 50.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// MemoryFound is what was found, the best first.
type MemoryFound struct {
	Memories []Memory `json:"memories"`
	Total    int      `json:"total"`
	// Loose is true when no memory has all the words, and these have the most of them.
	Loose bool `json:"loose"`
}

// Memory is one memory: a line of a day, or a paragraph of another file.
type Memory struct {
	ID   string `json:"id"`
	File string `json:"file"`
	// Kind, Workspace and Day are those of the file, Line is where it begins.
	Kind      string `json:"kind"`
	Workspace string `json:"workspace"`
	Day       string `json:"day"`
	Line      int    `json:"line"`
	// At is when it was saved. Without a clock that is only the day, or when the file was
	// changed.
	At    int64 `json:"at"`
	Clock bool  `json:"clock"`
	// About is whom it is about, "" for nobody in particular.
	About string `json:"about"`
	// Text is the whole, without what is not seen; Excerpt the part that was found.
	Text    string        `json:"text"`
	Excerpt []MemoryPiece `json:"excerpt"`
	Origin  MemoryOrigin  `json:"origin"`
}

// MemoryPiece is a part of an excerpt. Match is true for what was looked for.
type MemoryPiece struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

// MemoryOrigin says where a memory came from.
type MemoryOrigin struct {
	// By is "session", "person" (typed in Parley), "chat" (somebody in the team chat),
	// "earl" (imported) or "" (by hand, or another program).
	By string `json:"by"`
	// SessionID is the session, SessionTitle its title, "" when there is none any more.
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
	// Revision is given back to write: a file that changed meanwhile is a conflict. "" is
	// that of a file that is not there.
	Revision string `json:"revision"`
	// Tokens is how many it is estimated to be.
	Tokens int `json:"tokens"`
}

// MemoryWriteParams replace a file. Nothing in it removes it.
type MemoryWriteParams struct {
	File     string `json:"file"`
	Text     string `json:"text"`
	Revision string `json:"revision"`
}

// MemorySaveParams remember something for a user.
type MemorySaveParams struct {
	Text string `json:"text"`
	// WorkspaceID is the workspace that it is about, "" for none.
	WorkspaceID string `json:"workspaceId,omitempty"`
	// About is whom it is about, "" for the user.
	About string `json:"about,omitempty"`
}

// MemoryChangeParams give a memory another text, if it has the one that it had (was).
type MemoryChangeParams struct {
	ID   string `json:"id"`
	Was  string `json:"was"`
	Text string `json:"text"`
}

// MemoryRef names a memory.
type MemoryRef struct {
	ID string `json:"id"`
}

// MemoryForgetFileParams put a file into the trash, if it is what it was at the revision.
type MemoryForgetFileParams struct {
	File     string `json:"file"`
	Revision string `json:"revision"`
}

// MemoryTrash is what was forgotten, the newest first.
type MemoryTrash struct {
	Items []MemoryForgotten `json:"items"`
}

// MemoryForgotten is something in the trash.
type MemoryForgotten struct {
	// ID is that of the trash, for memory.restore.
	ID string `json:"id"`
	At int64  `json:"at"`
	// SessionID is the session whose model asked for it, "" for the user.
	SessionID string `json:"sessionId"`
	File      string `json:"file"`
	Text      string `json:"text"`
	// Whole is true for a whole file.
	Whole bool `json:"whole"`
}

// MemoryPreviewParams ask what a new session of a workspace would be told, "" for one of
// none.
type MemoryPreviewParams struct {
	WorkspaceID string `json:"workspaceId,omitempty"`
}

// MemoryTold is what a session is told.
type MemoryTold struct {
	// Known is false for a session whose process was not started since Parley was.
	Known bool `json:"known"`
	// Off says why nothing is told: "general", "workspace", "tools" (the set of tools is
	// off), "rehearsal", "" for nothing of these.
	Off string `json:"off"`
	// At is when, in milliseconds since 1970.
	At           int64           `json:"at"`
	Text         string          `json:"text"`
	Tokens       int             `json:"tokens"`
	BudgetTokens int             `json:"budgetTokens"`
	Sections     []MemorySection `json:"sections"`
}

// MemorySection is a part of what a session is told.
type MemorySection struct {
	Kind string `json:"kind"`
	// File is "" for the newest daily memories.
	File string `json:"file"`
	// Tokens are told, of Total.
	Tokens int `json:"tokens"`
	Total  int `json:"total"`
	// Memories counts the daily ones that are told, Left those that are not.
	Memories int `json:"memories"`
	Left     int `json:"left"`
}

// MemorySwitchParams say whether the sessions of a workspace are told what is remembered.
type MemorySwitchParams struct {
	WorkspaceID string `json:"workspaceId"`
	On          bool   `json:"on"`
}

// MemoryImportParams name a folder in EARL's form.
type MemoryImportParams struct {
	Path string `json:"path"`
}

// MemoryImport is what was, or would be, taken over.
type MemoryImport struct {
	Files []MemoryImportFile `json:"files"`
	// New and Known count what is taken over and what is there already, TooLong what is
	// longer than a memory may be.
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
