package history

import (
	"bytes"
	"context"
	"hash/maphash"
	"strconv"

	"parley/backend/claude/transcript"
)

const (
	// maxText is the longest text that is handed out to be searched.
	maxText = 256 << 10
	// maxToolText is the same for what tools got and printed: most of a conversation,
	// and nobody looks for the middle of a file.
	maxToolText = 32 << 10
	// maxTexts is how many texts are remembered, so that one that is doubled is given once.
	maxTexts = 200_000
	// maxTools is how many tool uses are remembered until their output came.
	maxTools = 10_000
	// maxBack is how far before the beginning the uses are looked for whose output
	// comes first.
	maxBack = 256 << 10
	// keptBehind is how far behind a compaction the lines may begin that it kept.
	keptBehind = 32 << 10
)

// Text is a text of a conversation that somebody may look for.
type Text struct {
	transcript.Part
	// At is where the text's line begins. [Transcript.CursorAt] leads there.
	At int64
	// Time is when it was said, in Unix milliseconds, or 0.
	Time int64
	// Model is the model that said it, or "". Outputs have that of their tool's use, and
	// its name and message, unless it is far back.
	Model string
}

// Stamp tells the file from others that had its path: it stays the same when
// something is appended, and differs when the file was replaced. Size is in bytes.
func (t *Transcript) Stamp() (stamp string, size int64, err error) {
	s, err := t.open()
	if err != nil {
		return "", 0, err
	}
	defer s.Close()
	return strconv.FormatUint(s.print, 36), s.size, nil
}

// Texts calls fn for every text from an offset on, a line's beginning, and returns
// the offset to continue from when the file has grown. Turns that were given up when a
// user went back are among them. Of texts over 256 KiB, and of tools' over 32 KiB,
// there is the beginning.
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

// given are the texts that were handed out: a line may stand in the file once more.
type given struct {
	hash  maphash.Hash
	texts map[uint64]bool
	// whole says that those before the beginning are among them.
	whole bool
}

// before reports whether a text was given already, and remembers it.
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

// all takes the texts before the beginning, which were given by an earlier call. What
// cannot be read was not given.
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

// compactedBefore reports whether a compaction stands shortly before a place.
func compactedBefore(s *source, at int64) bool {
	block := make([]byte, min(at, keptBehind))
	_, err := s.ReadAt(block, at-int64(len(block)))
	return err == nil && bytes.Contains(block, []byte(`"compact_boundary"`))
}

// uses are the uses of tools whose output has not come yet.
type uses struct {
	s      *source
	from   int64 // where reading began
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

// take returns the use that an output belongs to.
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

// look reads the uses in the lines before the beginning. What cannot be read will
// show when reading continues.
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
