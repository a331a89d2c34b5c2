package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/audit"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/record"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/trust"
)

// The bounds of what people are shown of a folder.
const (
	maxTrustFindings = 200
	// maxTrustCommand is the length of one command in characters.
	maxTrustCommand = 20_000
)

// trusts is the service behind trust.*, and asks people before the CLI first starts in
// a folder that makes it load or run something.
type trusts struct {
	records *store.Collection[record.Trust]
	// config is the CLI's own folder, for the sessions of the scripted model or others.
	config  func(rehearsal bool) string
	publish func(event.Event)
	// rehearses is true when every session talks to the scripted model.
	rehearses bool
}

// bareArgs start a CLI without what a folder has: of settings only the person's, and of
// servers only Parley's.
func bareArgs() []string { return []string{"--setting-sources=user", "--strict-mcp-config"} }

// real is a folder under the name it is remembered by.
func real(folder string) string {
	if r, err := filepath.EvalSymlinks(folder); err == nil {
		folder = r
	}
	return filepath.Clean(folder)
}

// look says what there is in a folder, and what was answered for that.
func (t *trusts) look(folder string, rehearsal bool) TrustReport {
	folder = real(folder)
	found := trust.Look(t.config(rehearsal), folder, t.config(false))
	report := TrustReport{Folder: folder, Hash: found.Hash, State: "none", Findings: []TrustFinding{}}
	if found.Hash == "" {
		return report
	}
	for _, f := range found.Findings[:min(len(found.Findings), maxTrustFindings)] {
		f.Command = audit.Mask(f.Command)
		if runes := []rune(f.Command); len(runes) > maxTrustCommand {
			f.Command = string(runes[:maxTrustCommand]) + fmt.Sprintf(" … (%d more characters)", len(runes)-maxTrustCommand)
		}
		report.Findings = append(report.Findings, TrustFinding(f))
	}
	report.More = len(found.Findings) - len(report.Findings)
	kept, err := t.records.Get(folder)
	switch {
	case err != nil:
		report.State = "unknown"
	case kept.Hash != found.Hash:
		report.State = "changed"
	default:
		report.State = kept.Choice
	}
	return report
}

// admit waits, where there is something to ask, until a person has answered for the
// folder of a session, and says whether the CLI is to start bare. Its errors are
// faults, or that of ctx.
func (e *engine) admit(ctx context.Context, spec session.Spec) (bare bool, err error) {
	report := e.trusts.look(spec.CWD, spec.Rehearsal)
	for {
		switch report.State {
		case "none", permission.ChoiceTrusted:
			return false, nil
		case permission.ChoiceBare:
			return true, nil
		}
		choice, err := e.askTrust(ctx, spec, report)
		if err != nil || choice == permission.ChoiceBare {
			return choice == permission.ChoiceBare, err
		}
		// The answer may have taken a day: what is there by now has to be what was shown.
		now := e.trusts.look(spec.CWD, spec.Rehearsal)
		if now.Hash == report.Hash {
			return false, nil
		}
		report = now
	}
}

// askTrust has a person answer for a folder, and says what they chose.
func (e *engine) askTrust(ctx context.Context, spec session.Spec, report TrustReport) (choice string, err error) {
	input, err := json.Marshal(report)
	if err != nil {
		return "", fmt.Errorf("describe the folder: %w", err)
	}
	reason := "This folder makes the CLI load or run things by itself."
	if report.State == "changed" {
		reason = "What this folder makes the CLI load or run is not what you answered for."
	}
	decision, err := e.desk.Ask(ctx, permission.Question{SessionID: spec.SessionID, Question: event.Question{
		ToolName: "Folder", Kind: permission.KindTrust, Input: input, Reason: reason, CWD: spec.CWD, DefaultToNo: true,
		ExpiresAt: time.Now().Add(e.patience()).UnixMilli(), Heartbeat: e.asking(spec),
	}})
	switch {
	case err != nil:
		return "", err
	case decision.Outcome == permission.OutcomeWithdrawn:
		return "", fmt.Errorf("%w: %w", session.ErrWithdrawn, fault.New(fault.Conflict, "%s", decision.Message))
	case decision.Outcome == permission.OutcomeExpired:
		return "", fault.New(fault.Conflict, "Nobody answered whether the CLI may load what the folder %s has, so it was not started.", report.Folder)
	case !decision.Allowed():
		return "", fault.New(fault.Conflict, "The CLI was not started, because you did not want it to load what the folder %s has.", report.Folder)
	}
	if err := e.trusts.keep(report, decision); err != nil {
		e.log.Warn("An answer about a folder could not be written down", "err", err)
	}
	return decision.Choice, nil
}

// keep remembers an answer. What was answered for is what was shown, even when the
// folder has changed since.
func (t *trusts) keep(report TrustReport, d permission.Decision) error {
	err := t.records.Put(report.Folder, record.Trust{
		Folder: report.Folder, Hash: report.Hash, Choice: d.Choice, At: time.Now().UnixMilli(), By: d.By,
	})
	t.publish(&event.RulesChanged{})
	return err
}

// Check implements [TrustService].
func (t *trusts) Check(_ context.Context, p TrustCheckParams) (TrustReport, error) {
	if !filepath.IsAbs(p.CWD) {
		return TrustReport{}, fault.New(fault.Invalid, "The folder %.200q is not an absolute path (parameter cwd).", p.CWD)
	}
	return t.look(p.CWD, t.rehearses), nil
}

// List implements [TrustService].
func (t *trusts) List(context.Context, Empty) (TrustList, error) {
	list := TrustList{Folders: []TrustedFolder{}}
	all, err := t.records.All()
	if err != nil {
		return list, err
	}
	for _, one := range all {
		list.Folders = append(list.Folders, TrustedFolder(one))
	}
	slices.SortFunc(list.Folders, func(a, b TrustedFolder) int { return cmp.Compare(b.At, a.At) })
	return list, nil
}

// Forget implements [TrustService].
func (t *trusts) Forget(_ context.Context, p TrustRef) (Empty, error) {
	if _, err := t.records.Get(p.Folder); errors.Is(err, store.ErrNotFound) {
		return Empty{}, fault.New(fault.NotFound, "Nobody answered for the folder %.200q.", p.Folder)
	}
	err := t.records.Delete(p.Folder)
	t.publish(&event.RulesChanged{})
	return Empty{}, err
}
