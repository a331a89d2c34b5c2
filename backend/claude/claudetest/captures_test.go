package claudetest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/backend/claude/claudetest"
	"parley/backend/claude/wire"
)

// Package wire knows every frame in the captures, and each capture shows what
// it was recorded for.
func TestCaptures(t *testing.T) {
	shows := map[string][]string{
		"chat":                {"thinking", "result success"},
		"bash_allowed":        {"question Bash", "tool_result"},
		"bash_denied":         {"question Bash", "tool_result error", "denial Bash"},
		"bash_failed":         {"tool_result error"},
		"edit":                {"question Write", "question Edit", "structured"},
		"question":            {"question AskUserQuestion", "structured"},
		"plan":                {"question ExitPlanMode", "status mode", "tool_result error"},
		"parallel":            {"tool_result", "tool_result error"},
		"subagent":            {"task started", "from a subagent", "task ended"},
		"subagent_background": {"task started", "from a subagent", "task ended", "background tasks"},
		"bash_background":     {"task started", "task ended", "background tasks"},
		"compact":             {"compacting", "compacted", "boundary", "synthetic user"},
		"compact_failed":      {"compacting", "compaction failed"},
		"clear":               {"reset"},
		"context":             {"synthetic answer"},
		"retry":               {"retry 529", "retry 500"},
		"api_error":           {"result success error", "synthetic answer"},
		"stream_cut":          {"retry 0"},
		"interrupt_text":      {"cancelled", "result error_during_execution error"},
		"interrupt_question":  {"withdrawn", "result error_during_execution error"},
		"interrupt_tool":      {"tool_result error", "result error_during_execution error"},
		"image":               {"image"},
		"steering":            {"result of 2"},
		"queued":              {"result success"},
		"thinking_empty":      {"thinking"},
	}
	for _, c := range claudetest.Captures(t) {
		t.Run(c.Name, func(t *testing.T) {
			var header struct{ Capture, Version string }
			if err := json.Unmarshal([]byte(c.Header), &header); err != nil || header.Capture != c.Name || header.Version == "" {
				t.Errorf("header %s: %v", c.Header, err)
			}
			seen := make(map[string]bool)
			for _, line := range c.Lines {
				f, err := wire.Decode([]byte(line))
				if err != nil {
					t.Fatalf("%v: %.300s", err, line)
				}
				if u, ok := f.(*wire.Unknown); ok {
					t.Errorf("unknown %s/%s (%s)", u.Type, u.Subtype, u.Reason)
				}
				for _, w := range whatIn(f) {
					seen[w] = true
				}
			}
			want, ok := shows[c.Name]
			if !ok {
				t.Error("nothing is said about what this capture shows")
			}
			for _, w := range want {
				if !seen[w] {
					t.Errorf("does not show %q; it has %v", w, seen)
				}
			}
			delete(shows, c.Name)
		})
	}
	for name := range shows {
		t.Errorf("capture %s is missing", name)
	}
}

// whatIn names a frame's content.
func whatIn(f wire.Frame) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch f := f.(type) {
	case *wire.Assistant:
		for _, b := range f.Message.Content {
			add("%s", b.Type)
		}
		if f.ParentToolUseID != "" {
			add("from a subagent")
		}
		if f.Message.Model == wire.SyntheticModel {
			add("synthetic answer")
		}
	case *wire.User:
		if f.IsSynthetic {
			add("synthetic user")
		}
		if len(f.ToolUseResult) > 0 {
			add("structured")
		}
		for _, b := range f.Message.Content {
			add("%s", b.Type)
			if b.IsError {
				add("%s error", b.Type)
			}
			for _, part := range b.Content {
				add("%s", part.Type)
			}
		}
	case *wire.ControlRequest:
		if f.CanUseTool != nil {
			add("question %s", f.CanUseTool.ToolName)
		}
	case *wire.ControlCancelRequest:
		add("withdrawn")
	case *wire.Result:
		add("result %s", f.Subtype)
		add("result of %d", len(f.UserMessageUUIDs))
		if f.IsError {
			add("result %s error", f.Subtype)
		}
		for _, d := range f.Denials {
			add("denial %s", d.ToolName)
		}
	case *wire.Status:
		switch {
		case f.Status == "compacting":
			add("compacting")
		case f.CompactResult == "success":
			add("compacted")
		case f.CompactResult == "failed":
			add("compaction failed")
		}
		if f.PermissionMode != "" {
			add("status mode")
		}
	case *wire.APIRetry:
		if f.ErrorStatus == nil {
			add("retry 0")
		} else {
			add("retry %d", *f.ErrorStatus)
		}
	case *wire.CompactBoundary:
		add("boundary")
	case *wire.ConversationReset:
		add("reset")
	case *wire.TaskStarted:
		add("task started")
	case *wire.TaskNotification:
		add("task ended")
	case *wire.BackgroundTasksChanged:
		add("background tasks")
	case *wire.CommandLifecycle:
		add("%s", f.State)
	}
	return out
}
