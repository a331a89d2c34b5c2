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

// bareArgs start a CLI without what a folder has: of settings only the user's, and of
// servers only Parley's.
func bareArgs() []string { return []string{"--setting-sources=user", "--strict-mcp-config"} }

// admit waits, where there is something to ask, until a user has answered for the
// folder of a session, and says whether the CLI is to start bare. Its errors are
// faults, or that of ctx.
func (e *Engine) admit(ctx context.Context, spec session.Spec) (bare bool, err error) {
	report := e.cfg.Trust.Look(spec.CWD, spec.Rehearsal)
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
		now := e.cfg.Trust.Look(spec.CWD, spec.Rehearsal)
		if now.Hash == report.Hash {
			return false, nil
		}
		report = now
	}
}

// askTrust has a user answer for a folder, and says what they chose.
func (e *Engine) askTrust(ctx context.Context, spec session.Spec, report trust.TrustReport) (choice string, err error) {
	input, err := json.Marshal(report)
	if err != nil {
		return "", fmt.Errorf("describe the folder: %w", err)
	}
	reason := "This folder makes the CLI load or run things on its own."
	if report.State == "changed" {
		reason = "What this folder makes the CLI load or run has changed since you answered."
	}
	decision, err := e.cfg.Desk.Ask(ctx, permission.Question{SessionID: spec.SessionID, Question: event.Question{
		ToolName: "Folder", Kind: permission.KindTrust, Input: input, Reason: reason, CWD: spec.CWD, DefaultToNo: true,
		ExpiresAt: time.Now().Add(e.cfg.Patience()).UnixMilli(), Heartbeat: e.asking(spec),
	}})
	switch {
	case err != nil:
		return "", err
	case decision.Outcome == permission.OutcomeWithdrawn:
		return "", fmt.Errorf("%w: %w", session.ErrWithdrawn, fault.New(fault.Conflict, "%s", decision.Message))
	case decision.Outcome == permission.OutcomeExpired:
		return "", fault.New(fault.Conflict, "The CLI wasn't started, because nobody decided whether to trust the folder %s.", report.Folder)
	case !decision.Allowed():
		return "", fault.New(fault.Conflict, "The CLI was not started because you did not trust the folder %s.", report.Folder)
	}
	if err := e.cfg.Trust.Keep(report, decision); err != nil {
		e.cfg.Log.Warn("An answer about a folder could not be written down", "err", err)
	}
	return decision.Choice, nil
}

// errDoubted is why something that was once allowed does not hold.
func errDoubted(what string) error {
	return fault.New(fault.Conflict, "%s does not apply now, because Parley's own notes were changed outside Parley. Review the notice at the top of the window first.", what)
}
