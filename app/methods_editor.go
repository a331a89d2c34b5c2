package app

import (
	"context"

	"parley/app/method"
	"parley/backend/event"
)

// EditorService opens files in the person's editor.
type EditorService interface {
	Open(context.Context, EditorOpenParams) (EditorOpened, error)
	List(context.Context, Empty) (EditorList, error)
}

// AgentService reads what subagents said.
type AgentService interface {
	Agent(context.Context, SessionAgentParams) (event.History, error)
}

// editorMethods are those that show the traces of tools.
func editorMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("editor.open", "Opens a file in the person's editor, at a line. The editor is the one of the settings; it outlives Parley.",
			bind(s, s.Editor, EditorService.Open)),
		method.New("editor.list", "The editors that were found; the first is the one that is used when the settings name none.",
			bind(s, s.Editor, EditorService.List)),
		method.New("session.agent", "A page of what a subagent said and did, as the CLI keeps it; the newest page comes first.",
			bind(s, s.Agents, AgentService.Agent)),
	}
}
