package history

import (
	"context"
	"errors"
	"io"
	"slices"

	"parley/backend/claude/transcript"
)

// mayEndHere reports whether a turn that started before the page may end on it: its
// outcome then needs the lines from its start.
func (g *gatherer) mayEndHere() bool {
	if g.sidechain {
		return false
	}
	picked := slices.Clone(g.picked)
	inOrder(picked)
	ends := false
	for _, p := range picked {
		switch {
		case p.line.Sidechain:
		case p.line.BeginsTurn():
			return ends
		case p.line.Type == "assistant":
			ends = p.line.MayEndTurn()
		}
	}
	return ends
}

// whetherOver reads past a page if only that shows whether its last turn is over.
func (g *gatherer) whetherOver(ctx context.Context, f *transcript.File, at int64) error {
	if !f.Unsaid() {
		return nil
	}
	_, err := forward(ctx, g.s, at, g.s.size, func(place span, raw []byte) error {
		l, ok := g.parse(ctx, place, raw)
		if ok && !l.Sidechain && (l.BeginsTurn() || l.Type == "assistant") {
			f.Next(l)
			return io.EOF
		}
		if place.at-at > maxAhead {
			return io.EOF
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
