package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"parley/backend/fault"
)

// field is one setting: its key, where it lies, and what is wrong with its value
// ("" for nothing).
type field struct {
	name    string
	in      func(*Values) any
	problem func(Values) string
}

func fields() []field {
	return []field{
		{"theme", func(v *Values) any { return &v.Theme },
			func(v Values) string { return oneOf(v.Theme, "system", "light", "dark") }},
		{"cliPath", func(v *Values) any { return &v.CLIPath },
			func(v Values) string { return problemOfPath(v.CLIPath) }},
		{"permissionMode", func(v *Values) any { return &v.PermissionMode },
			func(v Values) string { return oneOf(v.PermissionMode, append(Modes(), "")...) }},
		{"model", func(v *Values) any { return &v.Model },
			func(v Values) string { return problemOfModel(v.Model) }},
		{"engine", func(v *Values) any { return &v.Engine },
			func(v Values) string { return oneOf(v.Engine, "cli", "sdk") }},
		{"questionTimeoutHours", func(v *Values) any { return &v.QuestionTimeoutHours },
			func(v Values) string { return problemOfHours(v.QuestionTimeoutHours) }},
	}
}

// Check returns a fault (invalid) that names every setting with a wrong value.
func Check(v Values) error {
	var problems []string
	for _, f := range fields() {
		if p := f.problem(v); p != "" {
			problems = append(problems, fmt.Sprintf("%q %s", f.name, p))
		}
	}
	if problems != nil {
		return fault.New(fault.Invalid, "settings: %s", strings.Join(problems, "; "))
	}
	return nil
}

func problemOfPath(path string) string {
	if path == "" || filepath.IsAbs(path) && !strings.ContainsFunc(path, unicode.IsControl) {
		return ""
	}
	return "must be an absolute path, or empty"
}

func problemOfModel(model string) string {
	const most = 200
	if len(model) > most || strings.HasPrefix(model, "-") || strings.ContainsFunc(model, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}) {
		return "must be a model's name without spaces, or empty"
	}
	return ""
}

func problemOfHours(hours int) string {
	if hours < 1 || hours > 720 {
		return fmt.Sprintf("must be 1 to 720, not %d", hours)
	}
	return ""
}
