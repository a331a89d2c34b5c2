package storage

import (
	"strconv"
	"sync"

	"parley/backend/event"
	"parley/backend/problem"
)

// Problems is what is wrong with this Parley, for all its surfaces. Some of it is raised by
// whoever meets it, some is seen by looking.
type Problems struct {
	Book *problem.Book

	// looking is held while somebody looks, so that what was seen last counts.
	looking sync.Mutex
	seen    []problem.Looks
}

// Watch adds what there is to look at. It is called before anybody looks.
func (p *Problems) Watch(seen ...problem.Looks) { p.seen = append(p.seen, seen...) }

// Unrecorded is told how many messages of a turn the CLI did not write down.
func (p *Problems) Unrecorded(messages int) {
	if messages == 0 {
		p.Book.Clear(problem.AnswersUnrecorded)
		return
	}
	p.Book.Raise(problem.Problem{ID: problem.AnswersUnrecorded, Facts: map[string]string{"messages": strconv.Itoa(messages)}})
}

// Look sees what is wrong now.
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

// Now looks, and returns the list.
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
