package transcript

import (
	"parley/backend/claude/wire"
	"parley/backend/event"
)

// A File makes messages of the lines of a transcript. It says what the CLI would
// have said live and hands that to a [Projector] and a [Log], so that a
// conversation reads the same however it was come by. What a file does not hold is
// not made up: turn ids, costs, estimates of thinking, and messages of subagents,
// which have files of their own. What it holds in another form is worked out: how
// long turns took and what they used.
//
// It is given the lines of one conversation, oldest first; it may begin anywhere
// between two messages. It is not safe for concurrent use.
type File struct {
	p      *Projector
	log    *Log
	parent string
	seq    uint64
	line   *Line
	// ran is the user's command whose output may come next, "" for none.
	ran string
	// turn is what the running turn came to so far.
	turn tally

	changed map[string]bool
	model   string
	cost    float64
}

// NewFile returns a file without lines, which keeps at most maxMessages messages
// and about maxBytes bytes of text. parentToolUseID is "" for the main
// conversation; for a subagent's file it is the tool use that started it.
func NewFile(parentToolUseID string, maxMessages, maxBytes int) *File {
	return &File{
		p: NewProjector(), log: NewLog(maxMessages, maxBytes), parent: parentToolUseID,
		changed: make(map[string]bool),
	}
}

// Add adds a line. Lines that say nothing are ignored.
func (f *File) Add(l Line) {
	f.line = &l
	if l.Sidechain != (f.parent != "") {
		return
	}
	if dollars, ok := l.TotalCost(); ok {
		f.cost = dollars
	}
	if l.Type == "user" {
		f.results(&l)
		f.touch(f.turn.user(&l))
	}
	for _, a := range l.acts() {
		f.do(&l, a)
	}
}

func (f *File) do(l *Line, a act) {
	if a.kind != actShellOutput {
		f.ran = ""
	}
	switch a.kind {
	case actShell:
		f.shellRan(l.promptID(), a)
	case actShellOutput:
		f.shellPrinted(l, a)
	case actAnswer:
		f.answer(l)
	case actPrompt:
		// Tools that have no result by now will not get one any more.
		f.take(&event.Done{Reason: "interrupted"})
		f.take(&event.UserMessage{
			MessageID: l.promptID(), Text: a.text, Attachments: a.attachments, Synthetic: f.parent != "",
		})
	case actSynthetic:
		f.take(&event.UserMessage{MessageID: l.UUID, Text: a.text, Synthetic: true})
	case actOutput:
		f.frame(synthetic(l.UUID, a.text))
	case actInterrupted:
		f.take(f.p.Stop()...)
		f.notice(l.UUID, &event.Interrupted{})
	case actCompacted:
		f.compacted(l)
	case actCompactFailed:
		f.notice(l.UUID, &event.Compaction{Phase: "failed", Error: a.text})
	case actCleared:
		f.notice(l.UUID, &event.Status{Status: "cleared"})
	case actFailed:
		status, _ := number(l.status)
		r := &event.Result{IsError: true, Subtype: "success", Text: a.text, APIErrorStatus: int(status)}
		f.notice(l.UUID, failure(&wire.Result{IsError: true, Subtype: "success"}, r))
	}
}

// answer adds a piece of an assistant's message as it would have been streamed:
// with its place in the message, which the line names.
func (f *File) answer(l *Line) {
	m := l.answer()
	defer f.outcome(l, &m)
	if m.Model != wire.SyntheticModel && m.Model != "" {
		f.model = m.Model
	}
	whole := &wire.Assistant{Message: m, ParentToolUseID: f.parent}
	index, ok := number(l.index)
	if !ok || len(m.Content) != 1 || kindOf(m.Content[0].Type) == "" {
		f.frame(whole)
		return
	}
	say := func(e wire.StreamInner) { f.frame(&wire.StreamEvent{ParentToolUseID: f.parent, Event: e}) }
	if t := f.p.threads[f.parent]; t == nil || t.message != m.ID {
		say(&wire.MessageStart{ID: m.ID, Model: m.Model, Usage: m.Usage})
	}
	b := m.Content[0]
	say(&wire.BlockStart{Index: int(index), Type: b.Type, ID: b.ID, Name: b.Name})
	f.frame(whole)
	if l.aborted {
		f.take(f.p.Stop()...)
	}
	say(&wire.BlockStop{Index: int(index)})
	say(&wire.MessageDelta{Usage: wire.UsageDelta{OutputTokens: &m.Usage.OutputTokens}})
}

// answer is the piece of a message that an assistant's line holds.
func (l *Line) answer() wire.Message {
	m := wire.Message{ID: l.MessageID, Role: "assistant"}
	members(l.message, func(key, v []byte) bool {
		switch string(key) {
		case "model":
			m.Model = str(v)
		case "usage":
			m.Usage = readUsage(v)
		case "content":
			m.Content = blocks(v)
		case "stop_reason":
			m.StopReason = str(v)
		}
		return true
	})
	return m
}

// outcome puts what a turn came to on its last answer.
func (f *File) outcome(l *Line, said *wire.Message) {
	if f.parent == "" {
		lost, got := f.turn.answered(l, said, f.log.byID[said.ID])
		f.touch(lost)
		f.touch(got)
	}
}

// results adds the results that a line holds to the tools that wait for them.
func (f *File) results(l *Line) {
	found := l.toolResults()
	if len(found) == 0 {
		return
	}
	f.p.out = f.p.out[:0]
	for _, c := range found {
		f.p.gaveBack(f.parent, c, l.word(c), l.result, len(found) == 1)
	}
	for _, e := range f.p.out {
		if r, ok := e.(*event.ToolResult); ok && r.Outcome != event.UseNotRun {
			if tool := f.log.tool(r.ToolUseID); tool != nil && tool.StartedAt > 0 && l.At() > tool.StartedAt {
				r.DurationMs = l.At() - tool.StartedAt
			}
		}
		f.take(e)
	}
}

func (f *File) compacted(l *Line) {
	var meta wire.CompactMetadata
	members(l.metadata, func(key, v []byte) bool {
		n, _ := number(v)
		switch string(key) {
		case "trigger":
			meta.Trigger = str(v)
		case "preTokens", "pre_tokens":
			meta.PreTokens = int64(n)
		case "postTokens", "post_tokens":
			post := int64(n)
			meta.PostTokens = &post
		}
		return true
	})
	for _, e := range f.p.Frame(&wire.CompactBoundary{Metadata: meta}) {
		if _, ok := e.(*event.Compaction); ok {
			f.notice(l.UUID, e)
		}
	}
}

func (f *File) frame(fr wire.Frame) { f.take(f.p.Frame(fr)...) }

func (f *File) take(events ...event.Event) {
	for _, e := range events {
		f.seq++
		head := e.Header()
		head.Seq, head.At = f.seq, f.line.At()
		if f.parent != "" {
			head.ParentToolUseID = f.parent
		}
		f.log.Apply(e)
		f.touch(f.about(e))
	}
}

// notice adds an event that becomes a notice, and gives it an id that the next
// reader of the file will find too.
func (f *File) notice(uuid string, e event.Event) {
	f.take(e)
	if n := len(f.log.messages); n > 0 && f.log.messages[n-1].Role == "notice" {
		m := f.log.messages[n-1]
		delete(f.log.byID, m.ID)
		delete(f.changed, m.ID)
		m.ID = noticeID(uuid)
		f.log.byID[m.ID] = m
		f.touch(m)
	}
}

func noticeID(uuid string) string { return "notice:" + uuid }

// about returns the message that an event changed, nil for none.
func (f *File) about(e event.Event) *event.Message {
	var s *slot
	switch e := e.(type) {
	case *event.UserMessage:
		return f.log.byID[e.MessageID]
	case *event.ShellUpdate:
		return f.log.byID[e.MessageID]
	case *event.TextDelta:
		s = f.log.blocks[e.BlockID]
	case *event.ThinkingStart:
		s = f.log.blocks[e.BlockID]
	case *event.ThinkingDelta:
		s = f.log.blocks[e.BlockID]
	case *event.BlockEnd:
		s = f.log.blocks[e.BlockID]
	case *event.ToolStart:
		s = f.log.tools[e.ToolUseID]
	case *event.ToolPending:
		s = f.log.tools[e.ToolUseID]
	case *event.ToolResult:
		s = f.log.tools[e.ToolUseID]
	}
	if s == nil {
		return nil
	}
	return s.message
}

func (f *File) touch(m *event.Message) {
	if m != nil {
		f.changed[m.ID] = true
	}
}

// Messages returns what the lines come to, oldest first. It shares nothing with
// the file that changes later.
func (f *File) Messages() []event.Message {
	out := make([]event.Message, 0, len(f.log.messages))
	for _, m := range f.log.messages {
		out = append(out, clone(m))
	}
	return out
}

// Changed returns the messages that are new or different since it was called last,
// oldest first.
func (f *File) Changed() []event.Message {
	var out []event.Message
	for _, m := range f.log.messages {
		if f.changed[m.ID] {
			out = append(out, clone(m))
		}
	}
	clear(f.changed)
	return out
}

// Len counts the messages.
func (f *File) Len() int { return len(f.log.messages) }

// Waiting returns the ids of the tool uses that have no result yet.
func (f *File) Waiting() []string {
	var ids []string
	for _, m := range f.log.messages {
		for _, b := range m.Blocks {
			if b.Tool != nil && b.Tool.Content == nil {
				ids = append(ids, b.Tool.ToolUseID)
			}
		}
	}
	return ids
}

// AddResults adds nothing of a line but the results of tools. It is for lines that
// stand after those that the file was given.
func (f *File) AddResults(l Line) {
	f.line = &l
	if l.Type == "user" && l.Sidechain == (f.parent != "") {
		f.results(&l)
	}
}

// Settle says that nobody works on the conversation any more: tools without a
// result will not get one.
func (f *File) Settle() {
	for _, m := range f.log.messages {
		for _, b := range m.Blocks {
			if b.Tool.Cut(event.UseCutOff) {
				f.touch(m)
			}
		}
	}
}

// Context returns the meter's reading after the last line, and false when the
// lines say nothing about it.
func (f *File) Context() (event.Context, bool) { return f.p.Context() }

// Model is the model of the last answer, or "".
func (f *File) Model() string { return f.model }

// TotalCost is the running total in dollars that the last line with one reported,
// or 0.
func (f *File) TotalCost() float64 { return f.cost }
