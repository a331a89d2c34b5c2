package app

import (
	"context"

	"parley/app/method"
)

// UsageService says what was used, and what fills the context.
type UsageService interface {
	Query(context.Context, UsageQueryParams) (UsageReport, error)
	Budgets(context.Context, Empty) (UsageBudgets, error)
	Context(context.Context, SessionRef) (ContextReport, error)
}

// usageMethods are those that account for tokens and money.
func usageMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("usage.query", "What was used, by day, session, workspace or model: tokens from the CLI's files, each answer once, and cost as the CLI reported it.",
			bind(s, s.Usage, UsageService.Query)),
		method.New("usage.budgets", "The budgets that are set, and how much of each is used.",
			bind(s, s.Usage, UsageService.Budgets)),
		method.New("usage.context", "What fills a session's context window, by category and by what weighs most. It starts no process.",
			bind(s, s.Usage, UsageService.Context)),
	}
}
