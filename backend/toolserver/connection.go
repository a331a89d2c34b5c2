package toolserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// errTooLong ends a connection whose peer sends a line over the limit.
var errTooLong = errors.New("message too long")

// connection speaks MCP with one CLI process.
type connection struct {
	log    *slog.Logger
	conn   net.Conn
	mcp    *server.MCPServer
	limits limits

	writing sync.Mutex

	mu sync.Mutex
	// calls holds how to cancel each request under way, by its id as it was sent.
	calls map[string]context.CancelFunc
}

func newConnection(g *Grant, conn net.Conn, log *slog.Logger) *connection {
	c := &connection{
		log:    log.With("session", g.session.ID),
		conn:   conn,
		limits: g.server.limits,
		mcp:    server.NewMCPServer(ServerName, g.server.version, server.WithToolCapabilities(false)),
		calls:  make(map[string]context.CancelFunc),
	}
	for _, tool := range g.session.Tools {
		c.mcp.AddTool(mcp.NewToolWithRawSchema(tool.Name, tool.Description, tool.Schema), c.handler(g.session.ID, tool))
	}
	return c
}

// message is what the reader needs to know of an MCP message.
type message struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// serve reads and answers until the connection ends, and returns when every call
// has ended too. It returns nil when the peer ended it.
func (c *connection) serve(ctx context.Context, r *bufio.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	defer calls.Wait()
	defer cancel()
	for {
		line, err := readLine(r, c.limits.line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			// mcp-go says what is wrong with it.
			c.write(c.answer(ctx, nil, line))
			continue
		}
		switch {
		case m.Method == string(mcp.MethodNotificationCancelled):
			c.cancel(string(m.Params.RequestID))
		case len(m.ID) == 0 || string(m.ID) == "null":
			c.write(c.answer(ctx, nil, line))
		default:
			id := string(m.ID)
			callCtx, problem := c.begin(ctx, id)
			if problem != "" {
				c.write(mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INVALID_REQUEST, problem, nil))
				continue
			}
			calls.Go(func() {
				defer c.end(id)
				reply := c.answer(callCtx, m.ID, line)
				// A cancelled request gets no answer: nobody waits for it.
				if callCtx.Err() == nil {
					c.write(reply)
				}
			})
		}
	}
}

// answer handles one message; id is nil unless it is a request.
func (c *connection) answer(ctx context.Context, id json.RawMessage, line []byte) (reply mcp.JSONRPCMessage) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("Panic while serving an MCP request", "panic", r, "stack", string(debug.Stack()))
			reply = mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "Parley failed to serve this request", nil)
		}
	}()
	return c.mcp.HandleMessage(ctx, line)
}

// begin notes a request, so that it can be cancelled from the moment its line was
// read. It returns a problem when there are too many, or one of that id.
func (c *connection) begin(ctx context.Context, id string) (callCtx context.Context, problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) >= c.limits.calls {
		return nil, "too many requests are under way"
	}
	if _, ok := c.calls[id]; ok {
		return nil, "a request of this id is under way"
	}
	callCtx, cancel := context.WithCancel(ctx)
	c.calls[id] = cancel
	return callCtx, ""
}

func (c *connection) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.calls[id]; ok {
		cancel()
	}
}

func (c *connection) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[id]()
	delete(c.calls, id)
}

// write sends one message. When that fails the connection is gone, which the
// reader finds out by itself.
func (c *connection) write(m mcp.JSONRPCMessage) {
	if m == nil {
		return
	}
	line, err := json.Marshal(m)
	if err != nil {
		c.log.Error("MCP answer could not be encoded", "error", err)
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		c.log.Debug("MCP answer could not be sent", "error", err)
		_ = c.conn.Close()
	}
}

// readLine reads a line of at most limit bytes. A line without an end is io.EOF.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, errTooLong
		}
		line = append(line, part...) // part is only good until the next read
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
