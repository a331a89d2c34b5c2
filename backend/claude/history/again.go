package history

import (
	"bytes"
	"context"
	"io"
)

// again reports whether a line of the conversation is in the file once more, after the
// page: the CLI rewrites lines that it keeps in a compaction, and copying a conversation
// may do so too. The newest copy is shown.
//
// Links lead from one line back to another, except at a beginning: where the conversation,
// or what a compaction left of it, begins, earlier lines may be copies of lines on a newer
// page. So this is only checked before a beginning, and the amount it reads is bounded.
func (g *gatherer) again(ctx context.Context, id string) bool {
	if g.later != nil {
		return g.later[hash(id)]
	}
	from := g.from
	to := min(g.s.size, from+maxAside-g.looked)
	sought, found := []byte(`"uuid":"`+id+`"`), false
	_, _ = forward(ctx, g.s, from, to, func(place span, raw []byte) error {
		g.looked += place.size
		if found = bytes.Contains(raw, sought); found {
			return io.EOF
		}
		return nil
	})
	if !found {
		return false
	}
	// It may also be one that was abandoned when a user went back: that one hides nothing.
	var nodes []node
	later := gatherer{s: g.s}
	_, _ = forward(ctx, g.s, from, to, func(place span, raw []byte) error {
		g.looked += place.size
		if l, ok := later.parse(ctx, place, raw); ok && l.UUID != "" && l.Sidechain == g.sidechain {
			nodes = append(nodes, newNode(&l))
		}
		return nil
	})
	taken, _, _ := onTrail(nodes, []Mark{{Line: hash(id)}})
	g.later = make(map[uint64]bool, len(taken))
	for _, i := range taken {
		g.later[nodes[i].ID] = true
	}
	return g.later[hash(id)]
}
