package claude

import (
	"strconv"
	"sync"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

// maxCalls bounds the control requests that wait for an answer.
const maxCalls = 256

// calls matches control requests with their answers. The zero value is ready.
type calls struct {
	mu      sync.Mutex
	last    int
	pending map[string]chan *wire.ControlResponse
	closed  bool
}

// open makes an id and the channel on which its answer will come. The channel is
// closed without an answer when the CLI has ended.
func (c *calls) open() (string, <-chan *wire.ControlResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return "", nil, ErrGone
	case len(c.pending) >= maxCalls:
		return "", nil, fault.New(fault.Busy, "Claude Code has too many unanswered requests. Try again, or close the session.")
	case c.pending == nil:
		c.pending = make(map[string]chan *wire.ControlResponse)
	}
	c.last++
	id := "parley-" + strconv.Itoa(c.last)
	ch := make(chan *wire.ControlResponse, 1)
	c.pending[id] = ch
	return id, ch, nil
}

// drop forgets a request, answered or not.
func (c *calls) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// answer delivers an answer. It reports false when nobody waits for it.
func (c *calls) answer(r *wire.ControlResponse) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.pending[r.RequestID]
	if ok {
		delete(c.pending, r.RequestID)
		ch <- r
	}
	return ok
}

// fail ends every request: no answer can come any more.
func (c *calls) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, ch := range c.pending {
		delete(c.pending, id)
		close(ch)
	}
}
