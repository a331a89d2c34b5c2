package recovery

import "parley/backend/permission/rule"

// Doubted reports whether a user has to confirm before anything counts as accepted.
func (s *Service) Doubted() bool { return s.Kept.Doubt() != "" }

// Rules are the rules that apply: in doubt, none that allows.
func (s *Service) Rules(all []rule.Rule) []rule.Rule {
	if !s.Doubted() {
		return all
	}
	var strict []rule.Rule
	for _, r := range all {
		if r.Effect != rule.Allow {
			strict = append(strict, r)
		}
	}
	return strict
}
