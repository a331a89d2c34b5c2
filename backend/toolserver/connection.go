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
	"os"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// errTooLong ends a connection whose peer sends a line over the limit.
var errTooLong = errors.New("message too long")

// connection speaks MCP with one CLI process over a socket.
type connection struct {
	*protocol
	grant *Grant
	conn  net.Conn
	// partial is the part of a line read so far. It belongs to the reader.
	partial []byte

	writing sync.Mutex
	change  *sync.Cond
	// frozen: nothing is read or written; waits: the reader has stopped because of that.
	frozen, waits bool
	// open holds the unanswered calls by id; last counts all calls.
	open map[string]*openCall
	last int
	// again are calls that the previous program left unanswered.
	again []handedCall
	// ended is closed when the reader has ended.
	ended chan struct{}
}

// openCall is an unanswered call.
type openCall struct {
	nth int
	raw []byte
	// answer is the unwritten answer, nil if there is none yet.
	answer mcp.JSONRPCMessage
}

func newConnection(g *Grant, conn net.Conn, log *slog.Logger) *connection {
	c := &connection{protocol: newProtocol(g.server, g.session, log), grant: g, conn: conn, open: make(map[string]*openCall), ended: make(chan struct{})}
	c.change = sync.NewCond(&c.writing)
	c.notify = func(m mcp.JSONRPCMessage) { c.write("", m) }
	return c
}

// serve reads and answers until the connection ends, and returns when every call
// has ended too. It returns nil when the peer closed the connection.
func (c *connection) serve(ctx context.Context, r *bufio.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	defer calls.Wait()
	defer c.resume()
	defer cancel()
	defer close(c.ended)
	c.repeat(ctx, &calls)
	for {
		line, err := c.read(r)
		if errors.Is(err, os.ErrDeadlineExceeded) && c.pause(ctx) {
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c.take(ctx, &calls, line)
		}
	}
}

// take handles a message.
func (c *connection) take(ctx context.Context, calls *sync.WaitGroup, line []byte) {
	request := c.protocol.take(ctx, line)
	if !request.waits {
		c.write("", request.answer())
		return
	}
	c.writing.Lock()
	c.last++
	c.open[request.id] = &openCall{nth: c.last, raw: line}
	c.writing.Unlock()
	calls.Go(func() { c.write(request.id, request.answer()) })
}

// write sends one message: the answer to a call, or any other message when call is "". If it
// fails, the connection is gone, which the reader notices.
func (c *connection) write(call string, m mcp.JSONRPCMessage) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if open := c.open[call]; open != nil {
		open.answer = m
		if m == nil { // nobody waits for an answer
			delete(c.open, call)
		}
	}
	if m == nil {
		return
	}
	line, err := json.Marshal(m)
	if err != nil {
		c.log.Error("Couldn't encode an MCP response", "err", err)
		return
	}
	for c.frozen {
		c.change.Wait()
	}
	delete(c.open, call)
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		c.log.Debug("Couldn't send an MCP response", "err", err)
		_ = c.conn.Close()
	}
}

// read reads a line up to the limit. A line without a line end is io.EOF. A partial line is
// kept for the next read.
func (c *connection) read(r *bufio.Reader) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(c.partial)+len(part) > c.limits.line {
			return nil, errTooLong
		}
		c.partial = append(c.partial, part...) // part is only valid until the next read
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		line := c.partial
		c.partial = nil
		return line, nil
	}
}
