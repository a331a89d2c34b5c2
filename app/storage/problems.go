package storage

import (
	"strconv"
	"sync"

	"parley/backend/event"
	"parley/backend/problem"
)

// Problems are this Parley's problems, for all its surfaces. Some are raised where they occur, some
// are found by checks.
type Problems struct {
	Book *problem.Book

	// looking serializes checks, so that the latest result counts.
	looking sync.Mutex
	seen    []problem.Looks
}

// Start sets who is asked for problems. Nothing is checked before.
func (p *Problems) Start(sources ...interface{ Problems() problem.Looks }) {
	for _, one := range sources {
		p.seen = append(p.seen, one.Problems())
	}
}

// Unrecorded reports how many messages of a turn the CLI did not store.
func (p *Problems) Unrecorded(messages int) {
	if messages == 0 {
		p.Book.Clear(problem.AnswersUnrecorded)
		return
	}
	p.Book.Raise(problem.Problem{ID: problem.AnswersUnrecorded, Facts: map[string]string{"messages": strconv.Itoa(messages)}})
}

// Look runs the checks.
func (p *Problems) Look() {
	p.looking.Lock()
	defer p.looking.Unlock()
	for _, looks := range p.seen {
		for id, wrong := range looks {
			if found, is := wrong(); is {
				p.Book.Raise(found)
			} else {
				p.Book.Clear(id)
			}
		}
	}
}

// Now runs the checks, and returns the list.
func (p *Problems) Now() []event.AppProblem {
	p.Look()
	return p.list()
}

func (p *Problems) list() []event.AppProblem {
	list := []event.AppProblem{}
	for _, one := range p.Book.List() {
		list = append(list, event.AppProblem{
			ID: one.ID, Severity: string(one.Severity), Since: one.Since, Title: one.Title, Todo: one.Todo, Facts: one.Facts, Action: one.Action,
		})
	}
	return list
}
