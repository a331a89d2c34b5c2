package transcript

import (
	"slices"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// tally computes the outcome of a turn from the lines of a file, which lack the CLI's
// own result: from the prompt, or whatever else started the turn, to an answer that
// calls no tool. It counts as the CLI does, and invents nothing: there is no outcome
// for a turn whose start wasn't read, that was stopped or failed, or that continues;
// and none contains the cost or the time to the first token.
type tally struct {
	// known: the turn's start was read.
	known bool
	// began is when it started, in Unix milliseconds, or 0.
	began int64
	// before is the usage of all calls except the last.
	before event.Usage
	// answer is the last call's message, last its usage. The lines of a message report
	// the same usage or, while it grows, ever more.
	answer string
	last   event.Usage
	// tools are the used tools, true with a result. Lines of an abandoned branch may have
	// results too.
	tools map[string]bool
	// told is the message that currently has the outcome, nil for none.
	told *event.Message
	// unsaid is the last answer if its lines, as with older CLIs, don't say why it
	// ended, and unsaidAt its time: it was the turn's last one if another turn starts.
	unsaid   *event.Message
	unsaidAt int64
}

// user processes a user-side line and returns the message it changed, if any. Prompts
// during a turn are part of it, and never on such a line.
func (y *tally) user(l *Line) (changed *event.Message) {
	acts := l.acts()
	results := l.Results()
	switch {
	case len(acts) > 0 && acts[0].kind == actInterrupted:
		*y = tally{}
	case len(results) > 0 && y.known:
		for _, id := range results {
			if _, used := y.tools[id]; used {
				y.tools[id] = true
			}
		}
	case l.BeginsTurn():
		if changed = y.unsaid; changed != nil {
			y.tell(changed, y.unsaidAt)
		}
		*y = tally{known: true, began: l.At(), tools: make(map[string]bool)}
	}
	return changed
}

// answered processes a line of an answer. m is its message, nil if missing. It
// returns the messages it changed, if any.
func (y *tally) answered(l *Line, said *wire.Message, m *event.Message) (lost, got *event.Message) {
	for _, b := range said.Content {
		if y.known && kindOf(b.Type) == "tool" && !y.tools[b.ID] {
			y.tools[b.ID] = false
		}
	}
	if y.answer != said.ID {
		y.before, y.answer = plus(y.before, y.last), said.ID
	}
	y.last = event.Usage{
		InputTokens: said.Usage.InputTokens, OutputTokens: said.Usage.OutputTokens,
		CacheReadTokens: said.Usage.CacheReadInputTokens, CacheCreationTokens: said.Usage.CacheCreationInputTokens,
	}
	if lost = y.told; lost != nil { // the turn continues: that wasn't its last answer
		lost.Result, y.told = nil, nil
	}
	y.unsaid = nil
	if !y.known || m == nil || l.aborted || said.Model == wire.SyntheticModel {
		return lost, nil
	}
	switch said.StopReason {
	case "tool_use", "pause_turn":
		return lost, nil
	case "":
		if !slices.ContainsFunc(m.Blocks, func(b event.Block) bool { return b.Tool != nil }) {
			y.unsaid, y.unsaidAt = m, l.At()
		}
		return lost, nil
	}
	y.tell(m, l.At())
	return lost, m
}

// tell sets the outcome on a turn's last answer, which ended at a time.
func (y *tally) tell(m *event.Message, at int64) {
	m.Result = &event.TurnResult{NumTurns: 1, Usage: plus(y.before, y.last)}
	for _, done := range y.tools {
		if done {
			m.Result.NumTurns++
		}
	}
	if y.began > 0 && at > y.began {
		m.Result.DurationMs = at - y.began
	}
	y.told = m
}

// BeginsTurn reports whether a line is the start of a turn: a prompt, or what else the
// CLI answers on its own, but not what it tells the model during a turn or between
// two.
func (l *Line) BeginsTurn() bool {
	if l.Type != "user" || l.meta || l.summary || len(l.Results()) > 0 {
		return false
	}
	acts := l.acts()
	return len(acts) == 0 || acts[0].kind != actInterrupted
}

// MayEndTurn reports whether a line belongs to an answer that may be its
// turn's last.
func (l *Line) MayEndTurn() bool {
	if l.Type != "assistant" {
		return false
	}
	switch str(member(l.message, "stop_reason")) {
	case "tool_use", "pause_turn":
		return false
	case "":
		calls := false
		each(member(l.message, "content"), func(kind string, _ []byte) bool {
			calls = calls || kindOf(kind) == "tool"
			return !calls
		})
		return !calls
	}
	return true
}

// Lead processes a line before those added, from the start of the turn that
// continues with them: it creates no messages.
func (f *File) Lead(l Line) {
	if f.parent != "" || l.Sidechain {
		return
	}
	switch l.Type {
	case "user":
		f.turn.user(&l)
	case "assistant":
		m := l.answer()
		f.turn.answered(&l, &m, nil)
	}
}

// Unsaid reports whether only the next line shows whether the last turn is over.
func (f *File) Unsaid() bool { return f.turn.unsaid != nil }

// Next processes that line.
func (f *File) Next(l Line) {
	if l.BeginsTurn() {
		f.touch(f.turn.user(&l))
	}
}

func plus(a, b event.Usage) event.Usage {
	return event.Usage{
		InputTokens: a.InputTokens + b.InputTokens, OutputTokens: a.OutputTokens + b.OutputTokens,
		CacheReadTokens: a.CacheReadTokens + b.CacheReadTokens, CacheCreationTokens: a.CacheCreationTokens + b.CacheCreationTokens,
	}
}
