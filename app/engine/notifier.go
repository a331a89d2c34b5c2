package engine

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/toolserver"
)

// notifier sends a CLI notifications of Parley's MCP server, over the CLI's own pipes. One that
// waits too long, or has too many before it, is dropped: nothing depends on them. It has at most
// maxNotices goroutines, which close waits for.
type notifier struct {
	mu      sync.Mutex
	process *claude.Process
	closed  bool
	sending int
	done    sync.WaitGroup
}

const (
	maxNotices = 4
	noticeWait = 5 * time.Second
)

// start sets the process.
func (n *notifier) start(p *claude.Process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.process = p
}

func (n *notifier) send(message json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil || n.closed || n.sending == maxNotices {
		return
	}
	n.sending++
	process := n.process
	n.done.Go(func() {
		defer func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.sending--
		}()
		ctx, cancel := context.WithTimeout(context.Background(), noticeWait)
		defer cancel()
		_, _ = process.Control(ctx, wire.Deliver(toolserver.ServerName, message)) // losing one is harmless
	})
}

func (n *notifier) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.done.Wait()
}
