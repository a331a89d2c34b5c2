// Package transcript turns what the CLI says into what people see: frames into
// events ([Projector]), and events into messages ([Log]). It is pure: no clock, no
// I/O, no goroutines. It knows nothing of turns, processes or who listens; the
// session's owner adds turn ids, times and numbers.
//
// Identity comes from the CLI's own ids, so that a live stream and a saved
// transcript give the same: a message is known by the API's message id, a block
// by the message id and its place in the message, a tool by its tool use id.
package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/usage"
)

// Bounds of a projector's memory. Beyond them the oldest entries are forgotten; a
// session comes nowhere near.
const (
	maxThreads = 512
	maxTools   = 20_000
	maxTasks   = 1_000
)

// Projector translates one session's frames. It is not safe for concurrent use.
type Projector struct {
	threads map[string]*thread
	tools   map[string]*toolUse
	tasks   map[string]*event.Task
	order   []string // of tasks, oldest first

	meter usage.Meter
	cost  usage.Cost
	made  int // counts messages that have no id of their own

	out []event.Event
}

// NewProjector returns a projector for a session that has said nothing yet.
func NewProjector() *Projector {
	return &Projector{
		threads: make(map[string]*thread),
		tools:   make(map[string]*toolUse),
		tasks:   make(map[string]*event.Task),
	}
}

// thread is one line of conversation: the main one, or a subagent's.
type thread struct {
	parent string
	// message is the message that streams or streamed last, with its blocks.
	message string
	model   string
	blocks  map[int]*block
	// seen counts the finished blocks of message that came by.
	seen int
	// stopped means that the rest of message is of no interest: a person
	// interrupted it.
	stopped bool
}

// block is a block of a message that streams.
type block struct {
	id     string
	kind   string // "text", "thinking", "tool", "" for kinds with nothing to show
	tool   string
	length int // bytes of text sent so far
	opened bool
	ended  bool
}

// toolUse is what must be remembered of a tool until its result came.
type toolUse struct {
	name     string
	pending  bool
	resulted bool
	parent   string
}

// Frame translates one frame. The events are valid until the next call; their
// session, number, time and turn are left to the caller.
func (p *Projector) Frame(f wire.Frame) []event.Event {
	p.out = p.out[:0]
	switch f := f.(type) {
	case *wire.StreamEvent:
		p.stream(f)
	case *wire.Assistant:
		p.assistant(f)
	case *wire.User:
		p.user(f)
	case *wire.Result:
		p.result(f)
	case *wire.Init:
		p.ready(f)
	case *wire.Status:
		p.status(f)
	case *wire.APIRetry:
		p.retry(f)
	case *wire.CompactBoundary:
		p.compacted(f)
	case *wire.ConversationReset:
		p.meter.Reset()
		p.cost.Reset()
		clear(p.threads)
		p.emit("", &event.Status{Status: "cleared"})
		p.context()
	case *wire.ThinkingTokens:
		p.thinkingTokens(f)
	case *wire.RateLimit, *wire.Notification, *wire.Informational, *wire.LocalCommandOutput,
		*wire.PermissionDenied, *wire.SessionWritesLost, *wire.AuthStatus:
		p.notice(f)
	case *wire.TaskStarted, *wire.TaskProgress, *wire.TaskUpdated, *wire.TaskNotification,
		*wire.BackgroundTasksChanged:
		p.task(f)
	}
	return p.out
}

// Stop closes every open block as cut off, at once: what the CLI still says about
// the messages under way is ignored. It is for an interrupt and for a process
// that died.
func (p *Projector) Stop() []event.Event {
	p.out = p.out[:0]
	for _, parent := range slices.Sorted(maps.Keys(p.threads)) {
		p.stop(p.threads[parent])
	}
	return p.out
}

// EndTurn closes what the main thread left open when its turn is over. Subagents
// in the background go on.
func (p *Projector) EndTurn() []event.Event {
	p.out = p.out[:0]
	if t := p.threads[""]; t != nil {
		p.stop(t)
	}
	return p.out
}

func (p *Projector) stop(t *thread) {
	t.stopped = true
	for _, i := range slices.Sorted(maps.Keys(t.blocks)) {
		if b := t.blocks[i]; b.opened && !b.ended {
			b.ended = true
			p.emit(t.parent, &event.BlockEnd{BlockID: b.id, Stopped: true})
		}
	}
}

// ProcessEnded forgets what belonged to a process that is gone: background work
// dies with it.
func (p *Projector) ProcessEnded() []event.Event {
	p.out = p.out[:0]
	for _, id := range p.order {
		if task := p.tasks[id]; task.Status == "running" || task.Status == "paused" {
			task.Status = "stopped"
			p.emit("", &event.TaskUpdate{Task: *task})
		}
	}
	clear(p.tasks)
	p.order = nil
	clear(p.threads)
	return p.out
}

// Context returns the meter's reading, and false before the first call.
func (p *Projector) Context() (event.Context, bool) { return p.meter.Reading() }

// TotalCost returns the running total in dollars.
func (p *Projector) TotalCost() float64 { return p.cost.Total() }

// Tasks returns the background work that is not over, oldest first.
func (p *Projector) Tasks() []event.Task {
	tasks := []event.Task{}
	for _, id := range p.order {
		if t := p.tasks[id]; t.Status == "running" || t.Status == "paused" {
			tasks = append(tasks, *t)
		}
	}
	return tasks
}

func (p *Projector) emit(parent string, e event.Event) {
	e.Header().ParentToolUseID = parent
	p.out = append(p.out, e)
}

// context emits the meter's reading.
func (p *Projector) context() {
	reading, _ := p.meter.Reading()
	p.emit("", &event.ContextUpdate{Context: reading})
}

func (p *Projector) thread(parent string) *thread {
	t := p.threads[parent]
	if t == nil {
		if len(p.threads) >= maxThreads {
			clear(p.threads)
		}
		t = &thread{parent: parent, blocks: make(map[int]*block)}
		p.threads[parent] = t
	}
	return t
}

// begin makes id the message under way on a thread.
func (t *thread) begin(id, model string) {
	t.message, t.model, t.seen, t.stopped = id, model, 0, false
	clear(t.blocks)
}

func (t *thread) blockID(index int) string { return t.message + ":" + strconv.Itoa(index) }

// stream translates one piece of a message under way.
func (p *Projector) stream(f *wire.StreamEvent) {
	t := p.thread(f.ParentToolUseID)
	switch e := f.Event.(type) {
	case *wire.MessageStart:
		t.begin(e.ID, e.Model)
		if t.parent == "" {
			p.meter.Call(e.Model, tokens(e.Usage))
			p.context()
		}
	case *wire.BlockStart:
		p.blockStart(t, e)
	case *wire.BlockDelta:
		p.blockDelta(t, e)
	case *wire.BlockStop:
		if b := t.blocks[e.Index]; b != nil && !t.stopped {
			p.end(t, b)
		}
	case *wire.MessageDelta:
		if t.parent == "" && e.Usage.OutputTokens != nil {
			p.meter.Output(tokensDelta(e.Usage))
			p.context()
		}
	}
}

func (p *Projector) blockStart(t *thread, e *wire.BlockStart) {
	if t.stopped {
		return
	}
	b := &block{id: t.blockID(e.Index)}
	t.blocks[e.Index] = b
	switch {
	case e.Type == "text":
		b.kind = "text"
		p.text(t, b, e.Text)
	case e.Type == "thinking" || e.Type == "redacted_thinking":
		b.kind = "thinking"
		p.open(t, b)
		p.thinking(t, b, e.Text)
	case e.Type == "tool_use" || e.Type == "server_tool_use" || e.Type == "mcp_tool_use":
		b.kind = "tool"
		p.toolStart(t, b, e.ID, e.Name, e.Type != "tool_use")
	case strings.HasSuffix(e.Type, "_tool_result"):
		p.serverResult(t, e.ToolUseID, e.Raw)
	}
}

func (p *Projector) blockDelta(t *thread, e *wire.BlockDelta) {
	b := t.blocks[e.Index]
	if b == nil || t.stopped || b.ended {
		return
	}
	switch e.Kind {
	case wire.DeltaText:
		p.text(t, b, e.Text)
	case wire.DeltaThinking:
		p.thinking(t, b, e.Text)
		if e.EstimatedTokens > 0 {
			p.emit(t.parent, &event.ThinkingDelta{BlockID: b.id, Tokens: e.EstimatedTokens})
		}
	case wire.DeltaInputJSON:
		if b.kind == "tool" && e.Text != "" {
			b.length += len(e.Text)
			p.emit(t.parent, &event.ToolInput{ToolUseID: b.tool, Name: p.toolName(b.tool), BlockID: b.id, Text: e.Text})
		}
	}
}

// open announces a thinking block.
func (p *Projector) open(t *thread, b *block) {
	b.opened = true
	p.emit(t.parent, &event.ThinkingStart{MessageID: t.message, BlockID: b.id})
}

func (p *Projector) text(t *thread, b *block, text string) {
	if text == "" || b.kind != "text" {
		return
	}
	delta := &event.TextDelta{MessageID: t.message, BlockID: b.id, Text: text}
	if !b.opened {
		b.opened, delta.Model = true, t.model
	}
	b.length += len(text)
	p.emit(t.parent, delta)
}

func (p *Projector) thinking(t *thread, b *block, text string) {
	if text == "" || b.kind != "thinking" {
		return
	}
	b.length += len(text)
	p.emit(t.parent, &event.ThinkingDelta{BlockID: b.id, Text: text})
}

func (p *Projector) toolStart(t *thread, b *block, id, name string, server bool) {
	b.opened, b.tool = true, id
	if len(p.tools) >= maxTools {
		clear(p.tools)
	}
	p.tools[id] = &toolUse{name: name, parent: t.parent}
	p.emit(t.parent, &event.ToolStart{MessageID: t.message, BlockID: b.id, ToolUseID: id, Name: name, Server: server})
}

// pending announces a tool's whole input, once.
func (p *Projector) pending(t *thread, id string, input json.RawMessage) {
	use := p.tools[id]
	if use == nil || use.pending {
		return
	}
	use.pending = true
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	p.emit(t.parent, &event.ToolPending{ToolUseID: id, Name: use.name, Input: input})
}

func (p *Projector) end(t *thread, b *block) {
	if b.ended {
		return
	}
	b.ended = true
	if b.opened {
		p.emit(t.parent, &event.BlockEnd{BlockID: b.id})
	}
}

func (p *Projector) toolName(id string) string {
	if use := p.tools[id]; use != nil {
		return use.name
	}
	return ""
}

func (p *Projector) thinkingTokens(f *wire.ThinkingTokens) {
	t := p.thread("")
	for i := maxIndex(t.blocks); i >= 0; i-- {
		if b := t.blocks[i]; b != nil && b.kind == "thinking" && !b.ended && !t.stopped {
			p.emit("", &event.ThinkingDelta{BlockID: b.id, Tokens: f.EstimatedTokens})
			return
		}
	}
}

func maxIndex(blocks map[int]*block) int {
	highest := -1
	for i := range blocks {
		highest = max(highest, i)
	}
	return highest
}

func tokens(u wire.Usage) event.Usage {
	return event.Usage{
		InputTokens: u.InputTokens, CacheReadTokens: u.CacheReadInputTokens,
		CacheCreationTokens: u.CacheCreationInputTokens, OutputTokens: u.OutputTokens,
	}
}

func tokensDelta(u wire.UsageDelta) event.Usage {
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return event.Usage{
		InputTokens: value(u.InputTokens), CacheReadTokens: value(u.CacheReadInputTokens),
		CacheCreationTokens: value(u.CacheCreationInputTokens), OutputTokens: value(u.OutputTokens),
	}
}
