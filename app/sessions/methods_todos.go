package sessions

import "parley/app/method"

// Methods is what a front end may ask of it.
func (t *Todos) Methods() []*method.Method {
	return []*method.Method{
		method.New("todo.list", "The session's task list, as stored by the CLI.",
			t.List),
	}
}
