package library

import (
	"context"
	"slices"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// Agent returns a page of a subagent's conversation, the newest page first, from the
// CLI's files. The subagent is found by the tool use that started it, or by its own
// id if the CLI didn't record that. The messages have the tool use as their parent.
// Its faults are not_found and those of [history.Transcript.Page].
func (l *Library) Agent(ctx context.Context, id, toolUseID, agentID string, limit int, before string) (event.History, error) {
	v, err := l.view(ctx, id)
	if err != nil {
		return event.History{}, err
	}
	for _, k := range v.links {
		if k.path == "" {
			continue
		}
		agents, err := history.Open(k.path).Agents()
		if err != nil {
			return event.History{}, err
		}
		i := slices.IndexFunc(agents, func(a history.Agent) bool { return a.ToolUseID == toolUseID })
		if i < 0 {
			i = slices.IndexFunc(agents, func(a history.Agent) bool { return a.ToolUseID == "" && a.ID == agentID })
		}
		if i < 0 {
			continue
		}
		a := agents[i]
		a.ToolUseID = toolUseID
		p, err := a.Open().Page(ctx, limit, before)
		if err != nil {
			return event.History{}, err
		}
		if v.over {
			settle(p.Messages)
		}
		l.ascribe(p.Messages)
		page := event.History{Messages: p.Messages, HasMore: p.HasMore, Before: p.Before, Seq: v.seq, Total: len(p.Messages)}
		if page.Messages == nil {
			page.Messages = []event.Message{}
		}
		if p.HasMore {
			page.Total++
		}
		return page, nil
	}
	return event.History{}, fault.New(fault.NotFound, "Claude Code kept no record of this subagent.")
}
