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

	"parley/app/feature"
	"parley/backend/choice"
	"parley/backend/claude/clisettings"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/permission"
	"parley/backend/permission/guard"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulestore"
)

// rules implements rule.* and guard.*.
type rules struct {
	book  *rulestore.Book
	judge *judge
	desk  *permission.Queue
	cli   *theirs
	// session is a session's record; control sends requests to its CLI.
	session func(ctx context.Context, id string) (event.Session, error)
	control func(ctx context.Context, id string, body wire.ControlBody) ([]byte, error)
	// workspace reports whether a workspace exists.
	workspace func(id string) bool
	audits    Audits
	publish   func(event.Event)
	log       *slog.Logger
}

func (r *rules) ended(some bool, err error) {
	if err != nil {
		r.log.Warn("Couldn't remove expired rules", "err", err)
	}
	if some {
		r.publish(&event.RulesChanged{})
	}
}

// changed notifies everyone, and decides open requests again.
func (r *rules) changed() {
	r.publish(&event.RulesChanged{})
	r.desk.Review(r.judge.again)
}

// List is rule.list.
func (r *rules) List(ctx context.Context, p RuleListParams) (RuleList, error) {
	list := RuleList{Rules: []Rule{}}
	for _, one := range r.book.List(time.Now()) {
		if p.Scope != "" && p.Scope != string(one.Scope) ||
			p.SessionID != "" && one.Scope == rule.Session && one.ScopeID != p.SessionID ||
			p.WorkspaceID != "" && one.Scope == rule.Workspace && one.ScopeID != p.WorkspaceID {
			continue
		}
		list.Rules = append(list.Rules, r.of(one))
	}
	folder, ask := p.CWD, (func(context.Context) ([]wire.PermissionRule, error))(nil)
	if p.SessionID != "" {
		s, err := r.session(ctx, p.SessionID)
		if err != nil {
			return RuleList{}, err
		}
		if folder = s.CWD; s.PID != 0 {
			ask = func(ctx context.Context) ([]wire.PermissionRule, error) {
				answer, err := r.control(ctx, p.SessionID, wire.ListPermissionRules())
				if err != nil {
					return nil, err
				}
				return wire.PermissionRules(answer)
			}
		}
	}
	list.CLI = r.cli.list(ctx, p.SessionID, folder, ask)
	return list, nil
}

func (r *rules) of(one rule.Rule) Rule {
	out := Rule{
		ID: one.ID, Effect: string(one.Effect), Text: one.String(), Tool: one.Tool, Pattern: one.Pattern,
		Scope: string(one.Scope), ScopeID: one.ScopeID, Source: string(one.Source), Note: one.Note, Uses: r.book.Uses(one.ID),
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
func (r *rules) Add(ctx context.Context, p RuleAddParams) (Rule, error) {
	made, err := parseRule(p.Text, p.Effect)
	if err != nil {
		return Rule{}, err
	}
	now := time.Now()
	if made.ExpiresAt, err = rulestore.Until(p.Expiry, now); err != nil {
		return Rule{}, err
	}
	if p.ExpiresAt != 0 {
		if made.ExpiresAt = time.UnixMilli(p.ExpiresAt); !made.ExpiresAt.After(now) {
			return Rule{}, fault.New(fault.Invalid, "The rule would already be expired. Choose a later time (parameter expiresAt).")
		}
	}
	made.Scope, made.ScopeID, made.Note = rule.Scope(p.Scope), p.ScopeID, p.Note
	if err := r.checkScope(ctx, made); err != nil {
		return Rule{}, err
	}
	list, err := r.book.Add([]rule.Rule{made}, now)
	if err != nil && !errors.Is(err, rulestore.ErrNotKept) {
		return Rule{}, err
	}
	r.audits.Ruled(ctx, "made", list[0])
	r.changed()
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
		return r, fault.Wrap(err, fault.Invalid, "This rule is not valid: %v.", err)
	}
	return r, nil
}

// checkScope validates that a rule's session or workspace exists.
func (r *rules) checkScope(ctx context.Context, one rule.Rule) error {
	switch one.Scope {
	case rule.Session:
		_, err := r.session(ctx, one.ScopeID)
		return err
	case rule.Workspace:
		if !r.workspace(one.ScopeID) {
			return fault.New(fault.NotFound, "There is no workspace %.100q.", one.ScopeID)
		}
	}
	return nil
}

// Set is rule.set.
func (r *rules) Set(ctx context.Context, p RuleSetParams) (Rule, error) {
	before, err := r.book.Get(p.ID)
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
		if after.ExpiresAt, err = rulestore.Until(p.Expiry, time.Now()); err != nil {
			return Rule{}, err
		}
	}
	if p.Note != nil {
		after.Note = *p.Note
	}
	if err := r.checkScope(ctx, after); err != nil {
		return Rule{}, err
	}
	now, err := r.book.Change(p.ID, func(one *rule.Rule) error { *one = after; return nil })
	if err != nil && !errors.Is(err, rulestore.ErrNotKept) {
		return Rule{}, err
	}
	r.audits.Ruled(ctx, "changed", now)
	r.changed()
	return r.of(now), notKept(err)
}

// Remove is rule.remove.
func (r *rules) Remove(ctx context.Context, p RuleRef) (feature.Empty, error) {
	gone, err := r.book.Get(p.ID)
	if err != nil {
		return feature.Empty{}, err
	}
	err = r.book.Remove(p.ID)
	r.audits.Ruled(ctx, "removed", gone)
	r.changed()
	return feature.Empty{}, err
}

// Test is rule.test.
func (r *rules) Test(ctx context.Context, p RuleTestParams) (RuleTest, error) {
	q := permission.Request{Question: event.Question{
		ToolName: p.Tool, Input: p.Input, CWD: p.CWD, Kind: permission.KindOf(p.Tool), RequestID: "test",
	}}
	guarding, mode := choice.GuardOff, ""
	if p.SessionID != "" {
		s, err := r.session(ctx, p.SessionID)
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
		return RuleTest{}, fault.New(fault.Invalid, "Choose a session or a folder (parameters sessionId and cwd).")
	}
	v := r.judge.verdict(q)
	found := guard.Assess(r.book.Engine(), r.judge.call(q))
	test := RuleTest{Outcome: string(v.Effect), Verdict: *verdictOf(v), Risk: riskOf(found), Offers: append([]event.RuleOffer{}, r.judge.offers(q)...)}
	test.CLI = *verdictOf(r.cli.all(p.SessionID, q.CWD).Decide(r.judge.call(q), time.Now()))
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
func (r *rules) Preview(_ context.Context, p RulePreviewParams) (RulePreview, error) {
	q, ok := r.desk.Question(p.RequestID)
	if !ok {
		return RulePreview{}, fault.New(fault.NotFound, "There is no open request with ID %.100q.", p.RequestID)
	}
	now := time.Now()
	made, err := r.judge.choose(q, p.Rule, now)
	if err != nil {
		return RulePreview{}, err
	}
	preview := RulePreview{Rules: []Rule{}, Also: []string{}}
	for _, one := range made {
		preview.Rules = append(preview.Rules, r.of(one))
	}
	set := r.book.Engine().New(slices.Concat(r.book.List(now), made))
	for _, other := range r.desk.List("") {
		if other.RequestID == q.RequestID || other.Kind != permission.KindTool || other.NoRemember {
			continue
		}
		if r.judge.with(set, other).Effect == rule.Allow {
			preview.Also = append(preview.Also, other.RequestID)
		}
	}
	return preview, nil
}

// CopyToCLI is rule.copyToCli.
func (r *rules) CopyToCLI(_ context.Context, p RuleCopyParams) (RuleCopied, error) {
	one, err := r.book.Get(p.ID)
	if err != nil {
		return RuleCopied{}, err
	}
	name := map[string]string{"project": "settings.json", "local": "settings.local.json"}[p.Destination]
	file := filepath.Join(r.cli.config(""), "settings.json")
	if p.Destination == "user" && strings.HasPrefix(one.Pattern, "/") && !strings.HasPrefix(one.Pattern, "//") {
		return RuleCopied{}, fault.New(fault.Invalid, "In Claude Code's user settings, a path that starts with one slash is below the CLI's own folder. Start the path with two slashes, then copy the rule again.")
	}
	if p.Destination != "user" {
		if !filepath.IsAbs(p.CWD) {
			return RuleCopied{}, fault.New(fault.Invalid, "Choose a folder (parameter cwd).")
		}
		file = filepath.Join(p.CWD, ".claude", name)
	}
	added, err := clisettings.Add(file, string(one.Effect), one.String(), time.Now())
	return RuleCopied(added), err
}

// GuardStats is autoApprove.stats.
func (r *rules) GuardStats(_ context.Context, p GuardStatsParams) (GuardStats, error) {
	return r.judge.stats.of(p.SessionID), nil
}
