package claude

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

// maxCalls bounds the control requests that wait for an answer.
const maxCalls = 256

// calls matches control requests with their answers. The zero value is ready.
type calls struct {
	mu sync.Mutex
	// secret is part of every id: who does not know it cannot make an answer look as if
	// Parley had asked.
	secret  string
	last    int
	pending map[string]chan *wire.ControlResponse
	closed  bool
	// replied are requests of the CLI's own whose answer is on the way to it, the oldest
	// first: it says again what it was answered.
	replied []string
}

// maxReplied bounds the answers that the CLI has not said again. One that never does
// needs none of them.
const maxReplied = 1024

// replying notes that a request of the CLI's is about to be answered.
func (c *calls) replying(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.replied) >= maxReplied {
		c.replied = c.replied[1:]
	}
	c.replied = append(c.replied, id)
}

// said says whether an answer is one of Parley's that the CLI says again, as it does
// once for each.
func (c *calls) said(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.replied, id)
	if i >= 0 {
		c.replied = slices.Delete(c.replied, i, i+1)
	}
	return i >= 0
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
		c.secret = "parley-" + rand.Text() + "-"
	}
	c.last++
	id := c.secret + strconv.Itoa(c.last)
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

// answer delivers an answer. It reports whether somebody waited for it, and whether
// Parley had asked at all.
func (c *calls) answer(r *wire.ControlResponse) (awaited, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, awaited := c.pending[r.RequestID]
	if awaited {
		delete(c.pending, r.RequestID)
		ch <- r
		return true, true
	}
	n, ours := strings.CutPrefix(r.RequestID, c.secret)
	nth, err := strconv.Atoi(n)
	return false, ours && c.secret != "" && err == nil && nth > 0 && nth <= c.last
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
