package sessions

import "parley/app/method"

// Methods is what a front end may ask of it.
func (t *Tasks) Methods() []*method.Method {
	return []*method.Method{
		method.New("task.list", "The subagents, commands, and monitors of a session's process, running and ended.",
			t.List),
		method.New("task.output", "The end of a background command's or monitor's output.",
			t.Output),
		method.New("task.stop", "Stops a background task.",
			t.Stop),
	}
}
