package event

// All lists a zero value of every event, in documentation order. The
// generator and the tests use it.
func All() []Event {
	return []Event{
		&Ready{}, &Status{}, &Processing{}, &UserMessage{}, &TextDelta{},
		&ThinkingStart{}, &ThinkingDelta{}, &ToolStart{}, &ToolInput{},
		&ToolPending{}, &ToolResult{}, &BlockEnd{}, &ContextUpdate{},
		&Compaction{}, &PermissionRequest{}, &PermissionResolved{},
		&TaskUpdate{}, &ShellUpdate{}, &Result{}, &Done{}, &Interrupted{}, &Closed{},
		&Error{}, &State{},
		&SettingsChanged{}, &ProblemsChanged{}, &RestartChanged{}, &StylesChanged{}, &LogAppended{}, &NotificationShown{}, &NotificationClosed{}, &NoticeOpened{}, &WindowClosing{},
		&SessionsChanged{}, &WorkspacesChanged{}, &DevicesChanged{}, &LibraryProgress{}, &UsageChanged{},
		&PermissionsChanged{}, &RulesChanged{}, &HeartbeatsChanged{},
		&RoomsChanged{}, &RoomSaid{}, &RoomReceipt{},
		&MemoryChanged{}, &MemorySaved{}, &ChatChanged{},
	}
}

// EventName implementations: the API's names.
func (*Ready) EventName() string              { return "ready" }
func (*Status) EventName() string             { return "status" }
func (*Processing) EventName() string         { return "processing" }
func (*UserMessage) EventName() string        { return "user_message" }
func (*TextDelta) EventName() string          { return "text_delta" }
func (*ThinkingStart) EventName() string      { return "thinking_start" }
func (*ThinkingDelta) EventName() string      { return "thinking_delta" }
func (*ToolStart) EventName() string          { return "tool_start" }
func (*ToolInput) EventName() string          { return "tool_input" }
func (*ToolPending) EventName() string        { return "tool_pending" }
func (*ToolResult) EventName() string         { return "tool_result" }
func (*BlockEnd) EventName() string           { return "block_end" }
func (*ContextUpdate) EventName() string      { return "context_update" }
func (*Compaction) EventName() string         { return "compaction" }
func (*PermissionRequest) EventName() string  { return "permission_request" }
func (*PermissionResolved) EventName() string { return "permission_resolved" }
func (*TaskUpdate) EventName() string         { return "task_update" }
func (*Result) EventName() string             { return "result" }
func (*Done) EventName() string               { return "done" }
func (*Interrupted) EventName() string        { return "interrupted" }
func (*Closed) EventName() string             { return "closed" }
func (*Error) EventName() string              { return "error" }
func (*State) EventName() string              { return "state" }
