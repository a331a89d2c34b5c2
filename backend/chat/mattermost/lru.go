package mattermost

import (
	"container/list"
	"sync"
	"time"
)

// lru keeps the most recently used values, each for at most ttl (0: as long as there is
// room).
type lru[V any] struct {
	mu    sync.Mutex
	most  int
	ttl   time.Duration
	order *list.List
	byKey map[string]*list.Element
	// dropped is called, with the lock held, for values evicted for lack of room.
	dropped func(V)
}

type kept[V any] struct {
	key   string
	value V
	until time.Time
}

func newLRU[V any](most int, ttl time.Duration) *lru[V] {
	return &lru[V]{most: most, ttl: ttl, order: list.New(), byKey: map[string]*list.Element{}}
}

func (l *lru[V]) get(key string) (V, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var none V
	e, ok := l.byKey[key]
	if !ok {
		return none, false
	}
	k := e.Value.(*kept[V])
	if l.ttl > 0 && time.Now().After(k.until) {
		l.order.Remove(e)
		delete(l.byKey, key)
		return none, false
	}
	l.order.MoveToFront(e)
	return k.value, true
}

func (l *lru[V]) put(key string, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.Remove(e)
	}
	l.byKey[key] = l.order.PushFront(&kept[V]{key, value, time.Now().Add(l.ttl)})
	for l.order.Len() > l.most {
		e := l.order.Back()
		k := e.Value.(*kept[V])
		l.order.Remove(e)
		delete(l.byKey, k.key)
		if l.dropped != nil {
			l.dropped(k.value)
		}
	}
}

func (l *lru[V]) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.Remove(e)
		delete(l.byKey, key)
	}
}

func (l *lru[V]) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order.Init()
	clear(l.byKey)
}
