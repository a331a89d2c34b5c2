package app

import (
	"context"

	"parley/app/method"
)

// AuditService reads the log of all questions and answers.
type AuditService interface {
	List(context.Context, AuditListParams) (AuditPage, error)
	Verify(context.Context, Empty) (AuditReport, error)
	Export(context.Context, AuditExportParams) (AuditExport, error)
}

// auditMethods are those of the audit log.
func auditMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("audit.list", "What was asked and how it ended, the newest first.",
			bind(s, s.Audit, AuditService.List)).Enum("outcome", auditOutcomes()...).Enum("type", auditTypes()...),
		method.New("audit.verify", "Checks that nothing in the audit log was changed, taken out, put in or cut off.",
			bind(s, s.Audit, AuditService.Verify)),
		method.New("audit.export", "The audit log as it stands in its files, one JSON object on each line, the oldest first.",
			bind(s, s.Audit, AuditService.Export)).Enum("outcome", auditOutcomes()...).Enum("type", auditTypes()...),
	}
}

func auditOutcomes() []string {
	return []string{"allow", "deny", "expired", "withdrawn", "remembered", "lost", "asked", "made", "changed", "removed", "done", "refused"}
}

func auditTypes() []string {
	return []string{"asked", "ended", "rule", "chat", "gap", "torn", "broken"}
}
