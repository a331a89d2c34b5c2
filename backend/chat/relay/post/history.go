package post

import (
	"encoding/json"
	"slices"
	"strconv"

	"parley/backend/event"
)

// set creates turns from a conversation's messages: those after a turn that is already
// in the thread, or after a time. The newest turn is running if busy.
func (in *intake) set(messages []event.Message, done settled, since int64, busy bool) {
	in.turns, in.files, in.missed = nil, nil, 0
	messages = named(messages)
	from := done.in(messages)
	found := from > 0
	answered := map[string]bool{}
	for _, m := range messages {
		if m.Role != "user" {
			answered[m.TurnID] = true
		}
	}
	for i, m := range messages[from:] {
		if m.ParentToolUseID != "" || !found && m.At < since {
			continue
		}
		in.message(&m, answered[m.TurnID] || i == len(messages[from:])-1)
	}
	if n := len(in.turns); n > 0 && !busy {
		in.turns[n-1].end("completed")
	}
}

// settled is the last turn in the thread, and its last message; "" for none.
type settled struct{ turn, message string }

// in returns how many messages there are up to the end of that turn, 0 if it isn't
// among them. The message is the better indicator: in the CLI's file a prompt that
// came during the turn looks like the start of another.
func (d settled) in(messages []event.Message) int {
	turn, message := 0, 0
	for i, m := range messages {
		if d.turn != "" && m.TurnID == d.turn {
			turn = i + 1
		}
		if d.message != "" && m.ID == d.message {
			message = i + 1
		}
	}
	if message == 0 {
		return turn
	}
	for message < len(messages) && messages[message].Role == "notice" && messages[message].TurnID == messages[message-1].TurnID {
		message++ // how the turn ended
	}
	return message
}

// named sets the turns of messages read from the CLI's file, which doesn't contain
// them: a turn has the id of its prompt.
func named(messages []event.Message) []event.Message {
	messages = slices.Clone(messages)
	turn := ""
	for i := range messages {
		m := &messages[i]
		switch {
		case m.TurnID != "":
			return messages // the session knew them from here on
		case m.Role == "user" && !m.Synthetic && m.ParentToolUseID == "":
			turn = m.ID
		}
		m.TurnID = turn
	}
	return messages
}

// message processes a message of a conversation. A prompt that started no turn of
// its own belongs to the previous one.
func (in *intake) message(m *event.Message, own bool) {
	head := event.Head{TurnID: m.TurnID, At: m.At}
	switch {
	case m.Role == "user":
		if t := in.current(); t != nil && own && t.id != m.TurnID {
			t.end("completed")
		}
		var text string
		for _, b := range m.Blocks {
			text += b.Text
		}
		in.prompt(&event.UserMessage{Head: head, MessageID: m.ID, Text: text, Attachments: m.Attachments, Author: m.Author, Synthetic: m.Synthetic})
	case m.Role == "shell" && m.Shell != nil:
		in.shell(&event.ShellUpdate{Head: head, MessageID: m.ID, Shell: event.Shell{State: "running"}})
		for _, b := range m.Blocks {
			in.text(&event.TextDelta{Head: head, MessageID: m.ID, Text: b.Text})
		}
		in.shell(&event.ShellUpdate{Head: head, MessageID: m.ID, Shell: *m.Shell})
	case m.Notice != nil:
		in.noticed(m, head)
	case m.Role == "assistant":
		in.answer(m, head)
	}
}

func (in *intake) noticed(m *event.Message, head event.Head) {
	if seq, err := strconv.ParseUint(m.ID[min(len(m.ID), len("notice:")):], 10, 64); err == nil {
		head.Seq = seq // the key of events between two turns is derived from it
	}
	switch n := m.Notice; n.Kind {
	case "compaction":
		in.happened(&event.Compaction{Head: head, Phase: "finished", PreTokens: n.PreTokens, PostTokens: n.PostTokens, Error: n.Text})
	case "cleared":
		in.happened(&event.Status{Head: head, Status: "cleared"})
	case "error":
		in.happened(&event.Error{Head: head, Message: n.Text, Hint: n.Hint})
	case "interrupted":
		in.happened(&event.Interrupted{Head: head})
	}
}

func (in *intake) answer(m *event.Message, head event.Head) {
	t := in.at(m.TurnID, 0)
	t.last = m.ID
	if m.Model != "" {
		t.model = m.Model
	}
	for _, b := range m.Blocks {
		switch {
		case b.Type == "text":
			in.text(&event.TextDelta{Head: head, MessageID: m.ID, BlockID: b.ID, Text: b.Text})
			if i := t.blocks[b.ID]; i != nil {
				i.ended = !b.Open
			}
		case b.Tool != nil:
			in.used(t, b.Tool, head)
		}
	}
	if m.Result != nil {
		t.result = m.Result
	}
}

func (in *intake) used(t *turn, u *event.Tool, head event.Head) {
	i := in.use(t, u.ToolUseID, u.Name)
	if i.tool == nil {
		return
	}
	if len(u.Input) > 0 && json.Valid(u.Input) {
		i.tool.input(u.Input, in.folder)
	}
	if u.State == event.UseInput || u.State == event.UsePending {
		return
	}
	e := &event.ToolResult{Head: head, ToolUseID: u.ToolUseID, Name: u.Name, Outcome: u.State, Reason: u.Reason, Content: u.Content, Structured: u.Structured, DurationMs: u.DurationMs}
	i.tool.result(e)
	in.images(t, e)
}
