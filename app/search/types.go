package search

// SearchParams looks for words in all conversations.
type SearchParams struct {
	// Text has words, "phrases in quotation marks" and unfinished words at the end.
	Text string `json:"text"`
	// WorkspaceID, SessionID, Model (a part of its name), Since and Until (Unix
	// milliseconds, Until not included) narrow the search, and so does HasError: what
	// failed.
	WorkspaceID string `json:"workspaceId,omitempty"`
	SessionID   string `json:"sessionId,omitempty"`
	Model       string `json:"model,omitempty"`
	Since       int64  `json:"since,omitempty"`
	Until       int64  `json:"until,omitempty"`
	HasError    bool   `json:"hasError,omitempty"`
	// Kinds is any of "title", "prompt", "answer", "thinking", "tool_input",
	// "tool_output", "notice"; none means all.
	Kinds []string `json:"kinds,omitempty"`
	// Limit is 1 to 100; 0 means 30.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// SearchResult has the results, best first.
type SearchResult struct {
	Hits []SearchHit `json:"hits"`
	// Total counts all, up to a bound; More is true beyond it.
	Total int  `json:"total"`
	More  bool `json:"more"`
	// Partial is true while conversations are still being read.
	Partial bool    `json:"partial"`
	TookMs  float64 `json:"tookMs"`
}

// SearchHit is one place in a conversation.
type SearchHit struct {
	SessionID string `json:"sessionId"`
	// Title and CWD are the session's.
	Title string `json:"title"`
	CWD   string `json:"cwd"`
	// Kind is one of those of SearchParams.
	Kind string `json:"kind"`
	// Tool is the tool's name, "" if it is not a tool's.
	Tool    string `json:"tool"`
	Model   string `json:"model"`
	IsError bool   `json:"isError"`
	At      int64  `json:"at"`
	// Snippet is the text around the words; Marks are their places in it, in UTF-16
	// units, as JavaScript counts.
	Snippet string       `json:"snippet"`
	Marks   []SearchMark `json:"marks"`
	// Target is for session.findMessage; "" is the end of the conversation.
	Target string `json:"target"`
	// MessageID is the message's, "" for a title or if unknown.
	MessageID string `json:"messageId"`
}

// SearchMark is the place of a word: from Start, up to End.
type SearchMark struct {
	Start int `json:"start"`
	End   int `json:"end"`
}
