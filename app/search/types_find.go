package search

// FindParams looks for a text in one conversation, from its end back. It is asked
// again with the cursor until there is none: each time as much is read as is quick.
type FindParams struct {
	SessionID string `json:"sessionId"`
	// Text is at most 200 bytes.
	Text string `json:"text"`
	// MatchCase tells upper from lower case; Words finds whole words only.
	MatchCase bool `json:"matchCase,omitempty"`
	Words     bool `json:"words,omitempty"`
	// Before is the cursor of the part before, "" for the end of the conversation.
	Before string `json:"before,omitempty"`
}

// FindPage is what was found in a part of a conversation.
type FindPage struct {
	// Hits are oldest first; the hits of the next page are older than all of them.
	Hits []FindHit `json:"hits"`
	// Places counts all places in this part, Messages the messages that were looked at.
	Places   int `json:"places"`
	Messages int `json:"messages"`
	// Total is how many messages the conversation has, as far as it is known.
	Total int `json:"total"`
	// Before is the cursor for the older part, "" when this was the beginning.
	Before string `json:"before"`
}

// FindHit is a block of a message in which the text was found.
type FindHit struct {
	MessageID string `json:"messageId"`
	// ParentToolUseID is the tool use whose subagent said it, or "".
	ParentToolUseID string `json:"parentToolUseId"`
	// BlockID is "" for the text of a notice.
	BlockID string `json:"blockId"`
	// Kind is "prompt", "answer", "thinking", "toolInput", "toolOutput" or "notice".
	Kind string `json:"kind"`
	// Tool is the tool's name, "" for what is none of a tool's.
	Tool string `json:"tool"`
	At   int64  `json:"at"`
	// Count is how many places there are in it.
	Count int `json:"count"`
	// Snippet is the text around the first place; Marks are the places in it, in UTF-16
	// units.
	Snippet string       `json:"snippet"`
	Marks   []SearchMark `json:"marks"`
}
