package post

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"parley/backend/event"
)

// urgency is how soon a change must be shown.
type urgency int

const (
	nothing  urgency = iota // nothing visible
	growing                 // text has grown
	changing                // a line has changed
	ending                  // something ended, or has its own post
)

// maxTurns bounds the turns waiting to be shown.
const maxTurns = 8

// intake turns events into turns. It is plain data.
type intake struct {
	folder  string
	noTools bool
	// outputs is the number of lines from which a tool's output is uploaded, 0 for never.
	outputs int
	who     func(*event.Author) string

	turns []*turn
	// shells are the messages that are commands, whose text is output.
	shells  map[string]bool
	model   string
	context float64
	// missed counts the turns that were dropped because too many were waiting.
	missed int
	// asking counts open questions: nothing is being written then.
	asking int
	// shown and silent count the model's output in bytes: text that is shown as it grows,
	// and the rest.
	shown, silent int
	// files are the files to upload.
	files []pendingFile
}

// percentOf returns how full a context window is, 0 if unknown.
func percentOf(c *event.Context) float64 {
	if c == nil || c.Percent == nil {
		return 0
	}
	return *c.Percent
}

// at returns a turn and creates it if it is new, which ends the previous one.
func (in *intake) at(id string, seq uint64) *turn {
	if id == "" {
		id = "seq-" + strconv.FormatUint(seq, 10)
	}
	if t := in.find(id); t != nil {
		return t
	}
	for _, t := range in.turns {
		if !t.over {
			t.end("completed")
		}
	}
	t := newTurn(id)
	t.model, t.context = in.model, in.context
	in.turns = append(in.turns, t)
	if len(in.turns) > maxTurns {
		in.giveUp()
	}
	return t
}

// giveUp replaces the oldest waiting turn, and those dropped right before it, by
// one line.
func (in *intake) giveUp() {
	first := in.turns[0]
	if !strings.HasPrefix(first.id, missedTurn) {
		first = newTurn(missedTurn + first.id)
		in.turns[0], in.missed = first, 1
	} else {
		in.turns = slices.Delete(in.turns, 1, 2)
		in.missed++
	}
	first.items = nil
	first.note("_" + count(in.missed, "turn") + " could not be shown here. Parley has everything._")
	first.end("completed")
}

// missedTurn is the id prefix of what replaces dropped turns.
const missedTurn = "missed-"

func (in *intake) find(id string) *turn {
	for _, t := range in.turns {
		if t.id == id {
			return t
		}
	}
	return nil
}

// current returns the running turn, or nil.
func (in *intake) current() *turn {
	if n := len(in.turns); n > 0 && !in.turns[n-1].over {
		return in.turns[n-1]
	}
	return nil
}

// take processes an event and returns how soon its change must be shown.
func (in *intake) take(e event.Event) urgency {
	head := e.Header()
	if head.ParentToolUseID != "" {
		return in.below(e)
	}
	switch e := e.(type) {
	case *event.Ready:
		in.model = e.Model
		if t := in.current(); t != nil {
			t.model = e.Model
		}
	case *event.ContextUpdate:
		in.context = percentOf(&e.Context)
		if t := in.current(); t != nil {
			t.context = in.context
		}
	case *event.State:
		in.asking = e.Session.OpenQuestions
	case *event.PermissionResolved:
		return in.resolved(e)
	case *event.UserMessage:
		return in.prompt(e)
	case *event.TextDelta:
		return in.text(e)
	case *event.ThinkingDelta:
		in.silent += max(len(e.Text), 4*e.Tokens/10)
	case *event.ToolInput:
		in.silent += len(e.Text)
	case *event.ToolStart:
		t := in.at(head.TurnID, head.Seq)
		t.status = ""
		t.last = cmp.Or(e.MessageID, t.last)
		i := in.use(t, e.ToolUseID, e.Name)
		if i.kind == ofBorder {
			return ending
		}
		return changing
	case *event.ToolPending:
		t := in.at(head.TurnID, head.Seq)
		if i := in.use(t, e.ToolUseID, e.Name); i.tool != nil {
			i.tool.input(e.Input, in.folder)
		}
		return changing
	case *event.ToolResult:
		return in.result(e)
	case *event.BlockEnd:
		return in.blockEnd(e)
	case *event.ShellUpdate:
		return in.shell(e)
	default:
		return in.happened(e)
	}
	return nothing
}

// below processes a subagent's event: its tools are counted.
func (in *intake) below(e event.Event) urgency {
	if _, ok := e.(*event.ToolStart); !ok {
		return nothing
	}
	for _, t := range in.turns {
		if i := t.tools[e.Header().ParentToolUseID]; i != nil && i.tool != nil {
			i.tool.uses++
			return growing
		}
	}
	return nothing
}

func (in *intake) use(t *turn, id, name string) *item {
	if in.noTools && !hidden(name) {
		if i := t.tools[id]; i != nil {
			return i
		}
		// It isn't shown, but later text is held back anyway.
		i := t.add(&item{kind: ofNotice, ended: true})
		t.tools[id] = i
		return i
	}
	return t.use(id, name)
}

func (in *intake) text(e *event.TextDelta) urgency {
	if in.shells[e.MessageID] {
		for _, t := range in.turns {
			if i := t.shells[e.MessageID]; i != nil {
				i.tame += e.Text // its output is kept there until it ends
				i.tame = i.tame[max(0, len(i.tame)-maxShell):]
			}
		}
		return nothing
	}
	t := in.at(e.TurnID, e.Seq)
	was := t.status
	t.status = ""
	if e.Model != "" && t.model == "" {
		t.model = e.Model
	}
	t.last = cmp.Or(e.MessageID, t.last)
	t.say(e.BlockID, e.Text)
	if !t.held() {
		in.shown += len(e.Text)
		return growing
	}
	in.silent += len(e.Text)
	if was != "" {
		return changing
	}
	return nothing
}

func (in *intake) blockEnd(e *event.BlockEnd) urgency {
	for _, t := range in.turns {
		b := t.blocks[e.BlockID]
		if b == nil {
			continue
		}
		b.ended = true
		if t.held() {
			return nothing
		}
		return growing
	}
	return nothing
}

func (in *intake) result(e *event.ToolResult) urgency {
	for _, t := range slices.Backward(in.turns) {
		i := t.tools[e.ToolUseID]
		if i == nil {
			continue
		}
		if i.tool != nil {
			i.tool.result(e)
		}
		in.images(t, e)
		return changing
	}
	return nothing
}

func (in *intake) resolved(e *event.PermissionResolved) urgency {
	in.asking = max(0, in.asking-1)
	reason := map[string]string{"deny": event.ReasonDenied, "expired": event.ReasonExpired, "withdrawn": event.ReasonInterrupted}[e.Outcome]
	if reason == "" {
		return nothing
	}
	for _, t := range in.turns {
		if i := t.tools[e.ToolUseID]; i != nil && i.tool != nil {
			if !i.tool.told || i.tool.state == event.UseNotRun && reason == event.ReasonExpired {
				i.tool.state, i.tool.reason = event.UseNotRun, reason
			}
			return changing
		}
	}
	return nothing
}

// prompt processes a prompt. One during a turn is part of it.
func (in *intake) prompt(e *event.UserMessage) urgency {
	if e.Synthetic {
		return nothing
	}
	t := in.current()
	if t == nil {
		t = in.at(e.TurnID, e.Seq)
	}
	if t.shells[e.MessageID] != nil {
		return nothing
	}
	i := &item{kind: ofBorder, ended: true}
	if who := in.who(e.Author); who != "" {
		i.kind, i.text = ofPrompt, quoted(who, e.Text, e.Attachments)
	}
	t.shells[e.MessageID] = t.add(i)
	return ending
}

func (in *intake) shell(e *event.ShellUpdate) urgency {
	if !in.shells[e.MessageID] {
		if len(in.shells) > maxItems {
			clear(in.shells)
		}
		in.shells[e.MessageID] = true
	}
	who := in.who(nil)
	if who == "" {
		return nothing
	}
	t := in.current()
	if t == nil {
		t = in.at("shell-"+e.MessageID, e.Seq)
	}
	i := t.shells[e.MessageID]
	if i == nil {
		i = t.add(&item{kind: ofShell})
		t.shells[e.MessageID] = i
	}
	if e.State == "running" || i.ended {
		return nothing
	}
	i.ended, i.text, i.tame = true, ran(who, e.Shell, i.tame), ""
	if t.id == "shell-"+e.MessageID {
		t.end("completed")
	}
	return ending
}

// happened processes events that aren't the model's output or tools.
func (in *intake) happened(e event.Event) urgency {
	head := e.Header()
	// alone is for events between two turns.
	alone := func() (*turn, func()) {
		if t := in.current(); t != nil && (head.TurnID == "" || head.TurnID == t.id) {
			return t, func() {}
		}
		t := in.at(head.TurnID, head.Seq)
		if head.TurnID == "" {
			return t, func() { t.end("completed") }
		}
		return t, func() {}
	}
	switch e := e.(type) {
	case *event.PermissionRequest:
		in.asking++
	case *event.Status:
		return in.status(e, alone)
	case *event.Compaction:
		t, done := alone()
		defer done()
		if e.Phase == "started" {
			t.status = "🗜️ _Compacting the conversation…_"
			return changing
		}
		t.status = ""
		t.note(compacted(e.Error, e.PreTokens, e.PostTokens))
		return changing
	case *event.Error:
		t, done := alone()
		defer done()
		t.status = ""
		t.add(&item{kind: ofAlarm, ended: true, text: failure(e.Message, e.Hint)})
		return ending
	case *event.Interrupted:
		if t := in.current(); t != nil {
			t.stopped, t.status = true, ""
			t.stopTools(event.UseStopped)
			return changing
		}
	case *event.Result:
		if t := in.find(head.TurnID); t != nil {
			t.result = &event.TurnResult{IsError: e.IsError, CostUSD: e.CostUSD, DurationMs: e.DurationMs, Usage: e.Usage}
		}
	case *event.Done:
		if t := in.find(head.TurnID); t != nil && !t.over {
			t.end(e.Reason)
			return ending
		}
	}
	return nothing
}

func (in *intake) status(e *event.Status, alone func() (*turn, func())) urgency {
	text := ""
	switch {
	case e.Status == "cleared":
		t, done := alone()
		defer done()
		t.note("🧹 The conversation was cleared. A new one starts here.")
		return changing
	case e.Status == "notice" && e.Message != "":
		t, done := alone()
		defer done()
		t.note("ℹ️ " + Escape(Truncate(OneLine(e.Message), maxTail)))
		return changing
	case e.Status == "retrying" && e.Retry != nil && (e.Retry.Attempt > 1 || e.Retry.DelayMs >= 3000):
		text = retrying(e.Retry)
	case e.Status == "starting" && e.Message != "":
		text = "⏳ _" + Escape(Truncate(OneLine(e.Message), maxTail)) + "_"
	}
	t := in.current()
	if t == nil || t.status == text {
		return nothing
	}
	t.status = text
	return changing
}
