package search

import (
	"fmt"
	"slices"
)

// Kind says what part of a conversation a document is.
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
	kinds // how many there are
)

var kindNames = [kinds]string{"title", "prompt", "answer", "thinking", "tool_input", "tool_output", "notice"}

// String is the name that crosses to front ends.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText gives the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText takes a name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("there is no kind of document %q", text)
	}
	*k = Kind(i)
	return nil
}

// Document is one part of a message that can be found: a prompt, a block of an
// answer, the input of a tool, its output.
type Document struct {
	// MessageID is the message to jump to.
	MessageID string
	// Offset is where the line of the message begins in the transcript, in bytes.
	Offset int64
	// At is in milliseconds since 1970.
	At   int64
	Kind Kind
	// Model that wrote it, and Tool that it is the input or output of; "" for none.
	Model, Tool string
	IsError     bool
	// Text is searched as far as [Limit] says.
	Text string
}

// Limit is how many bytes of a document's text are searched. Nobody looks for what
// stands in the middle of a file that a tool printed, but it is most of what
// transcripts consist of.
func Limit(k Kind) int {
	switch k {
	case ToolInput, ToolOutput:
		return 32 << 10
	case Title:
		return 1 << 10
	}
	return 256 << 10
}

// weight is how much more a word means in one kind than in another.
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
	// ID is unique; results carry it.
	ID   string `json:"id"`
	Path string `json:"path"`
	// CWD is the folder that the conversation is about.
	CWD   string `json:"cwd,omitempty"`
	Title string `json:"title,omitempty"`
	// At is when the conversation was last active, in milliseconds since 1970.
	At int64 `json:"at,omitempty"`
	// Stamp is kept for the caller, who may tell by it whether this is still the
	// same file.
	Stamp string `json:"stamp,omitempty"`
}

// Update is what is new in a transcript.
type Update struct {
	File File
	// From and Through are the bytes of the file that the documents were read from.
	// From is 0, and then the documents replace all that there were of this
	// transcript, or the Through of the update before. Both are the same when only
	// the File changed.
	From, Through int64
	Documents     []Document
}

// State is how far a transcript has been indexed.
type State struct {
	File
	Through int64
}
