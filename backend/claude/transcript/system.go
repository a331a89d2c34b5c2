package transcript

import (
	"fmt"
	"strings"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

func (p *Projector) ready(f *wire.Init) {
	p.meter.SetModel(f.Model)
	e := &event.Ready{
		CLISessionID: f.SessionID, Model: f.Model, PermissionMode: f.PermissionMode,
		CLIVersion: f.CLIVersion, CWD: f.CWD,
		Tools: orEmpty(f.Tools), SlashCommands: orEmpty(f.SlashCommands), Agents: orEmpty(f.Agents),
		MCPServers: make([]event.MCPServer, 0, len(f.MCPServers)),
	}
	for _, s := range f.MCPServers {
		e.MCPServers = append(e.MCPServers, event.MCPServer{Name: s.Name, Status: s.Status})
	}
	p.emit("", e)
}

func (p *Projector) status(f *wire.Status) {
	switch {
	case f.CompactResult == "failed":
		p.emit("", &event.Compaction{Phase: "failed", Error: f.CompactError})
	case f.Status == "compacting":
		p.emit("", &event.Compaction{Phase: "started"})
		p.emit("", &event.Status{Status: "compacting"})
	case f.Status != "":
		p.emit("", &event.Status{Status: f.Status})
	}
}

func (p *Projector) retry(f *wire.APIRetry) {
	status := 0
	if f.ErrorStatus != nil {
		status = *f.ErrorStatus
	}
	p.emit("", &event.Status{Status: "retrying", Retry: &event.Retry{
		Attempt: f.Attempt, MaxRetries: f.MaxRetries, DelayMs: int64(f.RetryDelayMs),
		HTTPStatus: status, Error: f.Error,
	}})
}

func (p *Projector) compacted(f *wire.CompactBoundary) {
	e := &event.Compaction{Phase: "finished", Trigger: f.Metadata.Trigger, PreTokens: f.Metadata.PreTokens}
	if f.Metadata.PostTokens != nil {
		e.PostTokens = *f.Metadata.PostTokens
	}
	p.meter.Compacted(e.PostTokens)
	p.emit("", e)
	p.context()
}

// notice passes on the CLI's messages to the user.
func (p *Projector) notice(f wire.Frame) {
	var message string
	var resets int64
	status := "notice"
	switch f := f.(type) {
	case *wire.RateLimit:
		resets, p.resetsAt = int64(f.Info.ResetsAt*1000), 0
		switch f.Info.Status {
		case "rejected":
			p.resetsAt = resets
			message = fmt.Sprintf("You have used up your %s limit.", strings.ReplaceAll(f.Info.Type, "_", "-"))
		case "allowed_warning":
			message = fmt.Sprintf("You have almost used up your %s limit.", strings.ReplaceAll(f.Info.Type, "_", "-"))
		}
	case *wire.Notification:
		message = f.Text
		// It lasts until there is output, and needs no permanent line.
		if f.Key == wire.SlowStart {
			status = "starting"
		}
	case *wire.Informational:
		message = f.Content
	case *wire.LocalCommandOutput:
		message = f.Content
	case *wire.PermissionDenied:
		message = f.ToolName + " was refused without asking: " + firstOf(f.Message, f.Reason, f.ReasonType)
	case *wire.SessionWritesLost:
		message = "The CLI could not save the conversation (" + f.ErrorCode + "). Free some disk space; what is missing cannot be resumed."
	case *wire.AuthStatus:
		message = firstOf(f.Error, strings.Join(f.Output, "\n"))
	}
	if message != "" {
		p.emit("", &event.Status{Status: status, Message: message, ResetsAt: resets})
	}
}

// result closes a turn.
func (p *Projector) result(f *wire.Result) {
	windows := make(map[string]int64, len(f.ModelUsage))
	for model, u := range f.ModelUsage {
		windows[model] = u.ContextWindow
	}
	p.meter.ReportWindows(windows)
	e := &event.Result{
		IsError: f.IsError, Stopped: Interrupted(f), Subtype: f.Subtype, Text: firstOf(f.Text, strings.Join(f.Errors, "\n")),
		CostUSD: p.cost.Turn(f.TotalCostUSD), TotalCostUSD: p.cost.Total(),
		Usage: tokens(f.Usage), DurationMs: int64(f.DurationMs), NumTurns: f.NumTurns, TTFTMs: int64(f.TTFTMs),
		Totals: modelTotals(f.TotalCostUSD, f.ModelUsage),
	}
	if f.APIErrorStatus != nil {
		e.APIErrorStatus = *f.APIErrorStatus
	}
	for _, d := range f.Denials {
		e.Denials = append(e.Denials, d.ToolName)
	}
	p.news()
	p.emit("", e)
	said := *e
	if !f.IsError || said.Text == "" {
		said.Text = p.refused
	}
	if f.IsError && !Interrupted(f) || p.refused != "" {
		e := failure(f, &said)
		if e.Code == event.FailRateLimit {
			e.ResetsAt = p.resetsAt
		}
		p.emit("", e)
	}
	p.refused = ""
}

// Interrupted reports whether a result ends a turn that was stopped on
// purpose.
func Interrupted(f *wire.Result) bool {
	return strings.HasPrefix(f.TerminalReason, "aborted") || f.TerminalReason == "interrupted"
}

// failure describes a turn's error for a user, with the next step.
func failure(f *wire.Result, r *event.Result) *event.Error {
	e := &event.Error{Code: event.FailTurn, Message: r.Text}
	if e.Message == "" {
		e.Message = "The turn ended with an error (" + f.Subtype + ")."
	}
	switch status := r.APIErrorStatus; {
	case status == 400:
		e.Code, e.Hint = event.FailBadRequest, "Edit the prompt or remove its attachments, then send it again."
	case status == 401 && loginExpired(e.Message):
		e.Code, e.Hint = event.FailLogin, "Sign in again, then send the prompt again."
	case status == 401 || status == 403:
		e.Code, e.Hint = event.FailNoAccount, "Sign in again or set an API key, then send the prompt again."
	case status == 402:
		e.Code, e.Hint = event.FailBilling, "Check the account's balance, then send the prompt again."
	case status == 404:
		e.Code, e.Hint = event.FailModel, "Choose another model, then send the prompt again."
	case status == 413:
		e.Code, e.Hint = event.FailTooLarge, "The conversation or an attachment is too large. Compact the conversation (/compact) or start a new session."
	case status == 429:
		e.Code, e.Hint = event.FailRateLimit, "Wait until the limit resets, then send the prompt again."
	case status == 503 || status == 529:
		e.Code, e.Hint = event.FailOverloaded, "Wait a moment, then send the prompt again."
	case status >= 500:
		e.Code, e.Hint = event.FailAPI, "Wait a moment, then send the prompt again."
	case status == 0 && unreachable(e.Message):
		e.Code, e.Hint = event.FailUnreachable, "Check the internet connection, then send the prompt again."
	case f.StartupFailureReason != "":
		e.Code, e.Hint = event.FailStartup, "Claude Code gave this reason: "+f.StartupFailureReason+". Fix it, then send the prompt again."
	case f.Subtype == "error_max_turns":
		e.Code, e.Hint = event.FailMaxTurns, "Send another prompt to continue."
	default:
		e.Hint = "Send the prompt again."
	}
	return e
}

// loginExpired reports whether an error is about an expired or revoked login, in the API's
// or the CLI's words.
func loginExpired(message string) bool {
	words := strings.ToLower(message)
	return strings.Contains(words, "expired") || strings.Contains(words, "revoked")
}

// unreachable reports whether the CLI's text means that the API didn't respond.
func unreachable(message string) bool {
	return strings.Contains(message, "Unable to connect to API") || strings.Contains(message, "Connection error.") ||
		strings.Contains(message, "Connection closed") || strings.Contains(message, "Request timed out")
}

// task follows background work. The CLI reports edges (started, progress, ended)
// and a level (the full set of live tasks); the level corrects missed edges.
func (p *Projector) task(f wire.Frame) {
	switch f := f.(type) {
	case *wire.TaskStarted:
		if f.SkipTranscript || f.Ambient {
			return
		}
		t := p.taskOf(f.TaskID)
		t.ToolUseID, t.Type, t.AgentType = f.ToolUseID, f.TaskType, f.SubagentType
		t.Description, t.Status = f.Description, "running"
		t.Background = f.IsBackgrounded != nil && *f.IsBackgrounded
		p.emit("", &event.TaskUpdate{Task: *t})
	case *wire.TaskProgress:
		t := p.tasks[f.TaskID]
		if t == nil { // housekeeping that wasn't announced to users
			return
		}
		t.TotalTokens, t.ToolUses, t.DurationMs = f.Usage.TotalTokens, f.Usage.ToolUses, int64(f.Usage.DurationMs)
		t.LastTool, t.Summary = f.LastToolName, firstOf(f.Summary, t.Summary)
		t.Description = firstOf(t.Description, f.Description)
		p.emit("", &event.TaskUpdate{Task: *t})
	case *wire.TaskUpdated:
		t := p.tasks[f.TaskID]
		if t == nil {
			return
		}
		if f.Patch.Status != nil {
			t.Status = taskStatus(*f.Patch.Status)
		}
		if f.Patch.Description != nil {
			t.Description = *f.Patch.Description
		}
		if f.Patch.Error != nil {
			t.Error = *f.Patch.Error
		}
		if f.Patch.IsBackgrounded != nil {
			t.Background = *f.Patch.IsBackgrounded
		}
		p.emit("", &event.TaskUpdate{Task: *t})
	case *wire.TaskNotification:
		if f.SkipTranscript || f.Ambient {
			return
		}
		t := p.taskOf(f.TaskID)
		t.Status, t.Summary, t.OutputFile = taskStatus(f.Status), f.Summary, f.OutputFile
		t.ToolUseID = firstOf(t.ToolUseID, f.ToolUseID)
		if f.Usage != nil {
			t.TotalTokens, t.ToolUses, t.DurationMs = f.Usage.TotalTokens, f.Usage.ToolUses, int64(f.Usage.DurationMs)
		}
		p.emit("", &event.TaskUpdate{Task: *t})
	case *wire.BackgroundTasksChanged:
		live := make(map[string]bool, len(f.Tasks))
		for _, b := range f.Tasks {
			live[b.TaskID] = true
		}
		for _, id := range p.order {
			if t := p.tasks[id]; t.Background && t.Status == "running" && !live[id] {
				t.Status = "completed"
				p.emit("", &event.TaskUpdate{Task: *t})
			}
		}
	}
}

// taskOf returns the record of a task and creates it if necessary. If there are
// too many, the oldest is dropped.
func (p *Projector) taskOf(id string) *event.Task {
	if t := p.tasks[id]; t != nil {
		return t
	}
	if len(p.order) >= maxTasks {
		delete(p.tasks, p.order[0])
		p.order = p.order[1:]
	}
	t := &event.Task{TaskID: id, Status: "running"}
	p.tasks[id] = t
	p.order = append(p.order, id)
	return t
}

// taskStatus maps the CLI's status to ours.
func taskStatus(s string) string {
	switch s {
	case "pending":
		return "running"
	case "killed":
		return "stopped"
	}
	return s
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
