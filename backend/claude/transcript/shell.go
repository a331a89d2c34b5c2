package transcript

import "parley/backend/event"

// shell adds a user's command to the conversation, or updates it. The data is
// replaced as a whole and never changed in place.
func (l *Log) shell(e *event.ShellUpdate) {
	shell := e.Shell
	m := l.byID[e.MessageID]
	if m == nil {
		m = &event.Message{
			ID: e.MessageID, Role: "shell", Shell: &shell,
			Blocks: []event.Block{{ID: e.MessageID + ":0", Type: "text", Open: true}},
		}
		l.add(m, e.Header(), len(shell.Command)+len(shell.Tail))
	} else {
		before := 0
		if m.Shell != nil {
			before = len(m.Shell.Tail)
		}
		m.Shell = &shell
		l.grow(m, len(shell.Tail)-before)
	}
	if b := l.blocks[e.MessageID+":0"]; b != nil {
		b.block().Open = shell.State == "running"
	}
}
