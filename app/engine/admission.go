package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/app/trust"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
)

// bareArgs start a CLI without a folder's configuration: only the user's settings, and only
// Parley's servers.
func bareArgs() []string { return []string{"--setting-sources=user", "--strict-mcp-config"} }

// admit waits, if the folder needs trust, until a user has answered, and reports whether the CLI
// starts in restricted mode. Its errors are faults, or that of ctx.
func (e *Service) admit(ctx context.Context, spec session.Spec) (bare bool, err error) {
	report := e.cfg.Trust.Look(spec.CWD, spec.Scripted)
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
		// The answer may have taken a day: the folder must still be what was shown.
		now := e.cfg.Trust.Look(spec.CWD, spec.Scripted)
		if now.Hash == report.Hash {
			return false, nil
		}
		report = now
	}
}

// askTrust asks a user to trust a folder, and returns their choice.
func (e *Service) askTrust(ctx context.Context, spec session.Spec, report trust.TrustReport) (choice string, err error) {
	input, err := json.Marshal(report)
	if err != nil {
		return "", fmt.Errorf("describe the folder: %w", err)
	}
	reason := "This folder makes the CLI load or run things on its own."
	if report.State == "changed" {
		reason = "What this folder makes the CLI load or run has changed since you answered."
	}
	decision, err := e.cfg.Desk.Ask(ctx, permission.Request{SessionID: spec.SessionID, Question: event.Question{
		ToolName: "Folder", Kind: permission.KindTrust, Input: input, Reason: reason, CWD: spec.CWD, DefaultToNo: true,
		ExpiresAt: time.Now().Add(e.cfg.Patience()).UnixMilli(), Heartbeat: e.asking(spec),
	}})
	switch {
	case err != nil:
		return "", err
	case decision.Outcome == permission.OutcomeWithdrawn:
		return "", fmt.Errorf("%w: %w", session.ErrWithdrawn, fault.New(fault.Conflict, "%s", decision.Message))
	case decision.Outcome == permission.OutcomeExpired:
		return "", fault.New(fault.Conflict, "The CLI was not started, because no one decided whether to trust the folder %s.", report.Folder)
	case !decision.Allowed():
		return "", fault.New(fault.Conflict, "The CLI was not started because you did not trust the folder %s.", report.Folder)
	}
	if err := e.cfg.Trust.Keep(report, decision); err != nil {
		e.cfg.Log.Warn("Couldn't save a trust decision", "err", err)
	}
	return decision.Choice, nil
}

// errDoubted is why something allowed earlier does not apply.
func errDoubted(what string) error {
	return fault.New(fault.Conflict, "%s does not apply until you have reviewed Parley's database. See the notice at the top of the window.", what)
}
