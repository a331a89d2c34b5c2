package usage

import "parley/backend/event"

// State is the state of a meter and a cost, for those of a program that continues them.
type State struct {
	Known   bool        `json:"known,omitempty"`
	Mute    bool        `json:"mute,omitempty"`
	Tokens  event.Usage `json:"tokens"`
	Model   string      `json:"model,omitempty"`
	Answers string      `json:"answers,omitempty"`
	Alias   string      `json:"alias,omitempty"`
	Last    int64       `json:"last,omitempty"`
	LastOf  string      `json:"lastOf,omitempty"`
	Total   float64     `json:"total,omitempty"`
}

// HandOver returns the state of a session's meter and cost.
func HandOver(m *Meter, c *Cost) State {
	return State{m.known, m.mute, m.tokens, m.model, m.answers, m.alias, m.last, m.lastOf, c.total}
}

// TakeOver restores the state in new ones.
func (s State) TakeOver(m *Meter, c *Cost) {
	m.known, m.mute, m.tokens, m.model, m.answers, m.alias, m.last, m.lastOf = s.Known, s.Mute, s.Tokens, s.Model, s.Answers, s.Alias, s.Last, s.LastOf
	c.total = s.Total
}
