package transcript

import (
	"encoding/json"

	"parley/backend/event"
	"parley/backend/usage"
)

// projected is a projector's state.
type projected struct {
	Threads     map[string]threadState `json:"threads,omitempty"`
	ThreadOrder []string               `json:"threadOrder,omitempty"`
	Tools       map[string]toolState   `json:"tools,omitempty"`
	ToolOrder   []string               `json:"toolOrder,omitempty"`
	Tasks       map[string]*event.Task `json:"tasks,omitempty"`
	Order       []string               `json:"order,omitempty"`
	Usage       usage.State            `json:"usage"`
	Told        event.Context          `json:"told"`
	Made        int                    `json:"made,omitempty"`
	Refused     string                 `json:"refused,omitempty"`
	ResetsAt    int64                  `json:"resetsAt,omitempty"`
}

type threadState struct {
	Message string             `json:"message"`
	Model   string             `json:"model,omitempty"`
	Blocks  map[int]blockState `json:"blocks,omitempty"`
	Seen    int                `json:"seen,omitempty"`
	Stopped bool               `json:"stopped,omitempty"`
}

type blockState struct {
	ID     string `json:"id"`
	Kind   string `json:"kind,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Length int    `json:"length,omitempty"`
	Opened bool   `json:"opened,omitempty"`
	Ended  bool   `json:"ended,omitempty"`
}

type toolState struct {
	Name     string `json:"name"`
	Pending  bool   `json:"pending,omitempty"`
	Server   bool   `json:"server,omitempty"`
	Parent   string `json:"parent,omitempty"`
	Asked    string `json:"asked,omitempty"`
	Resulted bool   `json:"resulted,omitempty"`
	Guessed  string `json:"guessed,omitempty"`
}

// HandOver returns the projector's state, for another program that continues in the
// middle of the CLI's output.
func (p *Projector) HandOver() (json.RawMessage, error) {
	s := projected{
		Threads: make(map[string]threadState, len(p.threads)), ThreadOrder: p.threadOrder,
		Tools: make(map[string]toolState, len(p.tools)), ToolOrder: p.toolOrder, Tasks: p.tasks, Order: p.order,
		Usage: usage.HandOver(&p.meter, &p.cost), Told: p.told, Made: p.made, Refused: p.refused, ResetsAt: p.resetsAt,
	}
	for parent, t := range p.threads {
		one := threadState{Message: t.message, Model: t.model, Blocks: make(map[int]blockState, len(t.blocks)), Seen: t.seen, Stopped: t.stopped}
		for i, b := range t.blocks {
			one.Blocks[i] = blockState{b.id, b.kind, b.tool, b.length, b.opened, b.ended}
		}
		s.Threads[parent] = one
	}
	for id, u := range p.tools {
		s.Tools[id] = toolState{u.name, u.pending, u.server, u.parent, u.asked, u.resulted, u.guessed}
	}
	return json.Marshal(s)
}

// TakeOver makes a new projector continue with another's state.
func (p *Projector) TakeOver(state json.RawMessage) error {
	var s projected
	if err := json.Unmarshal(state, &s); err != nil {
		return err
	}
	for parent, t := range s.Threads {
		one := &thread{parent: parent, message: t.Message, model: t.Model, blocks: make(map[int]*block, len(t.Blocks)), seen: t.Seen, stopped: t.Stopped}
		for i, b := range t.Blocks {
			one.blocks[i] = &block{b.ID, b.Kind, b.Tool, b.Length, b.Opened, b.Ended}
		}
		p.threads[parent] = one
	}
	// The order may only contain existing entries: each is looked up.
	for _, id := range s.ThreadOrder {
		if p.threads[id] != nil {
			p.threadOrder = append(p.threadOrder, id)
		}
	}
	for id, u := range s.Tools {
		p.tools[id] = &toolUse{u.Name, u.Pending, u.Server, u.Parent, u.Asked, u.Resulted, u.Guessed}
	}
	p.toolOrder = s.ToolOrder
	for _, id := range s.Order {
		if task := s.Tasks[id]; task != nil {
			p.tasks[id] = task
			p.order = append(p.order, id)
		}
	}
	s.Usage.TakeOver(&p.meter, &p.cost)
	p.told, p.made, p.refused, p.resetsAt = s.Told, s.Made, s.Refused, s.ResetsAt
	return nil
}

// logged is a log's state.
type logged struct {
	Messages  []*event.Message                     `json:"messages"`
	Forgotten int                                  `json:"forgotten,omitempty"`
	Early     map[string]*event.PermissionResolved `json:"early,omitempty"`
	// LastTurn maps each turn to its last message.
	LastTurn map[string]string `json:"lastTurn,omitempty"`
	Seq      uint64            `json:"seq"`
}

// HandOver returns the log's newest messages, within the limits, and the state to
// continue with them.
func (l *Log) HandOver(maxMessages, maxBytes int) (json.RawMessage, error) {
	s := logged{Early: l.early, LastTurn: make(map[string]string, len(l.lastTurn)), Seq: l.lastSeq}
	from, bytes := len(l.messages), 0
	for from > 0 && len(l.messages)-from < maxMessages && (from == len(l.messages) || bytes+l.sizes[from-1] <= maxBytes) {
		from--
		bytes += l.sizes[from]
	}
	s.Messages, s.Forgotten = l.messages[from:], l.forgotten+from
	for turn, m := range l.lastTurn {
		s.LastTurn[turn] = m.ID
	}
	return json.Marshal(s)
}

// TakeOver makes an empty log continue with another's state.
func (l *Log) TakeOver(state json.RawMessage) error {
	var s logged
	if err := json.Unmarshal(state, &s); err != nil {
		return err
	}
	for _, m := range s.Messages {
		if m != nil && l.byID[m.ID] == nil {
			l.append(m, sizeOf(m))
		}
	}
	l.forgotten += s.Forgotten
	l.lastSeq = s.Seq
	for id, e := range s.Early {
		if e != nil {
			l.early[id] = e
		}
	}
	for turn, id := range s.LastTurn {
		if m := l.byID[id]; m != nil {
			l.lastTurn[turn] = m
		}
	}
	return nil
}
