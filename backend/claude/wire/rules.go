package wire

import "encoding/json"

// PermissionRule is one of the CLI's own rules.
type PermissionRule struct {
	// Behavior is "allow", "ask" or "deny".
	Behavior string `json:"behavior"`
	// Source is "userSettings", "projectSettings", "localSettings", "policySettings",
	// "session", "cliArg"…
	Source string `json:"source"`
	// Rule is the rule as written.
	Rule        string `json:"rule"`
	NotInEffect bool   `json:"notInEffect"`
}

// PermissionRules decodes the answer to [ListPermissionRules].
func PermissionRules(answer json.RawMessage) ([]PermissionRule, error) {
	var list struct {
		State struct {
			Rules []PermissionRule `json:"rules"`
		} `json:"state"`
	}
	err := json.Unmarshal(answer, &list)
	return list.State.Rules, err
}
