package process

import "iter"

// tree says who descends from whom.
type tree map[int]*entry

func newTree(entries []entry) tree {
	t := make(tree, len(entries))
	for i := range entries {
		t[entries[i].id.PID] = &entries[i]
	}
	return t
}

// line is a process and its ancestors, the nearest first. Where the system still
// tells the number of a parent that has ended, whoever has it now is younger than
// the child and no ancestor.
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
