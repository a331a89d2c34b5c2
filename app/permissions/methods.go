package permissions

import "parley/app/method"

func (r *rules) methods() []*method.Method {
	effects, scopes, expiries := []string{"allow", "ask", "deny"}, []string{"session", "workspace", "global"}, []string{"hour", "today", "never"}
	return []*method.Method{
		method.New("rule.list", "Lists the rules that decide without asking: Parley's and the CLI's own.",
			r.List).Enum("scope", scopes...),
		method.New("rule.add", "Creates a rule, and answers open requests that it covers.",
			r.Add).Enum("effect", effects...).Enum("scope", scopes...).Enum("expiry", expiries...),
		method.New("rule.set", "Changes a rule.",
			r.Set).Enum("effect", effects...).Enum("scope", scopes...).Enum("expiry", expiries...),
		method.New("rule.remove", "Removes a rule.",
			r.Remove),
		method.New("rule.test", "Tests what would happen if a tool were used, and why. Nothing runs, and nobody is asked.",
			r.Test),
		method.New("rule.preview", "Previews the rules that an answer would create. Fails with the reason if one can't be created.",
			r.Preview),
		method.New("rule.copyToCli", "Adds a rule to the CLI's own settings file, and keeps a backup of the old version.",
			r.CopyToCLI).Enum("destination", "user", "project", "local"),
		method.New("autoApprove.stats", "What was auto-approved since Parley started, and why.",
			r.GuardStats).Was("guard.stats"),
	}
}
