package transcript

import (
	"parley/backend/claude/wire"
	"parley/backend/event"
)

// File turns the lines of a transcript into messages. It reproduces the CLI's live
// output and passes that to a [Projector] and a [Log], so that a conversation
// reads the same from either source. What a file doesn't contain is omitted: turn
// ids, costs, thinking estimates, and messages of subagents, which have their own
// files. What it contains in another form is computed: durations and usage of
// turns.
//
// It takes the lines of one conversation, oldest first, starting anywhere
// between two messages. It is not safe for concurrent use.
type File struct {
	p      *Projector
	log    *Log
	parent string
	seq    uint64
	line   *Line
	// ran is the user's command whose output may come next, "" for none.
	ran string
	// turn is the running turn's tally.
	turn tally

	changed map[string]bool
	model   string
	cost    float64
}

// NewFile returns an empty file that keeps at most maxMessages messages and
// about maxBytes bytes of text. parentToolUseID is "" for the main conversation;
// for a subagent's file it is the tool use that started it.
func NewFile(parentToolUseID string, maxMessages, maxBytes int) *File {
	return &File{
		p: NewProjector(), log: NewLog(maxMessages, maxBytes), parent: parentToolUseID,
		changed: make(map[string]bool),
	}
}

// Add adds a line. Irrelevant lines are ignored.
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
		// Tools that have no result by now won't get one.
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

// answer adds a piece of an assistant's message as if streamed, at its position
// in the message, which the line contains.
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

// answer returns the piece of a message in an assistant's line.
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

// outcome sets a turn's outcome on its last answer.
func (f *File) outcome(l *Line, said *wire.Message) {
	if f.parent == "" {
		lost, got := f.turn.answered(l, said, f.log.byID[said.ID])
		f.touch(lost)
		f.touch(got)
	}
}

// results adds a line's results to the tools that wait for them.
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

// notice adds an event that becomes a notice, with an id that another reader
// of the file will also produce.
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

// Messages returns the messages, oldest first. They share nothing with the file
// that changes later.
func (f *File) Messages() []event.Message {
	out := make([]event.Message, 0, len(f.log.messages))
	for _, m := range f.log.messages {
		out = append(out, clone(m))
	}
	return out
}

// Changed returns the messages that are new or different since the last call,
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

// AddResults adds only the tool results of a line. It is for lines after those
// added.
func (f *File) AddResults(l Line) {
	f.line = &l
	if l.Type == "user" && l.Sidechain == (f.parent != "") {
		f.results(&l)
	}
}

// Settle declares that nobody works on the conversation: tools without a
// result won't get one.
func (f *File) Settle() {
	for _, m := range f.log.messages {
		for _, b := range m.Blocks {
			if b.Tool.Cut(event.UseCutOff) {
				f.touch(m)
			}
		}
	}
}

// Context returns the meter reading after the last line, and false if the
// lines don't contain one.
func (f *File) Context() (event.Context, bool) { return f.p.Context() }

// Model returns the model of the last answer, or "".
func (f *File) Model() string { return f.model }

// TotalCost returns the last reported running total in dollars, or 0.
func (f *File) TotalCost() float64 { return f.cost }
