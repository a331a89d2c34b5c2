package audit

import "parley/app/method"

// Methods are the service's API methods.
func (a *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("audit.list", "The requests and their outcomes, newest first.",
			a.List).Enum("outcome", auditOutcomes()...).Enum("type", auditTypes()...),
		method.New("audit.verify", "Checks that no entry in the audit log was changed, removed, added, or cut off.",
			a.Verify),
		method.New("audit.export", "The audit log as stored, one JSON object per line, oldest first.",
			a.Export).Enum("outcome", auditOutcomes()...).Enum("type", auditTypes()...),
	}
}

func auditOutcomes() []string {
	return []string{"allow", "deny", "expired", "withdrawn", "remembered", "lost", "asked", "made", "changed", "removed", "done", "refused", "accepted", "undone"}
}

func auditTypes() []string {
	return []string{"asked", "ended", "rule", "chat", "outside", "restored", "budget", "gap", "torn", "intruder", "broken"}
}
