// Package admission asks users to trust a folder before a CLI first starts in it. It knows neither the
// CLI nor what a folder has.
//
// It starts no goroutine.
package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"parley/app/trust"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/session"
)

// Config has the dependencies. All fields are required.
type Config struct {
	Trust *trust.Service
	Desk  *permission.Queue
	// Patience is how long a request waits for an answer.
	Patience func() time.Duration
	// Heartbeat is the name of the heartbeat that runs in a session, "" for none.
	Heartbeat func(sessionID string) string
	Log       *slog.Logger
}

// Service admits sessions.
type Service struct{ cfg Config }

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Admit waits, if the folder needs trust, until a user has answered, and reports whether the CLI
// starts in restricted mode. Its errors are faults, or that of ctx.
func (s *Service) Admit(ctx context.Context, spec session.Spec) (bare bool, err error) {
	report := s.cfg.Trust.Look(spec.CWD, spec.Scripted)
	for {
		switch report.State {
		case "none", permission.ChoiceTrusted:
			return false, nil
		case permission.ChoiceBare:
			return true, nil
		}
		choice, err := s.ask(ctx, spec, report)
		if err != nil || choice == permission.ChoiceBare {
			return choice == permission.ChoiceBare, err
		}
		// The answer may have taken a day: the folder must still be what was shown.
		now := s.cfg.Trust.Look(spec.CWD, spec.Scripted)
		if now.Hash == report.Hash {
			return false, nil
		}
		report = now
	}
}

// ask asks a user to trust a folder, and returns their choice.
func (s *Service) ask(ctx context.Context, spec session.Spec, report trust.TrustReport) (choice string, err error) {
	input, err := json.Marshal(report)
	if err != nil {
		return "", fmt.Errorf("describe the folder: %w", err)
	}
	reason := "This folder makes the CLI load or run things on its own."
	if report.State == "changed" {
		reason = "What this folder makes the CLI load or run has changed since you answered."
	}
	decision, err := s.cfg.Desk.Ask(ctx, permission.Request{SessionID: spec.SessionID, Question: event.Question{
		ToolName: "Folder", Kind: permission.KindTrust, Input: input, Reason: reason, CWD: spec.CWD, DefaultToNo: true,
		ExpiresAt: time.Now().Add(s.cfg.Patience()).UnixMilli(), Heartbeat: s.cfg.Heartbeat(spec.SessionID),
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
	if err := s.cfg.Trust.Keep(report, decision); err != nil {
		s.cfg.Log.Warn("Couldn't save a trust decision", "err", err)
	}
	return decision.Choice, nil
}
