package app

import (
	"context"

	"parley/app/method"
)

// RuleService keeps the person's rules, and says what they would do.
type RuleService interface {
	List(context.Context, RuleListParams) (RuleList, error)
	Add(context.Context, RuleAddParams) (Rule, error)
	Set(context.Context, RuleSetParams) (Rule, error)
	Remove(context.Context, RuleRef) (Empty, error)
	Test(context.Context, RuleTestParams) (RuleTest, error)
	Preview(context.Context, RulePreviewParams) (RulePreview, error)
	CopyToCLI(context.Context, RuleCopyParams) (RuleCopied, error)
	GuardStats(context.Context, GuardStatsParams) (GuardStats, error)
}

// TrustService knows the folders that a person trusts.
type TrustService interface {
	Check(context.Context, TrustCheckParams) (TrustReport, error)
	List(context.Context, Empty) (TrustList, error)
	Forget(context.Context, TrustRef) (Empty, error)
}

// ruleMethods are those of rules, of the guard and of trust.
func ruleMethods(s Services) []*method.Method {
	effects, scopes, expiries := []string{"allow", "ask", "deny"}, []string{"session", "workspace", "global"}, []string{"hour", "today", "never"}
	return []*method.Method{
		method.New("rule.list", "The rules that decide without a question: Parley's, and the CLI's own.",
			bind(s, s.Rules, RuleService.List)).Enum("scope", scopes...),
		method.New("rule.add", "Makes a rule. Open questions that it answers end at once.",
			bind(s, s.Rules, RuleService.Add)).Enum("effect", effects...).Enum("scope", scopes...).Enum("expiry", expiries...),
		method.New("rule.set", "Changes a rule.",
			bind(s, s.Rules, RuleService.Set)).Enum("effect", effects...).Enum("scope", scopes...).Enum("expiry", expiries...),
		method.New("rule.remove", "Takes a rule back.",
			bind(s, s.Rules, RuleService.Remove)),
		method.New("rule.test", "What would happen with a use of a tool, and why. Nothing is run and nobody is asked.",
			bind(s, s.Rules, RuleService.Test)),
		method.New("rule.preview", "The rules that an answer would make. What cannot be made is an error that says why.",
			bind(s, s.Rules, RuleService.Preview)),
		method.New("rule.copyToCli", "Writes a rule into the CLI's own settings, next to what is there, and keeps a copy of the file as it was.",
			bind(s, s.Rules, RuleService.CopyToCLI)).Enum("destination", "user", "project", "local"),
		method.New("guard.stats", "What the guard let through since Parley started, and why.",
			bind(s, s.Rules, RuleService.GuardStats)),
		method.New("trust.check", "What the CLI would load or run by itself in a folder. It is only looked at.",
			bind(s, s.Trust, TrustService.Check)),
		method.New("trust.list", "The folders whose own hooks, servers and settings a person has answered for.",
			bind(s, s.Trust, TrustService.List)),
		method.New("trust.forget", "Forgets the answer for a folder: it is asked about again before the CLI starts there.",
			bind(s, s.Trust, TrustService.Forget)),
	}
}
