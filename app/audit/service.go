package audit

import (
	"bytes"
	"cmp"
	"context"
	"strconv"

	"parley/app/feature"
	"parley/app/method"
	"parley/app/storage"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/audit"
	"parley/backend/permission/rule"
	"parley/backend/problem"
	"parley/backend/session"
)

// auditExportBytes bounds one part of an export.
const auditExportBytes = 1 << 20

// The sizes of a page of the audit log.
const (
	auditPage    = 100
	auditMaxPage = 1000
)

// Config has a service's dependencies.
type Config struct {
	Log   *audit.Log
	Disks *storage.Disks
	// Unrecorded reports whether calls may be allowed without a record.
	Unrecorded func() bool
}

// Service implements audit.* and writes the log.
type Service struct {
	cfg Config
}

// New returns a service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Record records that a request was opened, and returns a function that records how it ended. Both
// return once that is in the file. Slow work is done here, not while an answer waits. The
// function's error is a fault: nothing may be allowed without a record.
func (a *Service) Record(q permission.Request) func(permission.Decision) error {
	r := asked(q)
	_ = a.cfg.Log.Append(r) // the log counts missing records; the end must be written
	return a.ends(r, q)
}

// Again is Record for a request that an earlier Parley recorded.
func (a *Service) Again(q permission.Request) func(permission.Decision) error {
	return a.ends(asked(q), q)
}

func asked(q permission.Request) audit.Record {
	return audit.Record{
		Type: audit.Asked, SessionID: q.SessionID, TurnID: q.TurnID, RequestID: q.RequestID, ToolUseID: q.ToolUseID, Tool: q.ToolName, Kind: q.Kind,
		InputHash: audit.HashInput(q.Input), Summary: audit.Summary(q.Input),
	}
}

// ends records the outcome of a request.
func (a *Service) ends(r audit.Record, q permission.Request) func(permission.Decision) error {
	return func(d permission.Decision) error {
		addEnd(&r, q, d)
		err := a.cfg.Log.Append(r)
		if err == nil || a.cfg.Unrecorded() {
			return nil
		}
		return fault.Wrap(err, fault.Unavailable, "This cannot be allowed now: the permission log cannot be written (%s), and nothing is allowed without a record. Free up disk space or let Parley write there, then answer again, or deny it.", audit.Cause(err))
	}
}

// remembered is the outcome when an earlier answer applied.
const remembered = "remembered"

// addEnd adds the outcome of a request.
func addEnd(r *audit.Record, q permission.Request, d permission.Decision) {
	r.Type, r.Outcome, r.By, r.Connection, r.Message = audit.Ended, d.Outcome, d.By, d.Connection, d.Message
	switch {
	case d.Outcome == permission.OutcomeExpired:
		r.By = "timeout"
	case d.Outcome == permission.OutcomeWithdrawn:
		r.By = "cli"
	case d.By == permission.ByRule && d.Allowed() && len(d.Rules) == 0:
		r.Outcome = remembered
	case d.By == "" && d.Outcome == permission.OutcomeDeny:
		r.By = "parley" // the queue was full
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

// Intruded implements [session.Audit].
func (a *Service) Intruded(sessionID, turnID, what string) {
	_ = a.cfg.Log.Append(audit.Record{Type: audit.Intruder, SessionID: sessionID, TurnID: turnID, By: session.ByParley, Summary: what}) // the log counts missing records
}

// Outside records a user's decision about an external change to a file. The error is a fault:
// nothing may be accepted without a record.
func (a *Service) Outside(ctx context.Context, file, outcome, fields string) error {
	err := a.cfg.Log.Append(audit.Record{
		Type: audit.Outside, Kind: file, Outcome: outcome, By: method.Surface(ctx), Connection: method.Connection(ctx), Message: fields,
	})
	if err == nil || a.cfg.Unrecorded() {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "This cannot be accepted now: the permission log cannot be written (%s). Free up disk space, then try again.", audit.Cause(err))
}

// Ruled records that a rule was created, changed or removed.
func (a *Service) Ruled(ctx context.Context, what string, r rule.Rule) {
	_ = a.cfg.Log.Append(audit.Record{ // the log counts missing records
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
	filter := audit.Filter{SessionID: f.SessionID, Tool: f.Tool, Outcome: f.Outcome, Since: f.Since, Until: f.Until, By: f.By, Type: f.Type, RequestID: f.RequestID}
	if f.By == event.ViaDevice {
		filter.By, filter.Whose = "", func(by string) bool { _, is := event.DeviceOf(by); return is }
	}
	return filter
}

// List is audit.list.
func (a *Service) List(ctx context.Context, p AuditListParams) (AuditPage, error) {
	limit := cmp.Or(p.Limit, auditPage)
	switch {
	case limit < 0 || limit > auditMaxPage:
		return AuditPage{}, fault.New(fault.Invalid, "limit is %d; it must be between 1 and %d.", p.Limit, auditMaxPage)
	case p.Before < 0:
		return AuditPage{}, fault.New(fault.Invalid, "before is %d; it must be the value of next from the previous page.", p.Before)
	}
	found, next, err := a.cfg.Log.List(ctx, p.choice(), uint64(p.Before), limit)
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

// Verify is audit.verify.
func (a *Service) Verify(context.Context, feature.Empty) (AuditReport, error) {
	r, err := a.cfg.Log.Verify()
	if err != nil {
		return AuditReport{}, err
	}
	report := AuditReport{OK: r.Problem == nil, Records: int64(r.Records), Files: r.Files, Missing: int64(r.Missing), Head: r.Head}
	if r.Problem != nil {
		report.Problem = r.Problem.String()
	}
	return report, nil
}

// Export is audit.export.
func (a *Service) Export(ctx context.Context, p AuditExportParams) (AuditExport, error) {
	if p.After < 0 {
		return AuditExport{}, fault.New(fault.Invalid, "after is %d; it must be the value of next from the previous part.", p.After)
	}
	text, next, err := a.cfg.Log.Export(ctx, p.choice(), uint64(p.After), auditExportBytes)
	return AuditExport{Text: text, Next: int64(next)}, err
}

// Unwritten returns how many records are missing and why, after retrying the log.
func (a *Service) Unwritten() (n uint64, why error) {
	if n, _ := a.cfg.Log.Missing(); n > 0 {
		_ = a.cfg.Log.Retry() // Missing reports why
	}
	return a.cfg.Log.Missing()
}

// Problems are the log's possible problems.
func (a *Service) Problems() problem.Looks {
	return problem.Looks{problem.AuditUnwritten: a.problem}
}

// problem reports that records could not be written, except for disk problems, which are reported
// separately.
func (a *Service) problem() (problem.Problem, bool) {
	n, why := a.Unwritten()
	if n == 0 || a.cfg.Disks.Took(storage.ThingAudit, why) {
		return problem.Problem{}, false
	}
	return problem.Problem{ID: problem.AuditUnwritten, Facts: map[string]string{"missing": strconv.FormatUint(n, 10), "cause": audit.Cause(why)}}, true
}
