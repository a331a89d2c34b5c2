package history

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"
	"sync"

	"parley/backend/claude/transcript"
)

// keepMarks is how many positions a count remembers, so that it can continue if
// a user went back a little.
const keepMarks = 24

// Totals is the result of counting a transcript. It can be stored, and counting
// continues from it.
type Totals struct {
	// Messages is the conversation's message count, as its pages show them.
	Messages int `json:"messages"`
	// End is up to where the file was counted, Size its length: between them is a
	// line that is still being written.
	End  int64 `json:"end"`
	Size int64 `json:"size"`
	// Print distinguishes the file from another one of the same name.
	Print uint64 `json:"print"`
	// Damaged counts lines that aren't JSON.
	Damaged int `json:"damaged,omitempty"`
	// Chosen, Made and Summary are the newest titles of each kind.
	Chosen  string `json:"chosen,omitempty"`
	Made    string `json:"made,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Marks are the conversation's newest lines, the newest last.
	Marks Marks `json:"marks,omitempty"`
	// Doubled means that lines are in the file more than once, or that there was a compaction,
	// which may repeat some. What comes next may repeat counted lines.
	Doubled bool `json:"doubled,omitempty"`
	// seen are the lines of such a file, once it has grown. It isn't stored: after a restart
	// everything is counted again once.
	seen *seen
	// Agents is how far the usage of its subagents was read.
	Agents []AgentEnd `json:"agents,omitempty"`
}

// AgentEnd is how far a subagent's file was read.
type AgentEnd struct {
	ID  string `json:"id"`
	End int64  `json:"end"`
}

// Mark is a line of the conversation, with the count up to it.
type Mark struct {
	Line, Answer uint64
	Messages     int
}

// Marks encode as one short string, because a list is loaded for every
// conversation at every start.
type Marks []Mark

const markBytes = 8 + 8 + 4

// MarshalText implements [encoding.TextMarshaler].
func (m Marks) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, len(m)*markBytes)
	for _, mark := range m {
		raw = binary.BigEndian.AppendUint64(raw, mark.Line)
		raw = binary.BigEndian.AppendUint64(raw, mark.Answer)
		raw = binary.BigEndian.AppendUint32(raw, uint32(mark.Messages))
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Marks) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(raw)%markBytes != 0 {
		return errors.New("not a list of marks")
	}
	*m = make(Marks, 0, len(raw)/markBytes)
	for ; len(raw) > 0; raw = raw[markBytes:] {
		*m = append(*m, Mark{
			binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:]), int(binary.BigEndian.Uint32(raw[16:])),
		})
	}
	return nil
}

// clone returns a copy to continue with; of nil, a new one.
func (t *Totals) clone() Totals {
	if t == nil {
		return Totals{}
	}
	c := *t
	c.Marks, c.Agents = slices.Clone(t.Marks), slices.Clone(t.Agents)
	return c
}

// Count counts the messages of a transcript, continuing an earlier count if the
// file still matches it. read is called with the bytes as they are read, and
// account with the reported usage; both may be nil.
func (t *Transcript) Count(ctx context.Context, from Totals, read func(int64), account func(Account) error) (Totals, error) {
	s, err := t.open()
	if err != nil {
		return from, err
	}
	defer s.Close()
	if from.Print != s.print || s.check(cursor{from.End, "", s.print}) != nil {
		from = Totals{}
	}
	begin := Totals{Print: s.print}
	if from.End > 0 && from.Size != s.size { // it is growing, and may keep growing
		begin.seen = &seen{lines: make(map[uint64]bool)}
		if from.Doubled && from.seen == nil {
			from = begin
		}
	}
	from.Print = s.print
	gather := newAccounts(s, account)
	totals, ok, err := t.count(ctx, s, from, read, gather)
	if err == nil && !ok {
		totals, _, err = t.count(ctx, s, begin, read, gather)
	}
	if err == nil {
		err = t.countAgents(ctx, &totals, gather)
	}
	if err == nil {
		err = gather.flush()
	}
	if err != nil {
		return from, unreadable(err)
	}
	return totals, nil
}

// node is a line as counting remembers it.
type node struct {
	transcript.Node[uint64]
	adds      int
	compacted bool
}

func newNode(l *transcript.Line) node {
	n := l.Node()
	return node{transcript.Node[uint64]{ID: hash(n.ID), Parent: hash(n.Parent), Answer: hash(n.Answer), Result: n.Result}, l.Adds(), l.Compacted}
}

// starts returns how many messages start with the line, which follows a line of an
// answer, and the answer that the next line may continue.
func (n *node) starts(answer uint64) (starts int, next uint64) {
	if n.Answer == 0 || n.adds == 0 {
		return n.adds, answer
	}
	if n.Answer == answer {
		return n.adds - 1, answer
	}
	return n.adds, n.Answer
}

// count counts what follows from. It returns false if that doesn't continue what
// was counted, so that everything must be recounted.
func (t *Transcript) count(ctx context.Context, s *source, from Totals, read func(int64), accounts *accounts) (Totals, bool, error) {
	var nodes []node
	var unread int64
	totals := from
	g := gatherer{s: s}
	end, err := forward(ctx, s, from.End, s.size, func(place span, raw []byte) error {
		if unread += place.size + 1; read != nil && unread > 1<<20 {
			read(unread)
			unread = 0
		}
		if len(bytes.TrimSpace(raw)) == 0 && raw != nil {
			return nil
		}
		l, ok := g.parse(ctx, place, raw)
		if !ok {
			g.damaged++
			return nil
		}
		if kind, title := l.Title(); kind != "" {
			totals.name(kind, title)
		}
		if err := accounts.add(&l); err != nil {
			return err
		}
		if l.UUID != "" && l.Sidechain == (t.parent != "") {
			nodes = append(nodes, newNode(&l))
		}
		return nil
	})
	if err != nil {
		return from, true, err
	}
	if read != nil {
		read(unread)
	}
	totals.Damaged += g.damaged
	totals.End, totals.Size = end, s.size
	if from.Doubled && !from.seen.without(nodes) || !totals.add(nodes) {
		return totals, false, nil
	}
	if totals.Doubled && !from.Doubled && from.End > 0 {
		return totals, false, nil // the counted lines are unknown
	}
	if totals.seen = totals.seen.with(nodes); !totals.Doubled {
		totals.seen = nil // not needed
	}
	return totals, true, nil
}

// maxSeen is how many lines of a file are remembered.
const maxSeen = 200_000

// seen are the counted lines. nil remembers none.
type seen struct {
	mu    sync.Mutex
	lines map[uint64]bool
}

// without reports whether none of the lines was counted before.
func (s *seen) without(nodes []node) bool {
	if s == nil {
		return len(nodes) == 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(nodes, func(n node) bool { return s.lines[n.ID] })
}

// with adds lines. If there are too many, it remembers none.
func (s *seen) with(nodes []node) *seen {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines)+len(nodes) > maxSeen {
		return nil
	}
	for _, n := range nodes {
		s.lines[n.ID] = true
	}
	return s
}

func (t *Totals) name(kind, title string) {
	switch kind {
	case transcript.TitleChosen:
		t.Chosen = title
	case transcript.TitleMade:
		t.Made = title
	case transcript.TitleSummary:
		t.Summary = title
	}
}

// add counts lines after those counted. It returns false if they continue
// neither the counted ones nor each other.
func (t *Totals) add(nodes []node) bool {
	if len(t.Marks) > 0 && slices.ContainsFunc(nodes, func(n node) bool { return n.Parent == 0 }) {
		return false // a new beginning, or the first one repeated
	}
	taken, want, doubled := onTrail(nodes, t.Marks)
	t.Doubled = t.Doubled || doubled || slices.ContainsFunc(nodes, func(n node) bool { return n.compacted })
	base := Mark{}
	if want == 0 && len(t.Marks) > 0 {
		if len(taken) > 0 {
			return false // a new beginning, after which counted lines may be repeated
		}
		base = t.Marks[len(t.Marks)-1]
	} else if want != 0 {
		i := slices.IndexFunc(t.Marks, func(m Mark) bool { return m.Line == want })
		if i < 0 || t.Doubled && i < len(t.Marks)-1 { // abandoned lines may have hidden their copies
			return false
		}
		for _, n := range nodes {
			if slices.ContainsFunc(t.Marks, func(m Mark) bool { return m.Line == n.ID }) {
				return false
			}
		}
		base = t.Marks[i]
		t.Marks = t.Marks[:i+1]
	}
	for _, i := range taken {
		n := nodes[i]
		var starts int
		starts, base.Answer = n.starts(base.Answer)
		base.Messages += starts
		base.Line = n.ID
		if len(t.Marks) >= 2*keepMarks {
			t.Marks = append(t.Marks[:0], t.Marks[keepMarks:]...)
		}
		t.Marks = append(t.Marks, base)
	}
	t.Marks = slices.Clone(t.Marks[max(0, len(t.Marks)-keepMarks):])
	t.Messages = base.Messages
	return true
}

// onTrail returns the indices of the nodes that belong to the conversation, in order, and
// the line before the first of them: 0 if there need not be one. doubled means that some
// occur more than once.
func onTrail(nodes []node, marks []Mark) (taken []int, want uint64, doubled bool) {
	known := make(map[uint64]int, len(nodes)+len(marks)) // where each first occurs, earlier ones at -1
	for i, n := range slices.Backward(nodes) {
		_, again := known[n.ID]
		known[n.ID], doubled = i, doubled || again
	}
	for _, m := range marks {
		known[m.Line] = -1
	}
	var trail transcript.Trail[uint64]
	had := make(map[uint64]bool)
	// nowhere means that the wanted line isn't among the remaining ones; if it was already
	// visited, there is a cycle.
	nowhere := func(left int) bool {
		at, ok := known[trail.Want()]
		return len(marks) == 0 && !ok || ok && at >= left && had[trail.Want()]
	}
	for i, n := range slices.Backward(nodes) {
		if nowhere(i + 1) {
			trail.Resume(0) // rather show too much
		}
		if had[n.ID] { // it is repeated, and counts once
			if want := trail.Want(); want == 0 || want == n.ID {
				trail.Take(n.Node, i)
			}
			continue
		}
		on, found := trail.Take(n.Node, i)
		if on {
			had[n.ID] = true
			taken = append(taken, i)
		}
		taken = append(taken, found...)
	}
	slices.Sort(taken)
	if nowhere(0) {
		return taken, 0, doubled
	}
	return taken, trail.Want(), doubled
}

// hash is the same in every process, because it is stored.
func hash(s string) uint64 {
	if s == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64() | 1
}
