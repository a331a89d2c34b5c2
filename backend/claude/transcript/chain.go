package transcript

// maxAside is how many skipped answers a trail remembers.
const maxAside = 256

// Trail follows a conversation from its newest line back to its first. A
// transcript is only ever appended to: if a user went back and continued
// differently, the old lines are still there, and only the links tell. A trail
// follows the newest branch. It is fed the nodes of linked lines, newest first.
//
// Two things are on the trail without being in the chain: the results of tools that
// ran in parallel (only one of them is linked to what follows), and pieces of an
// answer that has another piece in the chain.
type Trail[K comparable] struct {
	want    K
	looking bool
	answer  K
	aside   map[K][]int
	asides  []K
}

// Node is what a trail needs from a line.
type Node[K comparable] struct {
	ID, Parent K
	// Answer is the message id of an assistant's line.
	Answer K
	// Result is set if the line only contains tool results.
	Result bool
}

// Node returns the line's node.
func (l *Line) Node() Node[string] {
	return Node[string]{ID: l.UUID, Parent: l.Parent, Answer: l.MessageID, Result: l.Type == "user" && len(l.acts()) == 0 && l.hasResults()}
}

// Resume makes a trail look for a line: the parent of the last one on it. The
// zero value accepts the first node.
func (t *Trail[K]) Resume(want K) {
	var none K
	*t = Trail[K]{want: want, looking: want != none}
}

// Want returns the line that the trail looks for, zero if any will do.
func (t *Trail[K]) Want() K {
	if !t.looking {
		var none K
		return none
	}
	return t.want
}

// Take reports whether a node is on the trail. at is the caller's number for it;
// found lists numbers of nodes that were rejected before and are on the trail
// after all.
func (t *Trail[K]) Take(n Node[K], at int) (on bool, found []int) {
	var none K
	if t.looking && n.ID != t.want {
		if n.Answer != none {
			if n.Answer == t.answer {
				return true, nil
			}
			t.putAside(n.Answer, at)
		}
		return n.Result, nil
	}
	t.want, t.looking = n.Parent, n.Parent != none
	if n.Answer != none {
		t.answer = n.Answer
		found = t.aside[n.Answer]
		delete(t.aside, n.Answer)
	}
	return true, found
}

func (t *Trail[K]) putAside(answer K, at int) {
	if t.aside == nil {
		t.aside = make(map[K][]int)
	}
	if t.aside[answer] == nil {
		if len(t.asides) >= maxAside {
			delete(t.aside, t.asides[0])
			t.asides = t.asides[1:]
		}
		t.asides = append(t.asides, answer)
	}
	if len(t.aside[answer]) < maxAside {
		t.aside[answer] = append(t.aside[answer], at)
	}
}
