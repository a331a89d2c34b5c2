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
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// errTooLong ends a connection whose peer sends a line over the limit.
var errTooLong = errors.New("message too long")

// connection speaks MCP with one CLI process over a socket.
type connection struct {
	*protocol
	conn    net.Conn
	writing sync.Mutex
}

func newConnection(g *Grant, conn net.Conn, log *slog.Logger) *connection {
	c := &connection{protocol: newProtocol(g.server, g.session, log), conn: conn}
	c.notify = c.write
	return c
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
		if request := c.take(ctx, line); request.waits {
			calls.Go(func() { c.write(request.answer()) })
		} else {
			c.write(request.answer())
		}
	}
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
