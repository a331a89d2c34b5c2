package toolserver

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/backend/fault"
)

// PermissionToolName is the tool that the CLI calls before it runs another one.
const PermissionToolName = "permission_prompt"

// PermissionCall is a permission request of the CLI.
type PermissionCall struct {
	ToolName  string          `json:"tool_name" jsonschema:"the tool that wants to run"`
	Input     json.RawMessage `json:"input" jsonschema:"the input it wants to run with"`
	ToolUseID string          `json:"tool_use_id,omitempty" jsonschema:"the tool use in the conversation"`
}

// PermissionTool makes the tool that answers permission requests. ask returns the
// answer in the CLI's format, {"behavior":"allow","updatedInput":{…}} or
// {"behavior":"deny","message":"…"}. It may wait for as long as a user needs;
// its context ends when the CLI no longer asks. Its error becomes a deny with the
// fault's message, because the CLI takes a failed result for a broken server.
func PermissionTool(ask func(ctx context.Context, call Call, question PermissionCall) (json.RawMessage, error)) (Tool, error) {
	schema, err := schemaOf[PermissionCall]()
	if err != nil {
		return Tool{}, fmt.Errorf("schema of tool %s: %w", PermissionToolName, err)
	}
	schema.AdditionalProperties = nil // a newer CLI may send more fields
	return newTool(PermissionToolName, "Asks the person at Parley whether a tool may run. For the CLI's own use.", schema,
		func(ctx context.Context, call Call, question PermissionCall) (Result, error) {
			reply, err := ask(ctx, call, question)
			if err != nil {
				reply, err = json.Marshal(map[string]string{"behavior": "deny", "message": fault.MessageOf(err)})
			}
			return Result{Text: string(reply), whole: true}, err
		})
}
