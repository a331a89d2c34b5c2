package app

import (
	"context"

	"parley/app/method"
)

// PromptService tells what a person said earlier.
type PromptService interface {
	History(context.Context, PromptHistoryParams) (PromptHistory, error)
}

// promptMethods are those of earlier prompts.
func promptMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("prompt.history", "What a person said in a session, the newest first, and then in the others of its workspace.",
			bind(s, s.Prompts, PromptService.History)),
	}
}
