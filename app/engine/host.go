package engine

import (
	"context"
	"encoding/json"

	"parley/app/elicitation"
	"parley/app/feature"
	"parley/app/permissions"
	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// host answers a CLI's requests to its host over the control protocol. Which requests come depends
// on how the CLI was started; every one gets an answer.
type host struct {
	engine *Service
	spec   session.Spec
	// tools is nil if the CLI reaches them over the socket.
	tools *toolserver.Local
	reach permissions.Reach
}

// take is a [claude.Host].
func (h *host) take(req *wire.ControlRequest) claude.Answer {
	switch req.Subtype {
	case "can_use_tool":
		return func(ctx context.Context) (any, error) { return h.canUseTool(ctx, req.CanUseTool) }
	case "mcp_message":
		return h.mcpMessage(req)
	case "elicitation":
		return func(ctx context.Context) (any, error) { return h.elicit(ctx, req) }
	case "hook_callback":
		// No hooks were registered, so there is nothing to answer.
		return func(context.Context) (any, error) { return nil, nil }
	}
	return refuse(fault.New(fault.Invalid, "Parley does not know the request %.100q.", req.Subtype))
}

func refuse(err error) claude.Answer {
	return func(context.Context) (any, error) { return nil, err }
}

// canUseTool asks users whether a tool may run.
func (h *host) canUseTool(ctx context.Context, q *wire.CanUseTool) (any, error) {
	if q == nil {
		return nil, fault.New(fault.Invalid, "The request names no tool.")
	}
	decision, err := h.engine.asked(ctx, h.spec, weighty(q), event.Question{
		ToolUseID: q.ToolUseID, ToolName: q.ToolName, Input: q.Input,
		Title: feature.Plain(q.Title), Description: feature.Plain(q.Description), Reason: feature.Plain(q.DecisionReason),
		BlockedPath: h.reach.Blocked(h.spec.CWD, q.BlockedPath), Suggestions: q.Suggestions, DefaultToNo: q.DefaultToNo,
		// What only a user may answer must not be answered by an earlier answer.
		NoRemember: q.SuppressAlwaysAllow || q.RequiresUserInteraction,
	})
	switch {
	case err != nil:
		return wire.DenyTool(fault.MessageOf(err)), nil
	case !decision.Allowed():
		return wire.DenyTool(decision.Message), nil
	}
	updates, err := forSession(decision.Permissions)
	if err != nil {
		return nil, err
	}
	h.reach.Add(updates)
	return wire.AllowTool(decision.UpdatedInput, updates...), nil
}

// weighty reports whether the CLI's reason for asking needs a user's judgment: one of its own
// rules, a hook, or a safety check. A mode that asks is no such reason.
func weighty(q *wire.CanUseTool) bool {
	switch q.DecisionReasonType {
	case "", "mode", "other", "workingDir", "subcommandResults":
		return q.DefaultToNo
	}
	return true
}

// forSession limits what a user accepted to the session: the CLI suggests writing most of it to the
// files that all sessions read.
//
// An answer that is only to be remembered brings none of it. The permission queue remembers that
// itself, for exactly this call; every rule of the CLI reaches further.
func forSession(suggestions []json.RawMessage) ([]json.RawMessage, error) {
	var updates []json.RawMessage
	for _, raw := range suggestions {
		var update map[string]json.RawMessage
		if err := json.Unmarshal(raw, &update); err != nil || update == nil {
			return nil, fault.New(fault.Invalid, "A suggestion from the CLI cannot be read.")
		}
		update["destination"] = json.RawMessage(`"session"`)
		narrowed, err := json.Marshal(update)
		if err != nil {
			return nil, err
		}
		updates = append(updates, narrowed)
	}
	return updates, nil
}

// mcpMessage passes an MCP message to the session's tools.
func (h *host) mcpMessage(req *wire.ControlRequest) claude.Answer {
	var m wire.MCPMessage
	if err := json.Unmarshal(req.Raw, &m); err != nil {
		return refuse(fault.Wrap(err, fault.Invalid, "The MCP message cannot be read."))
	}
	if h.tools == nil || m.ServerName != toolserver.ServerName {
		return refuse(fault.New(fault.NotFound, "Parley has no MCP server %.100q here.", m.ServerName))
	}
	answer := h.tools.Take(m.Message)
	return func(ctx context.Context) (any, error) {
		reply, err := answer(ctx)
		if err != nil {
			return nil, err
		}
		if reply == nil {
			// The CLI expects an answer where MCP has none.
			reply = json.RawMessage(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		}
		return wire.MCPReply{Response: reply}, nil
	}
}

// elicit asks users for an MCP server.
func (h *host) elicit(ctx context.Context, req *wire.ControlRequest) (any, error) {
	decline := wire.ElicitationAnswer{Action: "decline"}
	var asked wire.Elicitation
	if err := json.Unmarshal(req.Raw, &asked); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The MCP server's request cannot be read.")
	}
	form, err := elicitation.New(asked)
	if err != nil {
		h.engine.cfg.Log.Warn("Declined a request from an MCP server", "session", h.spec.SessionID, "server", asked.ServerName, "reason", err)
		return decline, nil
	}
	for problem := ""; ; {
		input, texts, err := form.Input(problem)
		if err != nil {
			return nil, err
		}
		decision, err := h.engine.Ask(ctx, h.spec, false, event.Question{
			ToolName: "mcp__" + asked.ServerName, Kind: permission.KindQuestion, Input: input,
			Title: feature.Plain(asked.Title), Description: feature.Plain(asked.Description), NoRemember: true,
		})
		switch {
		case err != nil:
			return nil, err
		case decision.Outcome == permission.OutcomeDeny:
			return decline, nil
		case !decision.Allowed():
			return wire.ElicitationAnswer{Action: "cancel"}, nil
		}
		var answer wire.ElicitationAnswer
		if answer, problem = form.Answer(decision.UpdatedInput, texts); problem == "" {
			return answer, nil
		}
	}
}
