package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Tool is something that the CLI may call.
type Tool struct {
	// Name is without the prefix that the CLI puts before it.
	Name        string
	Description string
	// Schema is the JSON schema of the arguments.
	Schema json.RawMessage
	// Handle serves a call. It may take any time; calls run beside each other. Its
	// context ends when nobody waits for the result any more. An error becomes a
	// failed result with the error's text, and so does a panic, without it.
	Handle func(ctx context.Context, call Call) (Result, error)
}

// Call is one call of a tool.
type Call struct {
	// SessionID is the session whose CLI calls: a fact of the connection.
	SessionID string
	// Arguments is a JSON object, as it was sent.
	Arguments json.RawMessage
}

// Result is what a tool gives back: one text.
type Result struct {
	Text    string
	IsError bool
}

// NewTool makes a tool whose arguments are those of In, a struct: names and
// descriptions come from its json and jsonschema tags. Arguments that do not fit
// (unknown ones included) are refused with a failed result that names them.
func NewTool[In any](name, description string, handle func(ctx context.Context, call Call, in In) (Result, error)) (Tool, error) {
	schema, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("schema of tool %s: %w", name, err)
	}
	return newTool(name, description, schema, handle)
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
		arguments := request.Params.RawArguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		out, err := tool.Handle(ctx, Call{SessionID: sessionID, Arguments: arguments})
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		if out.IsError {
			return mcp.NewToolResultError(out.Text), nil
		}
		return mcp.NewToolResultText(out.Text), nil
	}
}
