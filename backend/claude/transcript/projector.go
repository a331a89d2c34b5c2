// Package transcript turns the CLI's output into what users see: frames into
// events ([Projector]), and events into messages ([Log]). It is pure: no clock, no
// I/O, no goroutines. It knows nothing of turns, processes or listeners; the
// session's owner adds turn ids, times and numbers.
//
// Identity comes from the CLI's own ids, so that a live stream and a saved
// transcript give the same: a message is identified by the API's message id, a
// block by the message id and its index, a tool by its tool use id.
package transcript

import (
	"maps"
	"slices"
	"strconv"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/usage"
)

// Limits of a projector's memory. Beyond them the oldest entries are dropped; a
// real session stays far below.
const (
	maxThreads = 512
	maxTools   = 20_000
	maxTasks   = 1_000
)

// Projector translates one session's frames. It is not safe for concurrent use.
type Projector struct {
	threads     map[string]*thread
	threadOrder []string // of subagents, oldest first
	tools       map[string]*toolUse
	toolOrder   []string
	tasks       map[string]*event.Task
	order       []string // of tasks, oldest first

	meter usage.Meter
	told  event.Context // what was last published of it
	cost  usage.Cost
	made  int // counts messages without their own id
	// refused is the CLI's text about a failed API call. Users see it once, with
	// advice, when the result says how it failed.
	refused string
	// resetsAt is when the exhausted limit resets, in Unix milliseconds, 0 while some
	// is left.
	resetsAt int64

	out []event.Event
}

// NewProjector returns a projector for a new session.
func NewProjector() *Projector {
	return &Projector{
		threads: make(map[string]*thread),
		tools:   make(map[string]*toolUse),
		tasks:   make(map[string]*event.Task),
	}
}

// thread is one thread of conversation: the main one, or a subagent's.
type thread struct {
	parent string
	// message is the current or last streamed message, with its blocks.
	message string
	model   string
	blocks  map[int]*block
	// seen counts the finished blocks of message received.
	seen int
	// stopped means that the rest of message is ignored, because a user
	// interrupted it.
	stopped bool
}

// block is a block of a streaming message.
type block struct {
	id     string
	kind   string // "text", "thinking", "tool", "" for kinds with nothing to show
	tool   string
	length int // bytes of text sent
	opened bool
	ended  bool
}

// toolUse is the state of a tool use until its result arrives.
type toolUse struct {
	name string
	// pending is set if its input is complete, server if it runs at the provider.
	pending, server bool
	parent          string
	// asked is the state of its question, "" for none.
	asked    string
	resulted bool
	// guessed is the outcome published before the CLI reported one, if any.
	guessed string
}

// Frame translates one frame. The events are valid until the next call; the
// caller sets their session, number, time and turn.
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
		p.stopAll()
		p.forgetThreads()
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

// Stop closes every open block as cut off at once, and reports which tools won't run.
// Later text of the current messages is ignored. It is used for an interrupt and for a
// dead process.
func (p *Projector) Stop() []event.Event {
	p.out = p.out[:0]
	p.stopAll()
	p.settle("", (*toolUse).certain)
	return p.out
}

func (p *Projector) stopAll() {
	for _, parent := range slices.Sorted(maps.Keys(p.threads)) {
		p.stop(p.threads[parent])
	}
}

// EndTurn closes what the main thread left open at the end of its turn. Background
// subagents continue.
func (p *Projector) EndTurn() []event.Event {
	p.out = p.out[:0]
	if t := p.threads[""]; t != nil {
		p.stop(t)
	}
	p.gone("")
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

// ProcessEnded discards the state of a dead process: background work dies with
// it.
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
	if p.refused != "" { // the result that would report it won't come
		p.emit("", failure(&wire.Result{}, &event.Result{Text: p.refused}))
		p.refused = ""
	}
	p.stopAll()
	p.forgetThreads()
	p.settle(event.UseCutOff, func(*toolUse) bool { return true })
	return p.out
}

func (p *Projector) forgetThreads() {
	clear(p.threads)
	p.threadOrder = nil
}

// Context returns the meter reading, and false before the first call.
func (p *Projector) Context() (event.Context, bool) { return p.meter.Reading() }

// Share makes the meter use the shared knowledge of windows.
func (p *Projector) Share(windows *usage.Windows, environment string) {
	p.meter.Share(windows, environment)
}

// Switch records that another model was chosen; "" if the CLI has yet to name it.
func (p *Projector) Switch(model string) []event.Event {
	p.out = p.out[:0]
	p.meter.Switch(model)
	p.news()
	return p.out
}

// TotalCost returns the running total in dollars.
func (p *Projector) TotalCost() float64 { return p.cost.Total() }

// Tasks returns the unfinished background tasks, oldest first.
func (p *Projector) Tasks() []event.Task {
	tasks := []event.Task{}
	for _, id := range p.order {
		if t := p.tasks[id]; t.Status == "running" || t.Status == "paused" {
			tasks = append(tasks, *t)
		}
	}
	return tasks
}

// AllTasks returns the process's background tasks, finished ones included, oldest
// first.
func (p *Projector) AllTasks() []event.Task {
	tasks := make([]event.Task, 0, len(p.order))
	for _, id := range p.order {
		tasks = append(tasks, *p.tasks[id])
	}
	return tasks
}

func (p *Projector) emit(parent string, e event.Event) {
	e.Header().ParentToolUseID = parent
	p.out = append(p.out, e)
}

// context emits the meter reading.
func (p *Projector) context() {
	p.told, _ = p.meter.Reading()
	p.emit("", &event.ContextUpdate{Context: p.told})
}

// news emits the meter reading if it differs from the last published one.
func (p *Projector) news() {
	if reading, known := p.meter.Reading(); known && !reading.Equal(p.told) {
		p.context()
	}
}

func (p *Projector) thread(parent string) *thread {
	t := p.threads[parent]
	if t != nil {
		return t
	}
	t = &thread{parent: parent, blocks: make(map[int]*block)}
	p.threads[parent] = t
	if parent == "" {
		return t
	}
	if len(p.threadOrder) >= maxThreads {
		p.stop(p.threads[p.threadOrder[0]])
		delete(p.threads, p.threadOrder[0])
		p.threadOrder = p.threadOrder[1:]
	}
	p.threadOrder = append(p.threadOrder, parent)
	return t
}

// begin makes id the current message of a thread. What the previous message left
// open (its stream broke off) is closed as cut off.
func (p *Projector) begin(t *thread, id, model string) {
	p.stop(t)
	t.message, t.model, t.seen, t.stopped = id, model, 0, false
	clear(t.blocks)
}

func (t *thread) blockID(index int) string { return t.message + ":" + strconv.Itoa(index) }

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
