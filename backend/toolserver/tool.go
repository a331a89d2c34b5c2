package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"parley/backend/truncate"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// MaxResult bounds the text of a result, and its structured form, in bytes. The CLI
// writes results over 50,000 characters to a file, and shows the model 2 KB of them
// (2.1.329; over 25,000 tokens it would cut, see MAX_MCP_OUTPUT_TOKENS).
const MaxResult = 48 << 10

// Tool is a tool that the CLI may call.
type Tool struct {
	// Name is the name without the CLI's prefix.
	Name string
	// Title is the display name, "" for none.
	Title       string
	Description string
	Hints       Hints
	// Loaded tools are in the prompt from the start. Of others the CLI may tell the
	// model only the names until it searches for one (2.1.329, "tool search").
	Loaded bool
	// Schema is the JSON schema of the arguments, Output that of [Result.Structured], nil
	// for a tool without structured results.
	Schema, Output json.RawMessage
	// Handle serves a call. It may take any time; calls run concurrently. Its
	// context ends when nobody waits for the result. An error becomes a
	// failed result with the error's text; a panic becomes one without it.
	Handle func(ctx context.Context, call Call) (Result, error)
}

// Hints describe what a tool does. The CLI relies on them: tools that only read may run in
// parallel, and in plan mode.
type Hints struct {
	// ReadOnly tools change nothing.
	ReadOnly bool
	// Destructive tools may delete something.
	Destructive bool
	// Idempotent tools have no further effect when they are called again with the same arguments.
	Idempotent bool
	// OpenWorld tools reach beyond this machine.
	OpenWorld bool
}

// Call is one call of a tool.
type Call struct {
	// SessionID is the session whose CLI calls: a fact of the connection.
	SessionID string
	// Tool is the tool's name as the CLI writes it, "mcp__parley__" and its own name.
	Tool string
	// ToolUseID is the tool use in the conversation, "" if the CLI doesn't send it. It is
	// the CLI's own claim: good for grouping in the display, not for decisions.
	ToolUseID string
	// Arguments is a JSON object, as it was sent.
	Arguments json.RawMessage

	progress func(done, total float64, message string)
}

// Progress reports the progress of a call to the CLI, total 0 for an unknown end. It does nothing
// if the CLI did not ask for it, and does not wait. done must grow.
func (c Call) Progress(done, total float64, message string) {
	if c.progress != nil {
		c.progress(done, total, message)
	}
}

// Result is the result of a tool.
type Result struct {
	// Text is cut to [MaxResult].
	Text string
	// Structured, if not nil, encodes to a JSON object that fits [Tool.Output]. The
	// model reads it instead of Text. One over [MaxResult] becomes an error.
	Structured any
	IsError    bool
	// whole is set for results that the CLI reads itself: they must not be cut.
	whole bool
}

// NewTool makes a tool whose arguments are those of In, a struct: names and
// descriptions come from its json and jsonschema tags. Arguments that do not fit
// (including unknown ones) are rejected with a failed result that names them.
func NewTool[In any](name, description string, handle func(ctx context.Context, call Call, in In) (Result, error)) (Tool, error) {
	schema, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("schema of tool %s: %w", name, err)
	}
	return newTool(name, description, schema, handle)
}

// NewStructuredTool is [NewTool] for a tool that returns an Out, a struct, which the
// model reads as JSON.
func NewStructuredTool[In, Out any](name, description string, handle func(ctx context.Context, call Call, in In) (Out, error)) (Tool, error) {
	output, err := schemaOf[Out]()
	if err != nil {
		return Tool{}, fmt.Errorf("schema of the result of tool %s: %w", name, err)
	}
	raw, err := json.Marshal(output)
	if err != nil {
		return Tool{}, fmt.Errorf("schema of the result of tool %s: %w", name, err)
	}
	tool, err := NewTool(name, description, func(ctx context.Context, call Call, in In) (Result, error) {
		out, err := handle(ctx, call, in)
		if err != nil {
			return Result{}, err
		}
		return Result{Structured: out}, nil
	})
	tool.Output = raw
	return tool, err
}

// schemaOf derives a schema from a Go type. Raw JSON in it stands for an object.
func schemaOf[In any]() (*jsonschema.Schema, error) {
	return jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
}

func newTool[In any](name, description string, schema *jsonschema.Schema, handle func(ctx context.Context, call Call, in In) (Result, error)) (Tool, error) {
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return Tool{}, fmt.Errorf("schema of tool %s: %w", name, err)
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return Tool{}, fmt.Errorf("schema of tool %s: %w", name, err)
	}
	return Tool{Name: name, Description: description, Schema: raw, Handle: func(ctx context.Context, call Call) (Result, error) {
		var value any
		if err := json.Unmarshal(call.Arguments, &value); err != nil {
			return Result{}, fmt.Errorf("read the arguments: %w", err)
		}
		if err := resolved.Validate(value); err != nil {
			return Result{}, fmt.Errorf("the arguments of %s do not fit: %w", name, err)
		}
		var in In
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return Result{}, fmt.Errorf("read the arguments: %w", err)
		}
		return handle(ctx, call, in)
	}}, nil
}

// handler makes mcp-go's handler of a tool.
func (p *protocol) handler(sessionID string, tool Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		defer func() {
			if r := recover(); r != nil {
				p.log.Error("Panic in a tool", "tool", tool.Name, "panic", r, "stack", string(debug.Stack()))
				result, err = mcp.NewToolResultError("The tool "+tool.Name+" failed inside Parley."), nil
			}
		}()
		call := Call{SessionID: sessionID, Tool: Prefix + tool.Name, Arguments: request.Params.RawArguments}
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage("{}")
		}
		if meta := request.Params.Meta; meta != nil {
			if id, ok := meta.AdditionalFields[toolUseKey].(string); ok && len(id) <= maxToolUseID {
				call.ToolUseID = id
			}
			if meta.ProgressToken != nil && p.notify != nil {
				call.progress = p.progress(ctx, meta.ProgressToken)
			}
		}
		out, err := tool.Handle(ctx, call)
		if err != nil {
			return mcp.NewToolResultError(bounded(err.Error())), nil
		}
		return p.result(tool, out), nil
	}
}

// toolUseKey is the key under which the CLI sends the tool use of a call.
const toolUseKey = "claudecode/toolUseId"

// maxToolUseID bounds the id of a tool use, in bytes.
const maxToolUseID = 256

// result converts a tool's result to MCP.
func (p *protocol) result(tool Tool, out Result) *mcp.CallToolResult {
	if out.IsError {
		return mcp.NewToolResultError(bounded(out.Text))
	}
	if out.whole {
		return mcp.NewToolResultText(out.Text)
	}
	if out.Structured == nil {
		return mcp.NewToolResultText(bounded(out.Text))
	}
	raw, err := json.Marshal(out.Structured)
	switch {
	case err != nil:
		p.log.Error("Couldn't encode the result of a tool", "tool", tool.Name, "err", err)
		return mcp.NewToolResultError("The tool " + tool.Name + " failed inside Parley.")
	case len(raw) > MaxResult:
		return mcp.NewToolResultError(fmt.Sprintf("The result of %s has %d bytes; the limit is %d. Ask for less.", tool.Name, len(raw), MaxResult))
	case out.Text == "":
		out.Text = string(raw)
	}
	result := mcp.NewToolResultText(bounded(out.Text))
	result.StructuredContent = json.RawMessage(raw)
	return result
}

// bounded cuts a text, and marks the cut.
func bounded(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= MaxResult {
		return text
	}
	shown := truncate.Prefix(text, MaxResult-100)
	return fmt.Sprintf("%s\n\n(Cut here: %d of %d bytes are left out.)", shown, len(text)-len(shown), len(text))
}

// minProgress is the minimum interval between two progress notices of a call.
const minProgress = 100 * time.Millisecond

// progress returns a function that sends the progress of a call until ctx ends.
func (p *protocol) progress(ctx context.Context, token mcp.ProgressToken) func(done, total float64, message string) {
	var mu sync.Mutex
	var last time.Time
	return func(done, total float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); ctx.Err() == nil && now.Sub(last) >= minProgress {
			last = now
			params := map[string]any{"progressToken": token, "progress": done}
			if total > 0 {
				params["total"] = total
			}
			if message != "" {
				params["message"] = bounded(message)
			}
			p.notify(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/progress", "params": params})
		}
	}
}
