package history

import (
	"bytes"
	"context"
	"hash/maphash"
	"strconv"

	"parley/backend/claude/transcript"
)

const (
	// maxText is the longest text returned for searching.
	maxText = 256 << 10
	// maxToolText is the same for tool inputs and outputs: most of a conversation,
	// and rarely searched.
	maxToolText = 32 << 10
	// maxTexts is how many texts are remembered to return duplicates only once.
	maxTexts = 200_000
	// maxTools is how many tool uses are remembered until their output comes.
	maxTools = 10_000
	// maxBack is how far before the start tool uses are searched whose output
	// comes first.
	maxBack = 256 << 10
	// keptBehind is how far after a compaction the lines it kept may start.
	keptBehind = 32 << 10
)

// Text is a searchable text of a conversation.
type Text struct {
	transcript.Part
	// At is where the text's line starts. [Transcript.CursorAt] leads there.
	At int64
	// Time is in Unix milliseconds, or 0.
	Time int64
	// Model is the model that wrote it, or "". Outputs have the model, name and message
	// of their tool use, unless it is far back.
	Model string
}

// Stamp identifies the file among others with its path: appending doesn't change
// it, replacing does. Size is in bytes.
func (t *Transcript) Stamp() (stamp string, size int64, err error) {
	s, err := t.open()
	if err != nil {
		return "", 0, err
	}
	defer s.Close()
	return strconv.FormatUint(s.print, 36), s.size, nil
}

// Texts calls fn for every text from an offset on, the start of a line, and returns
// the offset to continue from when the file has grown. Turns that were abandoned when
// a user went back are included. Texts over 256 KiB, and tools' over 32 KiB, are
// truncated.
func (t *Transcript) Texts(ctx context.Context, from int64, fn func(Text) error) (through int64, err error) {
	s, err := t.open()
	if err != nil {
		return from, err
	}
	defer s.Close()
	if err := s.check(cursor{at: from, print: s.print}); err != nil {
		return from, unreadable(err)
	}
	g := gatherer{s: s}
	uses := uses{s: s, from: from, byID: make(map[string]Text)}
	given := given{texts: make(map[uint64]bool), whole: from == 0}
	if !given.whole && compactedBefore(s, from) {
		given.all(ctx, s, from)
	}
	through, err = forward(ctx, s, from, s.size, func(place span, raw []byte) error {
		l, ok := g.parse(ctx, place, raw)
		if !ok {
			return nil
		}
		if l.Compacted && !given.whole {
			given.all(ctx, s, from)
		}
		var failed error
		l.Parts(maxText, maxToolText, func(p transcript.Part) {
			text := Text{Part: p, At: place.at, Time: l.At(), Model: l.Model()}
			switch p.Kind {
			case "toolInput":
				uses.add(text)
			case "toolOutput":
				use := uses.take(ctx, p.ToolUseID)
				text.MessageID, text.Tool, text.Model = use.MessageID, use.Tool, use.Model
			}
			if failed != nil || p.Text == "" || given.before(&l, p) {
				return
			}
			failed = fn(text)
		})
		return failed
	})
	if err != nil {
		return through, unreadable(err)
	}
	return through, nil
}

// given are the texts that were returned, to detect repeated lines.
type given struct {
	hash  maphash.Hash
	texts map[uint64]bool
	// whole means that those before the start are included.
	whole bool
}

// before reports whether a text was already returned, and remembers it.
func (g *given) before(l *transcript.Line, p transcript.Part) bool {
	if l.UUID == "" {
		return false
	}
	g.hash.Reset()
	for _, s := range []string{l.UUID, p.Kind, p.Text} {
		_, _ = g.hash.WriteString(s)
	}
	sum := g.hash.Sum64()
	if g.texts[sum] {
		return true
	}
	if len(g.texts) < maxTexts {
		g.texts[sum] = true
	}
	return false
}

// all adds the texts before the start, which an earlier call returned. Unreadable
// ones weren't returned.
func (g *given) all(ctx context.Context, s *source, from int64) {
	g.whole = true
	lines := gatherer{s: s}
	_, _ = forward(ctx, s, 0, from, func(place span, raw []byte) error {
		if l, ok := lines.parse(ctx, place, raw); ok {
			l.Parts(maxText, maxToolText, func(p transcript.Part) { g.before(&l, p) })
		}
		return nil
	})
}

// compactedBefore reports whether a compaction closely precedes a position.
func compactedBefore(s *source, at int64) bool {
	block := make([]byte, min(at, keptBehind))
	_, err := s.ReadAt(block, at-int64(len(block)))
	return err == nil && bytes.Contains(block, []byte(`"compact_boundary"`))
}

// uses are the tool uses whose output hasn't come yet.
type uses struct {
	s      *source
	from   int64 // where reading started
	byID   map[string]Text
	looked bool // before from
}

func (u *uses) add(use Text) {
	if len(u.byID) >= maxTools {
		clear(u.byID)
	}
	use.Text = ""
	u.byID[use.ToolUseID] = use
}

// take returns the tool use of an output.
func (u *uses) take(ctx context.Context, id string) Text {
	use, ok := u.byID[id]
	if !ok && !u.looked {
		u.looked = true
		u.look(ctx)
		use = u.byID[id]
	}
	delete(u.byID, id)
	return use
}

// look reads the tool uses in the lines before the start. Errors will recur when
// reading continues.
func (u *uses) look(ctx context.Context) {
	back := newBackward(u.s, u.from)
	g := gatherer{s: u.s}
	for back.end > max(0, u.from-maxBack) && ctx.Err() == nil {
		place, raw, err := back.next()
		if err != nil {
			return
		}
		l, ok := g.parse(ctx, place, raw)
		if !ok {
			continue
		}
		l.Parts(1, 1, func(p transcript.Part) {
			if p.Kind == "toolInput" {
				u.add(Text{Part: p, Model: l.Model()})
			}
		})
	}
}
