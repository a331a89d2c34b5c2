package desktop

import (
	"container/list"
	"strconv"
	"sync"
)

// A park keeps events too large for a script evaluation until the page pulls them, once each. If
// there are too many, the oldest is dropped first: the page then finds a gap in the sequence and
// requests a snapshot.
type park struct {
	max int

	mu    sync.Mutex
	next  uint64
	bytes int
	order *list.List // of parked, oldest first
	byID  map[string]*list.Element
}

type parked struct {
	id   string
	body []byte
}

func newPark(maxBytes int) *park {
	return &park{max: maxBytes, order: list.New(), byID: make(map[string]*list.Element)}
}

// put stores body and returns the id to pull it with. A body over the total limit is not stored;
// its id is then never found.
func (p *park) put(body []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	id := strconv.FormatUint(p.next, 36)
	if len(body) > p.max {
		return id
	}
	for p.bytes+len(body) > p.max {
		p.remove(p.order.Front())
	}
	p.byID[id] = p.order.PushBack(parked{id, body})
	p.bytes += len(body)
	return id
}

// take removes and returns a body.
func (p *park) take(id string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.byID[id]
	if !ok {
		return nil, false
	}
	body := e.Value.(parked).body
	p.remove(e)
	return body, true
}

// clear drops everything: the page that would have pulled it is gone.
func (p *park) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order.Init()
	clear(p.byID)
	p.bytes = 0
}

// remove drops one element; mu is held.
func (p *park) remove(e *list.Element) {
	v := e.Value.(parked)
	p.order.Remove(e)
	delete(p.byID, v.id)
	p.bytes -= len(v.body)
}
