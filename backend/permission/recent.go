package permission

import "slices"

// recent is a map that keeps its newest entries: when it is full, the oldest is
// dropped. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	limit   int
	entries map[K]V
	order   []K
}

func newRecent[K comparable, V any](limit int) *recent[K, V] {
	return &recent[K, V]{limit: limit, entries: make(map[K]V)}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	v, ok := r.entries[key]
	return v, ok
}

func (r *recent[K, V]) has(key K) bool {
	_, ok := r.entries[key]
	return ok
}

// put adds an entry or replaces the value of an existing one.
func (r *recent[K, V]) put(key K, value V) {
	if !r.has(key) {
		if len(r.order) == r.limit {
			delete(r.entries, r.order[0])
			r.order = slices.Delete(r.order, 0, 1)
		}
		r.order = append(r.order, key)
	}
	r.entries[key] = value
}

func (r *recent[K, V]) delete(key K) {
	if r.has(key) {
		delete(r.entries, key)
		r.order = slices.DeleteFunc(r.order, func(k K) bool { return k == key })
	}
}
