package usage

import "parley/app/method"

// Methods are the service's API methods.
func (a *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("usage.query", "Usage by day, session, workspace, or model: tokens from the CLI's files, with each answer counted once, and cost as reported by the CLI.",
			a.Query),
		method.New("usage.budgets", "The budgets, and how much of each is used.",
			a.Budgets),
		method.New("usage.limits", "The plan limits of a session's account, and how much of each is used, as reported by the CLI. Starts no process.",
			a.PlanLimits),
		method.New("usage.context", "What fills a session's context window, by category and by size. Starts no process.",
			a.Context),
	}
}
