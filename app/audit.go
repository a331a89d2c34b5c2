package app

import (
	"bytes"
	"cmp"
	"context"

	"parley/app/method"
	"parley/backend/audit"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/rule"
)

// auditExportBytes bounds one part of an export.
const auditExportBytes = 1 << 20

// The sizes of a page of the audit log.
const (
	auditPage    = 100
	auditMaxPage = 1000
)

// audits is the service behind audit.*, and what writes the log.
type audits struct{ log *audit.Log }

// record writes down that a question was opened, and returns what writes down how
// it ended. Both return when that is in the file. What takes its time is done here
// and not while an answer waits for it.
func (a *audits) record(q permission.Question) func(permission.Decision) {
	r := audit.Record{
		Type: audit.Asked, SessionID: q.SessionID, TurnID: q.TurnID, RequestID: q.RequestID, ToolUseID: q.ToolUseID, Tool: q.ToolName, Kind: q.Kind,
		InputHash: audit.HashInput(q.Input), Summary: audit.Summary(q.Input),
	}
	a.log.Append(r)
	return func(d permission.Decision) {
		addEnd(&r, q, d)
		a.log.Append(r)
	}
}

// remembered is the outcome where an earlier answer decided.
const remembered = "remembered"

// addEnd adds how a question ended.
func addEnd(r *audit.Record, q permission.Question, d permission.Decision) {
	r.Type, r.Outcome, r.By, r.Connection, r.Message = audit.Ended, d.Outcome, d.By, d.Connection, d.Message
	switch {
	case d.Outcome == permission.OutcomeExpired:
		r.By = "timeout"
	case d.Outcome == permission.OutcomeWithdrawn:
		r.By = "cli"
	case d.By == permission.ByRule && d.Allowed() && len(d.Rules) == 0:
		r.Outcome = remembered
	case d.By == "" && d.Outcome == permission.OutcomeDeny:
		r.By = "parley" // there was no room for it
	}
	if d.Remembered {
		r.Remembered = append(r.Remembered, "the tool with this input, for the session")
	}
	for _, rule := range d.Made {
		r.Remembered = append(r.Remembered, "the rule "+rule)
	}
	r.Why, r.Rules = d.Why, d.Rules
	if d.Choice != "" {
		r.Message = d.Choice
	}
	for _, rule := range d.Permissions {
		r.Remembered = append(r.Remembered, "for the session: "+string(rule))
	}
	if d.Allowed() && !bytes.Equal(d.UpdatedInput, q.Input) {
		r.EditedHash = audit.HashInput(d.UpdatedInput)
	}
}

// ruled writes down that a rule was made, changed or removed.
func (a *audits) ruled(ctx context.Context, what string, r rule.Rule) {
	a.log.Append(audit.Record{
		Type: audit.Ruled, SessionID: sessionOf(r), Tool: r.Tool, Outcome: what, By: method.Surface(ctx), Connection: method.Connection(ctx),
		Message: string(r.Effect) + " " + r.String(), Rules: []string{r.String()},
	})
}

func sessionOf(r rule.Rule) string {
	if r.Scope == rule.Session {
		return r.ScopeID
	}
	return ""
}

func (f AuditFilter) choice() audit.Filter {
	return audit.Filter{SessionID: f.SessionID, Tool: f.Tool, Outcome: f.Outcome, Since: f.Since, Until: f.Until, By: f.By, Type: f.Type, RequestID: f.RequestID}
}

// List implements [AuditService].
func (a *audits) List(ctx context.Context, p AuditListParams) (AuditPage, error) {
	limit := cmp.Or(p.Limit, auditPage)
	switch {
	case limit < 0 || limit > auditMaxPage:
		return AuditPage{}, fault.New(fault.Invalid, "limit is %d; it must be between 1 and %d.", p.Limit, auditMaxPage)
	case p.Before < 0:
		return AuditPage{}, fault.New(fault.Invalid, "before is %d; it must be what next was.", p.Before)
	}
	found, next, err := a.log.List(ctx, p.choice(), uint64(p.Before), limit)
	if err != nil {
		return AuditPage{}, err
	}
	page := AuditPage{Records: make([]AuditRecord, len(found)), Next: int64(next)}
	for i, r := range found {
		page.Records[i] = AuditRecord{
			Seq: int64(r.Seq), At: r.At, Type: r.Type, SessionID: r.SessionID, TurnID: r.TurnID, RequestID: r.RequestID,
			Tool: r.Tool, Kind: r.Kind, InputSHA256: r.InputHash, Summary: r.Summary, Outcome: r.Outcome, By: r.By,
			Connection: r.Connection, Message: r.Message, Remembered: append([]string{}, r.Remembered...),
			Why: r.Why, Rules: append([]string{}, r.Rules...), EditedSHA256: r.EditedHash, Lost: int64(r.Lost), Hash: r.Hash,
		}
	}
	return page, nil
}

// Verify implements [AuditService].
func (a *audits) Verify(context.Context, Empty) (AuditReport, error) {
	r, err := a.log.Verify()
	if err != nil {
		return AuditReport{}, err
	}
	report := AuditReport{OK: r.Problem == nil, Records: int64(r.Records), Files: r.Files, Missing: int64(r.Missing), Head: r.Head}
	if r.Problem != nil {
		report.Problem = r.Problem.String()
	}
	return report, nil
}

// Export implements [AuditService].
func (a *audits) Export(ctx context.Context, p AuditExportParams) (AuditExport, error) {
	if p.After < 0 {
		return AuditExport{}, fault.New(fault.Invalid, "after is %d; it must be what next was.", p.After)
	}
	text, next, err := a.log.Export(ctx, p.choice(), uint64(p.After), auditExportBytes)
	return AuditExport{Text: text, Next: int64(next)}, err
}
