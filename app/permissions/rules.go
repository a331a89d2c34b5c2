package permissions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/app/audit"
	"parley/app/feature"
	"parley/backend/choice"
	"parley/backend/claude/clisettings"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulebook"
	"parley/backend/session"
)

// Rules is the service behind rule.* and guard.*. It implements [session.Questions]:
// the rules of a session end with it.
type Rules struct {
	Book  *rulebook.Book
	Judge *Judge
	Desk  *permission.Desk
	CLI   *Theirs
	// Session is a session's record; Control asks its CLI.
	Session func(ctx context.Context, id string) (event.Session, error)
	Control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
	// Workspace says whether there is a workspace.
	Workspace func(id string) bool
	Audits    *audit.Service
	Publish   func(event.Event)
	Log       *slog.Logger
}

var _ session.Questions = (*Rules)(nil)

// Withdraw implements [session.Questions].
func (r *Rules) Withdraw(sessionID, why string) { r.Desk.Withdraw(sessionID, why) }

// Open implements [session.Questions].
func (r *Rules) Open(requestID string) bool {
	_, open := r.Desk.Question(requestID)
	return open
}

// Forget implements [session.Questions].
func (r *Rules) Forget(sessionID string, left bool) {
	r.Desk.Forget(sessionID)
	if left {
		return // a later Parley continues with the session, and with its rules
	}
	r.ended(r.Book.EndSession(sessionID))
}

// ForgetWorkspace ends the rules of a workspace.
func (r *Rules) ForgetWorkspace(id string) { r.ended(r.Book.EndWorkspace(id)) }

func (r *Rules) ended(some bool, err error) {
	if err != nil {
		r.Log.Warn("Rules that ended could not be removed", "err", err)
	}
	if some {
		r.Publish(&event.RulesChanged{})
	}
}

// Changed tells everybody, and decides open questions anew.
func (r *Rules) Changed() {
	r.Publish(&event.RulesChanged{})
	r.Desk.Review(r.Judge.Again)
}

// List is rule.list.
func (r *Rules) List(ctx context.Context, p RuleListParams) (RuleList, error) {
	list := RuleList{Rules: []Rule{}}
	for _, one := range r.Book.List(time.Now()) {
		if p.Scope != "" && p.Scope != string(one.Scope) ||
			p.SessionID != "" && one.Scope == rule.Session && one.ScopeID != p.SessionID ||
			p.WorkspaceID != "" && one.Scope == rule.Workspace && one.ScopeID != p.WorkspaceID {
			continue
		}
		list.Rules = append(list.Rules, r.of(one))
	}
	folder, ask := p.CWD, (func(context.Context) ([]wire.PermissionRule, error))(nil)
	if p.SessionID != "" {
		s, err := r.Session(ctx, p.SessionID)
		if err != nil {
			return RuleList{}, err
		}
		if folder = s.CWD; s.PID != 0 {
			ask = func(ctx context.Context) ([]wire.PermissionRule, error) {
				answer, err := r.Control(ctx, p.SessionID, wire.ListPermissionRules())
				if err != nil {
					return nil, err
				}
				return wire.PermissionRules(answer)
			}
		}
	}
	list.CLI = r.CLI.list(ctx, p.SessionID, folder, ask)
	return list, nil
}

func (r *Rules) of(one rule.Rule) Rule {
	out := Rule{
		ID: one.ID, Effect: string(one.Effect), Text: one.String(), Tool: one.Tool, Pattern: one.Pattern,
		Scope: string(one.Scope), ScopeID: one.ScopeID, Source: string(one.Source), Note: one.Note, Uses: r.Book.Uses(one.ID),
	}
	if !one.ExpiresAt.IsZero() {
		out.ExpiresAt = one.ExpiresAt.UnixMilli()
	}
	if !one.CreatedAt.IsZero() {
		out.CreatedAt = one.CreatedAt.UnixMilli()
	}
	return out
}

// Add is rule.add.
func (r *Rules) Add(ctx context.Context, p RuleAddParams) (Rule, error) {
	made, err := parseRule(p.Text, p.Effect)
	if err != nil {
		return Rule{}, err
	}
	now := time.Now()
	if made.ExpiresAt, err = rulebook.Until(p.Expiry, now); err != nil {
		return Rule{}, err
	}
	if p.ExpiresAt != 0 {
		if made.ExpiresAt = time.UnixMilli(p.ExpiresAt); !made.ExpiresAt.After(now) {
			return Rule{}, fault.New(fault.Invalid, "This rule has ended by now.")
		}
	}
	made.Scope, made.ScopeID, made.Note = rule.Scope(p.Scope), p.ScopeID, p.Note
	if err := r.checkScope(ctx, made); err != nil {
		return Rule{}, err
	}
	list, err := r.Book.Add([]rule.Rule{made}, now)
	if err != nil && !errors.Is(err, rulebook.ErrNotKept) {
		return Rule{}, err
	}
	r.Audits.Ruled(ctx, "made", list[0])
	r.Changed()
	return r.of(list[0]), notKept(err)
}

func notKept(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "The rule applies now, but could not be saved and ends when Parley quits. Check the disk.")
}

func parseRule(text, effect string) (rule.Rule, error) {
	r, err := rule.Parse(text, rule.Effect(effect))
	if err != nil {
		return r, fault.Wrap(err, fault.Invalid, "This is not a rule: %v.", err)
	}
	return r, nil
}

// checkScope says whether what a rule is for is there.
func (r *Rules) checkScope(ctx context.Context, one rule.Rule) error {
	switch one.Scope {
	case rule.Session:
		_, err := r.Session(ctx, one.ScopeID)
		return err
	case rule.Workspace:
		if !r.Workspace(one.ScopeID) {
			return fault.New(fault.NotFound, "There is no workspace %.100q.", one.ScopeID)
		}
	}
	return nil
}

// Set is rule.set.
func (r *Rules) Set(ctx context.Context, p RuleSetParams) (Rule, error) {
	before, err := r.Book.Get(p.ID)
	if err != nil {
		return Rule{}, err
	}
	after := before
	effect := cmp.Or(p.Effect, string(before.Effect))
	parsed, err := parseRule(cmp.Or(p.Text, before.String()), effect)
	if err != nil {
		return Rule{}, err
	}
	after.Effect, after.Tool, after.Pattern = parsed.Effect, parsed.Tool, parsed.Pattern
	if p.Scope != "" {
		after.Scope, after.ScopeID = rule.Scope(p.Scope), p.ScopeID
	}
	if p.Expiry != "" {
		if after.ExpiresAt, err = rulebook.Until(p.Expiry, time.Now()); err != nil {
			return Rule{}, err
		}
	}
	if p.Note != nil {
		after.Note = *p.Note
	}
	if err := r.checkScope(ctx, after); err != nil {
		return Rule{}, err
	}
	now, err := r.Book.Change(p.ID, func(one *rule.Rule) error { *one = after; return nil })
	if err != nil && !errors.Is(err, rulebook.ErrNotKept) {
		return Rule{}, err
	}
	r.Audits.Ruled(ctx, "changed", now)
	r.Changed()
	return r.of(now), notKept(err)
}

// Remove is rule.remove.
func (r *Rules) Remove(ctx context.Context, p RuleRef) (feature.Empty, error) {
	gone, err := r.Book.Get(p.ID)
	if err != nil {
		return feature.Empty{}, err
	}
	err = r.Book.Remove(p.ID)
	r.Audits.Ruled(ctx, "removed", gone)
	r.Changed()
	return feature.Empty{}, err
}

// Test is rule.test.
func (r *Rules) Test(ctx context.Context, p RuleTestParams) (RuleTest, error) {
	q := permission.Question{Question: event.Question{
		ToolName: p.Tool, Input: p.Input, CWD: p.CWD, Kind: permission.KindOf(p.Tool), RequestID: "test",
	}}
	guarding, mode := choice.GuardOff, ""
	if p.SessionID != "" {
		s, err := r.Session(ctx, p.SessionID)
		if err != nil {
			return RuleTest{}, err
		}
		q.SessionID, q.CWD, guarding, mode = s.ID, s.CWD, s.Guard, s.PermissionMode
	}
	var fields map[string]json.RawMessage
	switch {
	case p.Tool == "":
		return RuleTest{}, fault.New(fault.Invalid, "The parameter tool is empty.")
	case json.Unmarshal(p.Input, &fields) != nil || fields == nil:
		return RuleTest{}, fault.New(fault.Invalid, "The parameter input must be a JSON object.")
	case !filepath.IsAbs(q.CWD):
		return RuleTest{}, fault.New(fault.Invalid, "Give a session or a folder (parameters sessionId and cwd).")
	}
	v := r.Judge.verdict(q)
	found := guard.Assess(r.Book.Engine(), r.Judge.call(q))
	test := RuleTest{Outcome: string(v.Effect), Verdict: *verdictOf(v), Risk: riskOf(found), Offers: append([]event.RuleOffer{}, r.Judge.offers(q)...)}
	test.CLI = *verdictOf(r.CLI.all(p.SessionID, q.CWD).Decide(r.Judge.call(q), time.Now()))
	switch {
	case v.Effect != rule.Ask:
		test.By = permission.ByRule
	case passes(q, v, guarding, mode) && found.Level == guard.Low:
		test.Outcome, test.By = permission.OutcomeAllow, permission.ByGuard
	case passes(q, v, guarding, mode) && guarding == choice.GuardReviewed && reviewable(found):
		test.By = permission.ByReviewer
	}
	return test, nil
}

// Preview is rule.preview.
func (r *Rules) Preview(_ context.Context, p RulePreviewParams) (RulePreview, error) {
	q, ok := r.Desk.Question(p.RequestID)
	if !ok {
		return RulePreview{}, fault.New(fault.NotFound, "There is no open question with the id %.100q.", p.RequestID)
	}
	now := time.Now()
	made, err := r.Judge.choose(q, p.Rule, now)
	if err != nil {
		return RulePreview{}, err
	}
	preview := RulePreview{Rules: []Rule{}, Also: []string{}}
	for _, one := range made {
		preview.Rules = append(preview.Rules, r.of(one))
	}
	set := r.Book.Engine().New(slices.Concat(r.Book.List(now), made))
	for _, other := range r.Desk.List("") {
		if other.RequestID == q.RequestID || other.Kind != permission.KindTool || other.NoRemember {
			continue
		}
		if r.Judge.with(set, other).Effect == rule.Allow {
			preview.Also = append(preview.Also, other.RequestID)
		}
	}
	return preview, nil
}

// CopyToCLI is rule.copyToCli.
func (r *Rules) CopyToCLI(_ context.Context, p RuleCopyParams) (RuleCopied, error) {
	one, err := r.Book.Get(p.ID)
	if err != nil {
		return RuleCopied{}, err
	}
	name := map[string]string{"project": "settings.json", "local": "settings.local.json"}[p.Destination]
	file := filepath.Join(r.CLI.config(""), "settings.json")
	if p.Destination == "user" && strings.HasPrefix(one.Pattern, "/") && !strings.HasPrefix(one.Pattern, "//") {
		return RuleCopied{}, fault.New(fault.Invalid, "Among the settings for all folders, a path with one slash is below the CLI's own folder. Write the rule with two slashes first.")
	}
	if p.Destination != "user" {
		if !filepath.IsAbs(p.CWD) {
			return RuleCopied{}, fault.New(fault.Invalid, "Give a folder (parameter cwd).")
		}
		file = filepath.Join(p.CWD, ".claude", name)
	}
	added, err := clisettings.Add(file, string(one.Effect), one.String(), time.Now())
	return RuleCopied(added), err
}

// GuardStats is guard.stats.
func (r *Rules) GuardStats(_ context.Context, p GuardStatsParams) (GuardStats, error) {
	return r.Judge.Stats.of(p.SessionID), nil
}
