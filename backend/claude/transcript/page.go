package transcript

import "parley/backend/event"

// sizeOf estimates the bytes of a finished message.
func sizeOf(m *event.Message) int {
	size := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		size += len(b.Text)
		if b.Tool == nil {
			continue
		}
		size += len(b.Tool.Input) + len(b.Tool.InputText) + len(b.Tool.Structured)
		for _, c := range b.Tool.Content {
			size += len(c.Text) + len(c.Data)
		}
	}
	if m.Shell != nil {
		size += len(m.Shell.Command) + len(m.Shell.Tail)
	}
	if n := m.Notice; n != nil {
		size += len(n.Text) + len(n.Detail)
	}
	return size
}

// grow accounts for bytes added to m, then drops what exceeds the limits.
func (l *Log) grow(m *event.Message, size int) {
	for i := len(l.messages) - 1; i >= 0; i-- {
		if l.messages[i] == m {
			l.sizes[i] += size
			l.bytes += size
			break
		}
	}
	l.forget(l.maxMessages, l.maxBytes)
}

// forget drops the oldest messages while there are more than the limits allow. The
// newest message always stays.
func (l *Log) forget(maxMessages, maxBytes int) {
	drop := 0
	for drop < len(l.messages)-1 && (len(l.messages)-drop > maxMessages || l.bytes > maxBytes) {
		old := l.messages[drop]
		l.bytes -= l.sizes[drop]
		delete(l.byID, old.ID)
		if l.lastTurn[old.TurnID] == old {
			delete(l.lastTurn, old.TurnID)
		}
		for _, b := range old.Blocks {
			delete(l.blocks, b.ID)
			if b.Tool == nil {
				continue
			}
			if s := l.tools[b.Tool.ToolUseID]; s != nil && s.message == old {
				delete(l.tools, b.Tool.ToolUseID)
			}
		}
		drop++
	}
	if drop > 0 {
		l.forgotten += drop
		l.messages = append([]*event.Message(nil), l.messages[drop:]...)
		l.sizes = append([]int(nil), l.sizes[drop:]...)
	}
}

// Trim drops the oldest messages over the given limits, once.
func (l *Log) Trim(maxMessages, maxBytes int) { l.forget(maxMessages, maxBytes) }

// Forgotten returns the number of dropped messages.
func (l *Log) Forgotten() int { return l.forgotten }

// Page returns up to limit messages, oldest first: the newest ones, or those
// before the cursor of an earlier page. An unknown cursor returns the newest page;
// a page has at least one message if there is any. The result shares nothing with
// the log.
func (l *Log) Page(limit int, before string) event.History {
	limit = max(limit, 1)
	end := len(l.messages)
	if before != "" {
		for i, m := range l.messages {
			if m.ID == before {
				end = i
				break
			}
		}
	}
	start := max(0, end-limit)
	page := event.History{
		Messages: make([]event.Message, 0, end-start), Total: len(l.messages) + l.forgotten,
		HasMore: start > 0, Seq: l.lastSeq,
	}
	for _, m := range l.messages[start:end] {
		page.Messages = append(page.Messages, clone(m))
	}
	if start > 0 {
		page.Before = l.messages[start].ID
	}
	return page
}

// clone copies a message so that the log may keep changing its own. Raw JSON and
// result contents are never changed in place and may be shared.
func clone(m *event.Message) event.Message {
	c := *m
	c.Blocks = make([]event.Block, len(m.Blocks))
	copy(c.Blocks, m.Blocks)
	for i := range c.Blocks {
		if tool := c.Blocks[i].Tool; tool != nil {
			t := *tool
			c.Blocks[i].Tool = &t
		}
	}
	return c
}
