package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"parley/app/feature"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// maxParts bounds each list of context parts.
const maxParts = 200

// contextUsage has the used fields of the CLI's answer to get_context_usage.
type contextUsage struct {
	Model         string `json:"model"`
	Total         int64  `json:"totalTokens"`
	AutoCompactAt int64  `json:"autoCompactThreshold"`
	AutoCompact   bool   `json:"isAutoCompactEnabled"`
	Categories    []struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Tokens   int64  `json:"tokens"`
		Kind     string `json:"kind"`
		Deferred bool   `json:"isDeferred"`
	} `json:"categories"`
	MemoryFiles []struct {
		Path   string `json:"path"`
		Type   string `json:"type"`
		Tokens int64  `json:"tokens"`
	} `json:"memoryFiles"`
	MCPTools []struct {
		Name   string `json:"name"`
		Server string `json:"serverName"`
		Tokens int64  `json:"tokens"`
		Loaded *bool  `json:"isLoaded"`
	} `json:"mcpTools"`
	Agents []struct {
		Type   string `json:"agentType"`
		Source string `json:"source"`
		Tokens int64  `json:"tokens"`
	} `json:"agents"`
	Skills struct {
		List []struct {
			Name   string `json:"name"`
			Source string `json:"source"`
			Tokens int64  `json:"tokens"`
		} `json:"skillFrontmatter"`
	} `json:"skills"`
	Messages *struct {
		ToolCalls    int64 `json:"toolCallTokens"`
		ToolResults  int64 `json:"toolResultTokens"`
		Attachments  int64 `json:"attachmentTokens"`
		Assistant    int64 `json:"assistantMessageTokens"`
		User         int64 `json:"userMessageTokens"`
		Redirected   int64 `json:"redirectedContextTokens"`
		Unattributed int64 `json:"unattributedTokens"`
		Tools        []struct {
			Name    string `json:"name"`
			Calls   int64  `json:"callTokens"`
			Results int64  `json:"resultTokens"`
		} `json:"toolCallsByType"`
	} `json:"messageBreakdown"`
}

// The kinds of parts.
const (
	kindUsed     = "used"
	kindFree     = "free"
	kindBuffer   = "buffer"
	kindDeferred = "deferred"
)

// Context asks the session's CLI, if it is running: viewing resumes no session.
func (a *Service) Context(ctx context.Context, p feature.SessionRef) (ContextReport, error) {
	s, err := a.cfg.Get(ctx, p.SessionID)
	if err != nil {
		return ContextReport{}, err
	}
	asleep := &contextUsage{Model: s.Model}
	if s.PID == 0 {
		return asleep.report(false, s.Context), nil
	}
	raw, err := a.cfg.Control(ctx, p.SessionID, wire.GetContextUsage())
	if code := fault.CodeOf(err); code == fault.Unavailable || code == fault.NotFound {
		return asleep.report(false, s.Context), nil // it ended in the meantime
	}
	if err != nil {
		return ContextReport{}, err
	}
	return ReadContext(raw, s.Context)
}

// ReadContext parses the CLI's report about its context.
func ReadContext(raw []byte, meter *event.Context) (ContextReport, error) {
	var u contextUsage
	if err := json.Unmarshal(raw, &u); err != nil {
		return ContextReport{}, fault.Wrap(err, fault.Unavailable, "Parley does not understand this CLI's context figures.")
	}
	return u.report(true, meter), nil
}

// report uses the meter's total and window, so that a session's usage is the same everywhere: the
// CLI's count here excludes the answer. Before the first answer there is only the CLI's estimate,
// and for an unknown window no share.
func (u *contextUsage) report(live bool, meter *event.Context) ContextReport {
	r := ContextReport{Live: live, Model: u.Model, Total: u.Total, Categories: []ContextPart{}}
	if meter != nil {
		r.Total, r.Window = meter.Used, meter.Window
	}
	if u.AutoCompact && r.Window > 0 {
		r.AutoCompactAt = u.AutoCompactAt
	}
	for _, c := range u.Categories[:min(len(u.Categories), maxParts)] {
		kind := c.Kind
		if kind == "" { // a CLI that does not report it yet
			kind = kindUsed
			switch {
			case c.Deferred:
				kind = kindDeferred
			case c.ID == "free_space" || c.Name == "Free space":
				kind = kindFree
			case c.ID == "autocompact_buffer" || c.Name == "Autocompact buffer":
				kind = kindBuffer
			}
		}
		if r.Window == 0 && (kind == kindFree || kind == kindBuffer) {
			continue
		}
		r.Categories = append(r.Categories, ContextPart{ID: c.ID, Name: c.Name, Tokens: c.Tokens, Kind: kind})
	}
	var files, servers, agents, skills, messages, tools []ContextPart
	for _, f := range u.MemoryFiles {
		files = append(files, ContextPart{Name: f.Path, Detail: f.Type, Tokens: f.Tokens, Kind: kindUsed})
	}
	for _, t := range u.MCPTools {
		kind := kindUsed
		if t.Loaded != nil && !*t.Loaded {
			kind = kindDeferred
		}
		servers = append(servers, ContextPart{Name: t.Name, Detail: t.Server, Tokens: t.Tokens, Kind: kind})
	}
	for _, g := range u.Agents {
		agents = append(agents, ContextPart{Name: g.Type, Detail: g.Source, Tokens: g.Tokens, Kind: kindUsed})
	}
	for _, s := range u.Skills.List {
		skills = append(skills, ContextPart{Name: s.Name, Detail: s.Source, Tokens: s.Tokens, Kind: kindUsed})
	}
	if m := u.Messages; m != nil {
		messages = []ContextPart{
			{ID: "userMessages", Tokens: m.User}, {ID: "assistantMessages", Tokens: m.Assistant}, {ID: "toolCalls", Tokens: m.ToolCalls},
			{ID: "toolResults", Tokens: m.ToolResults}, {ID: "attachments", Tokens: m.Attachments},
			{ID: "other", Tokens: m.Redirected + m.Unattributed},
		}
		for i := range messages {
			messages[i].Kind = kindUsed
		}
		for _, t := range m.Tools {
			tools = append(tools, ContextPart{Name: t.Name, Tokens: t.Calls + t.Results, Kind: kindUsed})
		}
	}
	r.MemoryFiles, r.MCPTools, r.Agents, r.Skills = heaviest(files), heaviest(servers), heaviest(agents), heaviest(skills)
	r.Messages, r.Tools = heaviest(messages), heaviest(tools)
	return r
}

// heaviest sorts parts by weight and removes empty ones.
func heaviest(parts []ContextPart) []ContextPart {
	list := []ContextPart{}
	for _, p := range parts {
		if p.Tokens > 0 {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b ContextPart) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return list[:min(len(list), maxParts)]
}
