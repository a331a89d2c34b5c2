package toolserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// protocol answers the MCP messages of one CLI process, over either transport.
type protocol struct {
	log    *slog.Logger
	mcp    *server.MCPServer
	limits limits
	// notify sends a message that is not an answer, and does not wait for long. It may be nil.
	notify func(message mcp.JSONRPCMessage)

	mu sync.Mutex
	// calls holds the cancel function of each running request, by its id as it was sent.
	calls map[string]context.CancelFunc
	// session is the owner's id, repeatable are the tools that may be called twice.
	session    string
	repeatable map[string]bool
	asking     func(sessionID, toolUseID string) bool
}

func newProtocol(s *Server, session Session, log *slog.Logger) *protocol {
	p := &protocol{
		log:     log.With("session", session.ID),
		limits:  s.limits,
		mcp:     server.NewMCPServer(ServerName, s.version, server.WithToolCapabilities(false)),
		calls:   make(map[string]context.CancelFunc),
		session: session.ID, repeatable: make(map[string]bool), asking: s.asking,
	}
	for _, tool := range session.Tools {
		made := mcp.NewToolWithRawSchema(tool.Name, tool.Description, tool.Schema)
		made.RawOutputSchema = tool.Output
		made.Annotations = mcp.ToolAnnotation{
			Title: tool.Title, ReadOnlyHint: &tool.Hints.ReadOnly, DestructiveHint: &tool.Hints.Destructive,
			IdempotentHint: &tool.Hints.Idempotent, OpenWorldHint: &tool.Hints.OpenWorld,
		}
		if tool.Loaded {
			made.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
		}
		p.mcp.AddTool(made, p.handler(session.ID, tool))
		p.repeatable[tool.Name] = tool.Hints.ReadOnly || tool.Hints.Idempotent || tool.Name == PermissionToolName
	}
	return p
}

// message holds the fields of an MCP message needed before it is handled.
type message struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// taken is a message that was accepted and not answered yet.
type taken struct {
	// answer must be called once. It returns nil if the peer gets no answer.
	answer func() mcp.JSONRPCMessage
	// waits is true if the answer may take any time. id is then the request's.
	waits bool
	id    string
}

// take accepts the next message without waiting. Messages must be taken in the
// order in which they were sent, so that a cancellation finds its call. What they
// start ends with ctx.
func (p *protocol) take(ctx context.Context, raw []byte) taken {
	now := func(m mcp.JSONRPCMessage) taken { return taken{answer: func() mcp.JSONRPCMessage { return m }} }
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		// mcp-go reports what is wrong with it.
		return taken{answer: func() mcp.JSONRPCMessage { return p.answer(ctx, nil, raw) }}
	}
	switch {
	case m.Method == string(mcp.MethodNotificationCancelled):
		p.cancel(string(m.Params.RequestID))
		return now(nil)
	case len(m.ID) == 0 || string(m.ID) == "null":
		return taken{answer: func() mcp.JSONRPCMessage { return p.answer(ctx, nil, raw) }}
	}
	id := string(m.ID)
	callCtx, problem := p.begin(ctx, id)
	if problem != "" {
		return now(mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INVALID_REQUEST, problem, nil))
	}
	return taken{waits: true, id: id, answer: func() mcp.JSONRPCMessage {
		defer p.end(id)
		reply := p.answer(callCtx, m.ID, raw)
		if callCtx.Err() != nil {
			return nil // nobody waits for an answer
		}
		return reply
	}}
}

// answer handles one message; id is nil unless it is a request.
func (p *protocol) answer(ctx context.Context, id json.RawMessage, raw []byte) (reply mcp.JSONRPCMessage) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("Panic while serving an MCP request", "panic", r, "stack", string(debug.Stack()))
			reply = mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "Parley failed to serve this request", nil)
		}
	}()
	return p.mcp.HandleMessage(ctx, raw)
}

// begin registers a request, so that it can be cancelled as soon as it was read.
// It returns a problem if there are too many requests, or one with that id.
func (p *protocol) begin(ctx context.Context, id string) (callCtx context.Context, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) >= p.limits.calls {
		return nil, "too many requests are under way"
	}
	if _, ok := p.calls[id]; ok {
		return nil, "a request of this id is under way"
	}
	callCtx, cancel := context.WithCancel(ctx)
	p.calls[id] = cancel
	return callCtx, ""
}

func (p *protocol) cancel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel, ok := p.calls[id]; ok {
		cancel()
	}
}

func (p *protocol) end(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[id]()
	delete(p.calls, id)
}
