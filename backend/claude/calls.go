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

// maxCalls bounds the pending control requests.
const maxCalls = 256

// calls matches control requests with their answers. The zero value is ready.
type calls struct {
	mu sync.Mutex
	// secret is part of every id: without it nobody can forge an answer to a request of
	// Parley's.
	secret  string
	last    int
	pending map[string]chan *wire.ControlResponse
	closed  bool
	// replied are the CLI's requests whose answer is on its way, oldest first: the CLI
	// echoes the answers.
	replied []string
}

// maxReplied bounds the answers that the CLI hasn't echoed. A CLI that never does
// needs none of them.
const maxReplied = 1024

// replying records that a request of the CLI is about to be answered.
func (c *calls) replying(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.replied) >= maxReplied {
		c.replied = c.replied[1:]
	}
	c.replied = append(c.replied, id)
}

// said reports whether an answer is the echo of one of Parley's, of which the CLI
// sends one each.
func (c *calls) said(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.replied, id)
	if i >= 0 {
		c.replied = slices.Delete(c.replied, i, i+1)
	}
	return i >= 0
}

// open creates an id and the channel for its answer. The channel is closed
// without an answer when the CLI has ended.
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

// drop removes a request, answered or not.
func (c *calls) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// answer delivers an answer. It reports whether a caller was waiting for it, and
// whether Parley had asked at all.
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

// fail ends every request: no answer can arrive.
func (c *calls) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, ch := range c.pending {
		delete(c.pending, id)
		close(ch)
	}
}
