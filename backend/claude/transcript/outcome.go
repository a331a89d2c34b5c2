package transcript

import (
	"slices"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// tally works out what a turn came to from the lines of a file, which do not have the
// CLI's own word of it: from the prompt, or what else began the turn, to an answer
// that calls no tool. It counts as the CLI does, and makes up nothing: there is no
// outcome of a turn whose beginning was not read, that was stopped or failed, or that
// continues; and none says what the turn cost, or how long its first word took.
type tally struct {
	// known: the turn's beginning was read.
	known bool
	// began is when it began, in Unix milliseconds, or 0.
	began int64
	// before is what the calls but for the last one used.
	before event.Usage
	// answer is the last call's message, last what it used. The lines of a message say
	// the same or, while it grows, ever more.
	answer string
	last   event.Usage
	// tools are those that were used, true with a result. Lines of a branch that was left
	// may have results, too.
	tools map[string]bool
	// told is the message that has the outcome so far, nil for none.
	told *event.Message
	// unsaid is the last answer when its lines, as those of older CLIs, do not say why
	// it ended, and unsaidAt its time: it was the turn's last one when another turn
	// begins.
	unsaid   *event.Message
	unsaidAt int64
}

// user takes in a line of the user's side, and returns the message that it changed, if
// any. What a user says while a turn goes on is a
// part of it, and on no line of this kind.
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

// answered takes in a line of an answer. m is its message, nil when it is not there.
// It returns the messages that it changed, if any.
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
	if lost = y.told; lost != nil { // the turn continues: that was not its last answer
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

// tell puts the outcome on a turn's last answer, which ended at a time.
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

// BeginsTurn says whether a line stands at the beginning of a turn: a prompt, or what
// else the CLI answers of itself, but not what it says to the model in the middle of a
// turn or between two.
func (l *Line) BeginsTurn() bool {
	if l.Type != "user" || l.meta || l.summary || len(l.Results()) > 0 {
		return false
	}
	acts := l.acts()
	return len(acts) == 0 || acts[0].kind != actInterrupted
}

// MayEndTurn says whether a line is of an answer that may be its turn's last.
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

// Lead takes in a line that stands before those that the file is given, from the
// beginning of the turn that goes on with them: it makes no messages.
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

// Unsaid says whether it shows only by the line that comes next whether the last turn
// is over.
func (f *File) Unsaid() bool { return f.turn.unsaid != nil }

// Next takes in that line.
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
