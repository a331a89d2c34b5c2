package search

// FindParams searches for a text in one conversation, from its end backwards. Repeat it with the
// cursor until there is none: each call reads as much as is quick.
type FindParams struct {
	SessionID string `json:"sessionId"`
	// Text is at most 200 bytes.
	Text string `json:"text"`
	// MatchCase distinguishes upper and lower case; Words finds whole words only.
	MatchCase bool `json:"matchCase,omitempty"`
	Words     bool `json:"words,omitempty"`
	// Before is the cursor of the previous part, "" for the end of the conversation.
	Before string `json:"before,omitempty"`
}

// FindPage are the results in a part of a conversation.
type FindPage struct {
	// Hits are oldest first; the hits of the next page are older than all of them.
	Hits []FindHit `json:"hits"`
	// Places counts all matches in this part, Messages the messages read.
	Places   int `json:"places"`
	Messages int `json:"messages"`
	// Total is the number of messages in the conversation, as far as known.
	Total int `json:"total"`
	// Before is the cursor for the older part, "" when this was the beginning.
	Before string `json:"before"`
}

// FindHit is a block of a message that contains the text.
type FindHit struct {
	MessageID string `json:"messageId"`
	// ParentToolUseID is the tool call of the subagent that wrote it, or "".
	ParentToolUseID string `json:"parentToolUseId"`
	// BlockID is "" for the text of a notice.
	BlockID string `json:"blockId"`
	// Kind is "prompt", "answer", "thinking", "toolInput", "toolOutput" or "notice".
	Kind string `json:"kind"`
	// Tool is the tool's name, "" if it is not a tool's.
	Tool string `json:"tool"`
	At   int64  `json:"at"`
	// Count is the number of matches in it.
	Count int `json:"count"`
	// Snippet is the text around the first match; Marks are the matches in it, in UTF-16 units.
	Snippet string       `json:"snippet"`
	Marks   []SearchMark `json:"marks"`
}
