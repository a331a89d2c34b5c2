package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Kind says which part of the CLI sent a request. Scripts usually care about Main and
// Agent; everything else are requests that the CLI makes on its own.
type Kind string

const (
	// Main is a turn of the conversation that the user sees.
	Main Kind = "main"
	// Agent is a turn of a subagent.
	Agent Kind = "agent"
	// Compact asks for the summary that replaces a long conversation.
	Compact Kind = "compact"
	// Title asks for a name for the conversation.
	Title Kind = "title"
	// Probe is a check or warm-up that wants at most one token.
	Probe Kind = "probe"
	// Helper is any other request without tools that the CLI makes on its own:
	// summarizing a fetched page, naming an agent, suggesting a prompt.
	Helper Kind = "helper"
	// Count is POST /v1/messages/count_tokens. The server answers it without the script.
	Count Kind = "count"
)

// Request is one parsed call of the Messages API. Bodies of images and documents
// are dropped. A script must not change it.
type Request struct {
	// Seq numbers the requests of a server from 1.
	Seq  int
	Kind Kind
	// SessionID is the CLI's session, AgentID its subagent; "" when not sent.
	SessionID string
	AgentID   string
	Model     string
	Stream    bool
	MaxTokens int
	// System is the system prompt, its blocks joined by blank lines.
	System string
	// Tools are the names of the offered tools, in request order.
	Tools    []string
	Messages []Message
	// Text is the newest text that a user (or, for a subagent, its parent)
	// wrote, without what the CLI adds around it: the last such block. Later tool results
	// do not hide it. A message sent while a turn runs counts too.
	Text string
	// Fresh is true if Text came after the last answer: this request
	// wants it answered.
	Fresh bool
	// Prompts counts such texts, so it rises with every prompt.
	Prompts int
	// Interrupted is true if the user stopped the last answer.
	Interrupted bool
	// Results are the tool results since the last answer, oldest first.
	Results []ToolResult
	// Notified is true if the CLI reports the end of a background task, with
	// no new text of a user.
	Notified bool
	// Bytes is the size of the body.
	Bytes int
}

// Message is one message of the conversation.
type Message struct {
	Role   string // "user", "assistant" or "system"
	Blocks []Block
}

// Block is one content block. Type is the API's: text, thinking, tool_use,
// tool_result, image, document and so on.
type Block struct {
	Type string
	// Text of text, thinking and tool_result blocks.
	Text string
	// ToolUseID, Name and Input of tool_use; ToolUseID and IsError of tool_result.
	ToolUseID string
	Name      string
	Input     json.RawMessage
	IsError   bool
}

// ToolResult is the result of a tool, joined with the call it answers.
type ToolResult struct {
	ToolUseID string
	Name      string
	Input     json.RawMessage
	Text      string
	IsError   bool
}

type wireRequest struct {
	Model     string          `json:"model"`
	Stream    bool            `json:"stream"`
	MaxTokens int             `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Tools     []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

type wireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// parseRequest decodes a body and the headers that identify the CLI. Its errors
// are meant for the client of the API.
func parseRequest(path string, header http.Header, body []byte) (Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return Request{}, fmt.Errorf("the body is not a valid request: %w", err)
	}
	if len(w.Messages) == 0 {
		return Request{}, errors.New("messages: at least one message is required")
	}
	r := Request{
		SessionID: header.Get("X-Claude-Code-Session-Id"),
		AgentID:   header.Get("X-Claude-Code-Agent-Id"),
		Model:     w.Model,
		Stream:    w.Stream,
		MaxTokens: w.MaxTokens,
		Bytes:     len(body),
	}
	system, err := blocksOf(w.System)
	if err != nil {
		return Request{}, fmt.Errorf("system: %w", err)
	}
	r.System = joinText(system, "\n\n")
	for _, t := range w.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for i, m := range w.Messages {
		blocks, err := blocksOf(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("messages.%d.content: %w", i, err)
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Blocks: blocks})
	}
	r.readConversation()
	r.Kind = r.classify(path)
	return r, nil
}

// blocksOf decodes content, which is a string or a list of blocks.
func blocksOf(raw json.RawMessage) ([]Block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		return []Block{{Type: "text", Text: s}}, nil
	}
	var list []wireBlock
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	blocks := make([]Block, 0, len(list))
	for _, w := range list {
		b := Block{Type: w.Type, Text: w.Text + w.Thinking, Name: w.Name, Input: w.Input, IsError: w.IsError}
		b.ToolUseID = w.ID
		if w.Type == "tool_result" {
			b.ToolUseID = w.ToolUseID
			inner, err := blocksOf(w.Content)
			if err != nil {
				return nil, err
			}
			b.Text = joinText(inner, "\n")
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func joinText(blocks []Block, sep string) string {
	var parts []string
	for _, b := range blocks {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, sep)
}

// HasTool reports whether a tool of this name is offered.
func (r Request) HasTool(name string) bool { return slices.Contains(r.Tools, name) }

// Result returns the newest result of the named tool since the last answer.
func (r Request) Result(name string) (ToolResult, bool) {
	for _, res := range slices.Backward(r.Results) {
		if res.Name == name {
			return res, true
		}
	}
	return ToolResult{}, false
}
