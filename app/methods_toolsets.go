package app

import (
	"context"

	"parley/app/method"
)

// ToolSetService says which of Parley's own tools the sessions of a workspace have.
type ToolSetService interface {
	List(context.Context, ToolSetListParams) (ToolSetList, error)
	Set(context.Context, ToolSetParams) (ToolSetList, error)
}

func toolsetMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("toolset.list", "The sets of Parley's own tools, and whether a workspace's sessions have them.",
			bind(s, s.ToolSets, ToolSetService.List)),
		method.New("toolset.set", "Switches a set of Parley's own tools for a workspace or in general, for processes that are started from then on.",
			bind(s, s.ToolSets, ToolSetService.Set)),
	}
}
