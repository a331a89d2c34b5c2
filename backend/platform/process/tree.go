package process

import "iter"

// tree maps pids to processes.
type tree map[int]*entry

func newTree(entries []entry) tree {
	t := make(tree, len(entries))
	for i := range entries {
		t[entries[i].id.PID] = &entries[i]
	}
	return t
}

// line yields a process and its ancestors, nearest first. If the system still
// reports the pid of a parent that has ended, its current owner is younger than
// the child and not an ancestor.
func (t tree) line(e *entry) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for n := 0; e != nil && n <= len(t); n++ {
			if !yield(e) {
				return
			}
			parent := t[e.parent]
			if parent == nil || parent == e || parent.id.Start > e.id.Start {
				return
			}
			e = parent
		}
	}
}
