package transcript

import (
	"slices"
	"strconv"
	"strings"

	"parley/backend/event"
)

// Log builds a conversation's messages from its events. It is the reference for
// what the events mean: a front end that applies the same events gets the same
// messages.
//
// A Log is bounded: beyond its limits the oldest messages are dropped, and
// [Log.Forgotten] counts them. It is not safe for concurrent use.
type Log struct {
	maxMessages int
	maxBytes    int

	messages []*event.Message
	// sizes runs parallel to messages: the estimated bytes of each.
	sizes     []int
	bytes     int
	forgotten int

	byID   map[string]*event.Message
	blocks map[string]*slot
	tools  map[string]*slot
	// early are answers that came before their tool use: an automatic answer may precede
	// the CLI's announcement of the tool use.
	early    map[string]*event.PermissionResolved
	lastSeq  uint64
	lastTurn map[string]*event.Message
}

// slot locates a block: its message and its index there.
type slot struct {
	message *event.Message
	index   int
}

// block returns the slot's block.
func (s *slot) block() *event.Block { return &s.message.Blocks[s.index] }

// NewLog returns an empty log that keeps at most maxMessages messages and about
// maxBytes bytes of text.
func NewLog(maxMessages, maxBytes int) *Log {
	return &Log{
		maxMessages: maxMessages, maxBytes: maxBytes,
		byID:     make(map[string]*event.Message),
		blocks:   make(map[string]*slot),
		tools:    make(map[string]*slot),
		early:    make(map[string]*event.PermissionResolved),
		lastTurn: make(map[string]*event.Message),
	}
}

// Seed initializes an empty log with existing messages, oldest first, as of the
// event with the given number.
func (l *Log) Seed(messages []event.Message, seq uint64) {
	l.lastSeq = seq
	for i := range messages {
		m := clone(&messages[i])
		if l.byID[m.ID] == nil {
			l.append(&m, sizeOf(&m))
		}
	}
}

// Apply adds one event. Events must come in the order of their numbers.
func (l *Log) Apply(e event.Event) {
	head := e.Header()
	l.lastSeq = head.Seq
	switch e := e.(type) {
	case *event.UserMessage:
		l.add(&event.Message{
			ID: e.MessageID, Role: "user", PromptID: e.PromptID, Synthetic: e.Synthetic,
			ParentToolUseID: head.ParentToolUseID, Attachments: e.Attachments, Author: e.Author,
			Blocks: []event.Block{{ID: e.MessageID + ":0", Type: "text", Text: e.Text}},
		}, head, len(e.Text))
	case *event.TextDelta:
		b := l.open(head, e.MessageID, e.BlockID, "text")
		if e.Model != "" {
			b.message.Model = e.Model
		}
		b.block().Text += e.Text
		l.grow(b.message, len(e.Text))
	case *event.ThinkingStart:
		l.open(head, e.MessageID, e.BlockID, "thinking")
	case *event.ThinkingDelta:
		if b := l.blocks[e.BlockID]; b != nil {
			b.block().Text += e.Text
			if e.Tokens > 0 {
				b.block().Tokens = e.Tokens
			}
			l.grow(b.message, len(e.Text))
		}
	case *event.ToolStart:
		b := l.open(head, e.MessageID, e.BlockID, "tool")
		if b.block().Tool != nil {
			return
		}
		b.block().Tool = &event.Tool{
			ToolUseID: e.ToolUseID, Name: e.Name, Server: e.Server, State: event.UseInput, StartedAt: head.At,
		}
		l.tools[e.ToolUseID] = b
		if answered := l.early[e.ToolUseID]; answered != nil {
			delete(l.early, e.ToolUseID)
			l.resolved(b.block().Tool, answered)
		}
	case *event.ToolInput:
		if tool := l.tool(e.ToolUseID); tool != nil && tool.Input == nil {
			tool.InputText += e.Text
			l.grow(l.tools[e.ToolUseID].message, len(e.Text))
		}
	case *event.ToolPending:
		if tool := l.tool(e.ToolUseID); tool != nil {
			more := len(e.Input) - len(tool.Input) - len(tool.InputText)
			tool.Input, tool.InputText = e.Input, ""
			if tool.State == event.UseInput {
				tool.State = event.UsePending
			}
			l.grow(l.tools[e.ToolUseID].message, more)
		}
	case *event.ToolResult:
		l.result(e)
	case *event.PermissionResolved:
		if tool := l.tool(e.ToolUseID); tool != nil {
			l.resolved(tool, e)
		} else if e.ToolUseID != "" && len(l.early) < maxEarly {
			l.early[e.ToolUseID] = e
		}
	case *event.BlockEnd:
		if b := l.blocks[e.BlockID]; b != nil {
			block := b.block()
			block.Open, block.Stopped = false, e.Stopped
			if e.Stopped && block.Tool != nil && block.Tool.State == event.UseInput {
				block.Tool.Cut("")
			}
		}
	case *event.ShellUpdate:
		l.shell(e)
	case *event.Compaction:
		if e.Phase != "started" {
			l.notice(head, event.Notice{
				Kind: "compaction", Text: e.Error, PreTokens: e.PreTokens, PostTokens: e.PostTokens,
			})
		}
	case *event.Status:
		if e.Status == "cleared" {
			l.notice(head, event.Notice{Kind: "cleared"})
		}
	case *event.Interrupted:
		l.stopTools(head.TurnID, event.UseStopped)
		l.notice(head, event.Notice{Kind: "interrupted", By: e.By})
	case *event.Error:
		l.notice(head, event.Notice{Kind: "error", Code: e.Code, Text: e.Message, Hint: e.Hint, Detail: e.Detail, ResetsAt: e.ResetsAt})
	case *event.Result:
		if m := l.lastTurn[head.TurnID]; m != nil {
			m.Result = &event.TurnResult{
				IsError: e.IsError && !e.Stopped, Stopped: e.Stopped, CostUSD: e.CostUSD, DurationMs: e.DurationMs,
				NumTurns: e.NumTurns, TTFTMs: e.TTFTMs, Usage: e.Usage,
			}
		}
	case *event.Done:
		if e.Reason != "completed" {
			l.stopTools(head.TurnID, event.UseCutOff)
		}
		delete(l.lastTurn, head.TurnID)
		clear(l.early)
		if e.Waits || e.Reason == "dropped" {
			l.takeBack(head.TurnID)
		}
	}
}

// takeBack removes the message of a prompt that was dropped.
func (l *Log) takeBack(id string) {
	i := slices.IndexFunc(l.messages, func(m *event.Message) bool { return m.ID == id })
	if i < 0 {
		return
	}
	for _, b := range l.messages[i].Blocks {
		delete(l.blocks, b.ID)
	}
	delete(l.byID, id)
	l.bytes -= l.sizes[i]
	l.messages, l.sizes = slices.Delete(slices.Clone(l.messages), i, i+1), slices.Delete(l.sizes, i, i+1)
}

// Outcome returns the outcome of a turn that isn't done yet, and its message; nil if
// there is none.
func (l *Log) Outcome(turnID string) (messageID string, r *event.TurnResult) {
	if m := l.lastTurn[turnID]; m != nil && m.Result != nil {
		return m.ID, m.Result
	}
	return "", nil
}

// Turn returns the messages of a turn and later, and the id of the one before, "" for
// none.
func (l *Log) Turn(turnID string) (after string, turn []event.Message) {
	for _, m := range l.messages {
		switch {
		case len(turn) > 0 || turnID != "" && m.TurnID == turnID:
			turn = append(turn, clone(m))
		case m.Role != "notice":
			after = m.ID
		}
	}
	return after, turn
}

// refuse marks a denied tool. One that ended already has its reason, except for who
// didn't answer.
func refuse(tool *event.Tool, reason string) {
	if tool.Content == nil || tool.State == event.UseNotRun && reason == event.ReasonExpired {
		tool.State, tool.Reason = event.UseNotRun, reason
	}
}

// result adds a tool's result to its block. A result whose tool the log doesn't
// know (it was dropped) is ignored; so is a second one of a tool that ended.
func (l *Log) result(e *event.ToolResult) {
	tool := l.tool(e.ToolUseID)
	if tool == nil || tool.Content != nil && (tool.State == event.UseDone || tool.State == event.UseError) {
		return
	}
	tool.Content = e.Content
	if tool.Content == nil {
		tool.Content = []event.ResultContent{}
	}
	tool.Structured, tool.DurationMs = e.Structured, e.DurationMs
	tool.State, tool.Reason = e.Outcome, e.Reason
	size := len(e.Structured)
	for _, c := range e.Content {
		size += len(c.Text) + len(c.Data)
	}
	l.grow(l.tools[e.ToolUseID].message, size)
}

// tool returns a tool use by its id, nil if the log doesn't know it.
func (l *Log) tool(id string) *event.Tool {
	s := l.tools[id]
	if s == nil {
		return nil
	}
	return s.block().Tool
}

// open returns the block with the given id, and creates it and its message if
// they are new.
func (l *Log) open(head *event.Head, messageID, blockID, kind string) *slot {
	if s := l.blocks[blockID]; s != nil {
		return s
	}
	m := l.byID[messageID]
	if m == nil {
		m = &event.Message{ID: messageID, Role: "assistant", ParentToolUseID: head.ParentToolUseID, Blocks: []event.Block{}}
		l.add(m, head, 0)
	}
	m.Blocks = append(m.Blocks, event.Block{ID: blockID, Type: kind, Open: true})
	s := &slot{message: m, index: len(m.Blocks) - 1}
	l.blocks[blockID] = s
	return s
}

// stopTools marks the tools of a turn that is stopped or over. A later result may be
// more precise.
func (l *Log) stopTools(turnID, began string) {
	for _, m := range l.messages {
		if m.TurnID != turnID {
			continue
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			b.Open = false
			b.Tool.Cut(began)
		}
	}
}

// notice adds a message without an author.
func (l *Log) notice(head *event.Head, n event.Notice) {
	l.add(&event.Message{
		ID: "notice:" + strconv.FormatUint(head.Seq, 10), Role: "notice", Blocks: []event.Block{}, Notice: &n,
	}, head, len(n.Text)+len(n.Detail))
}

// add appends a message and drops the oldest ones if there are too many. A
// message with a known id isn't added again.
func (l *Log) add(m *event.Message, head *event.Head, size int) {
	if l.byID[m.ID] != nil {
		return
	}
	m.TurnID, m.At = head.TurnID, head.At
	l.append(m, size)
	if m.Role == "assistant" && m.ParentToolUseID == "" {
		l.lastTurn[m.TurnID] = m
	}
}

// append adds a new message at the end.
func (l *Log) append(m *event.Message, size int) {
	l.messages = append(l.messages, m)
	l.sizes = append(l.sizes, 0)
	l.byID[m.ID] = m
	for i := range m.Blocks {
		s := &slot{message: m, index: i}
		l.blocks[m.Blocks[i].ID] = s
		if tool := m.Blocks[i].Tool; tool != nil {
			l.tools[tool.ToolUseID] = s
		}
	}
	l.grow(m, size+200)
}

// maxEarly bounds the answers kept for tool uses that haven't arrived.
const maxEarly = 64

// resolved records at a tool use how its question ended.
func (l *Log) resolved(tool *event.Tool, e *event.PermissionResolved) {
	switch {
	case e.Outcome == "deny":
		refuse(tool, event.ReasonDenied)
		tool.Said = e.Said
	case e.Outcome == "expired":
		refuse(tool, event.ReasonExpired)
	case e.Outcome == "withdrawn":
		refuse(tool, event.ReasonInterrupted)
	case e.Outcome == "allow" && (e.By == "rule" || e.By == "guard" || e.By == "reviewer"):
		tool.PassedBy, tool.PassedWhy = e.By, e.Why
	}
	if strings.HasPrefix(e.By, "@") {
		tool.AnsweredBy = e.By
	}
}
