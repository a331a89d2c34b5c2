package usage

import "parley/backend/event"

// State is what a meter and a cost know, for those of a program that goes on with them.
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

// HandOver returns what the meter and the cost of a session know.
func HandOver(m *Meter, c *Cost) State {
	return State{m.known, m.mute, m.tokens, m.model, m.answers, m.alias, m.last, m.lastOf, c.total}
}

// TakeOver makes new ones continue with that.
func (s State) TakeOver(m *Meter, c *Cost) {
	m.known, m.mute, m.tokens, m.model, m.answers, m.alias, m.last, m.lastOf = s.Known, s.Mute, s.Tokens, s.Model, s.Answers, s.Alias, s.Last, s.LastOf
	c.total = s.Total
}
