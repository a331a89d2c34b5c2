package search

import (
	"fmt"
	"slices"
)

// Kind is the part of a conversation that a document is.
type Kind uint8

// The kinds. Prompts are the user's, notices Parley's and the CLI's; the rest is
// the model's, or its tools'.
const (
	Title Kind = iota
	Prompt
	Answer
	Thinking
	ToolInput
	ToolOutput
	Notice
	kinds // the number of kinds
)

var kindNames = [kinds]string{"title", "prompt", "answer", "thinking", "tool_input", "tool_output", "notice"}

// String returns the name used in the API.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText returns the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses a name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("there is no kind of document %q", text)
	}
	*k = Kind(i)
	return nil
}

// Document is a searchable part of a message: a prompt, a block of an answer,
// the input of a tool, its output.
type Document struct {
	// MessageID is the message to jump to.
	MessageID string
	// Offset is where the message's line starts in the transcript, in bytes.
	Offset int64
	// At is in Unix milliseconds.
	At   int64
	Kind Kind
	// Model wrote it, and Tool is the tool of an input or output; "" for none.
	Model, Tool string
	IsError     bool
	// Text is searchable up to [Limit].
	Text string
}

// Limit returns how many bytes of a document's text are searchable. Nobody
// searches the middle of a file that a tool printed, but such files are most of a
// transcript.
func Limit(k Kind) int {
	switch k {
	case ToolInput, ToolOutput:
		return 32 << 10
	case Title:
		return 1 << 10
	}
	return 256 << 10
}

// weight is a word's weight in a kind.
func (k Kind) weight() float32 {
	switch k {
	case Title:
		return 2.5
	case Prompt:
		return 1.6
	case Answer, Notice:
		return 1.2
	case ToolOutput:
		return 0.8
	}
	return 1
}

// File describes a transcript.
type File struct {
	// ID is unique and returned in results.
	ID   string `json:"id"`
	Path string `json:"path"`
	// CWD is the conversation's folder.
	CWD   string `json:"cwd,omitempty"`
	Title string `json:"title,omitempty"`
	// At is when the conversation was last active, in Unix milliseconds.
	At int64 `json:"at,omitempty"`
	// Stamp is stored for the caller, who may use it to detect whether this is
	// still the same file.
	Stamp string `json:"stamp,omitempty"`
}

// Update is what is new in a transcript.
type Update struct {
	File File
	// From and Through are the byte range of the documents. From is 0, which
	// replaces all documents of this transcript, or the previous update's Through.
	// Both are equal if only the File changed.
	From, Through int64
	Documents     []Document
}

// State is how far a transcript is indexed.
type State struct {
	File
	Through int64
}
