package settings

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"parley/backend/choice"
	"parley/backend/fault"
)

// field is one setting: its key, its location, and a check of its value
// ("" for valid).
type field struct {
	name    string
	in      func(*Values) any
	problem func(Values) string
}

// copy copies the field from another set of values into v.
func (f field) copy(v *Values, from Values) {
	reflect.ValueOf(f.in(v)).Elem().Set(reflect.ValueOf(f.in(&from)).Elem())
}

func fields() []field {
	return append([]field{
		{"theme", func(v *Values) any { return &v.Theme },
			func(v Values) string { return oneOf(v.Theme, "system", "light", "dark") }},
		{"cliPath", func(v *Values) any { return &v.CLIPath },
			func(v Values) string { return problemOfPath(v.CLIPath) }},
		{"permissionMode", func(v *Values) any { return &v.PermissionMode },
			func(v Values) string { return oneOf(v.PermissionMode, append(choice.Modes(), "")...) }},
		{"model", func(v *Values) any { return &v.Model },
			func(v Values) string { return choice.ProblemOfModel(v.Model) }},
		{"engine", func(v *Values) any { return &v.Engine },
			func(v Values) string { return oneOf(v.Engine, choice.Engines()...) }},
		{"questionTimeoutHours", func(v *Values) any { return &v.QuestionTimeoutHours },
			func(v Values) string { return within(v.QuestionTimeoutHours, 1, 720) }},
		{"suspendMinutes", func(v *Values) any { return &v.SuspendMinutes },
			func(v Values) string { return within(v.SuspendMinutes, 0, 10_080) }},
		{"browserPort", func(v *Values) any { return &v.BrowserPort },
			func(v Values) string {
				if v.BrowserPort == 0 {
					return ""
				}
				return within(v.BrowserPort, 1024, 65_535)
			}},
		{"suggestions", func(v *Values) any { return &v.Suggestions }, nothing},
		{"whileBusy", func(v *Values) any { return &v.WhileBusy },
			func(v Values) string { return oneOf(v.WhileBusy, "steer", "queue") }},
		{"guard", func(v *Values) any { return &v.Guard },
			func(v Values) string { return oneOf(v.Guard, choice.Guards()...) }},
		{"reviewerModel", func(v *Values) any { return &v.ReviewerModel },
			func(v Values) string { return problemOfReviewer(v.ReviewerModel) }},
		{"allowUnrecorded", func(v *Values) any { return &v.AllowUnrecorded }, nothing},
		{"editor", func(v *Values) any { return &v.Editor },
			func(v Values) string { return problemOfEditor(v.Editor) }},

		{"language", func(v *Values) any { return &v.Language },
			func(v Values) string { return oneOf(v.Language, Languages()...) }},
		{"scheme", func(v *Values) any { return &v.Scheme },
			func(v Values) string { return oneOf(v.Scheme, Schemes()...) }},
		{"accent", func(v *Values) any { return &v.Accent },
			func(v Values) string { return oneOf(v.Accent, Accents()...) }},
		{"font", func(v *Values) any { return &v.Font },
			func(v Values) string { return problemOfFont(v.Font) }},
		{"codeFont", func(v *Values) any { return &v.CodeFont },
			func(v Values) string { return problemOfFont(v.CodeFont) }},
		{"fontSize", func(v *Values) any { return &v.FontSize },
			func(v Values) string { return within(v.FontSize, 10, 24) }},
		{"codeFontSize", func(v *Values) any { return &v.CodeFontSize },
			func(v Values) string { return within(v.CodeFontSize, 10, 24) }},
		{"density", func(v *Values) any { return &v.Density },
			func(v Values) string { return oneOf(v.Density, "comfortable", "compact") }},
		{"zoom", func(v *Values) any { return &v.Zoom },
			func(v Values) string { return within(v.Zoom, 50, 300) }},
		{"menuBar", func(v *Values) any { return &v.MenuBar }, nothing},

		{"notifyDone", func(v *Values) any { return &v.NotifyDone }, nothing},
		{"notifyAfterSeconds", func(v *Values) any { return &v.NotifyAfterSeconds },
			func(v Values) string { return within(v.NotifyAfterSeconds, 0, 3600) }},
		{"notifyQuestion", func(v *Values) any { return &v.NotifyQuestion }, nothing},
		{"notifyFailure", func(v *Values) any { return &v.NotifyFailure }, nothing},
		{"shortcuts", func(v *Values) any { return &v.Shortcuts },
			func(v Values) string { return problemOfShortcuts(v.Shortcuts) }},
	}, slices.Concat(budgetFields(), trayFields(), toolFields(), roomFields(), memoryFields())...)
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

// problemOfEditor accepts a program's name and an absolute path; whether it
// exists is checked when it is used.
func problemOfEditor(editor string) string {
	const most = 60
	if editor == "" || problemOfPath(editor) == "" {
		return ""
	}
	if len(editor) > most || strings.HasPrefix(editor, "-") || strings.ContainsFunc(editor, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}) {
		return "must be the name of an editor, an absolute path of one, or empty"
	}
	return ""
}

func problemOfReviewer(model string) string {
	if model == "" {
		return "must be a model's name"
	}
	return choice.ProblemOfModel(model)
}

// nothing accepts every value of the right type.
func nothing(Values) string { return "" }

func within(n, least, most int) string {
	if n < least || n > most {
		return fmt.Sprintf("must be %d to %d, not %d", least, most, n)
	}
	return ""
}

// problemOfFont accepts the characters of font names, so that the name can
// be used in a style as it is.
func problemOfFont(name string) string {
	const most = 100
	if len(name) > most || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '-' && r != '_'
	}) {
		return "must be the name of a font, or empty"
	}
	return ""
}

// problemOfShortcuts checks the form of actions' ids and keys. The page knows which actions
// and keys exist.
func problemOfShortcuts(keys map[string]string) string {
	const most, longest = 200, 60
	if len(keys) > most {
		return fmt.Sprintf("must name at most %d actions", most)
	}
	for id, shortcut := range keys {
		if id == "" || len(id) > longest || len(shortcut) > longest ||
			strings.ContainsFunc(id+shortcut, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
			return "must be ids of actions with keys such as \"Mod+Shift+K\""
		}
	}
	return ""
}

// Languages are the languages of the page, and the system's.
func Languages() []string { return []string{"system", "en", "de"} }

// Schemes are the built-in color schemes.
func Schemes() []string {
	return []string{"parley", "contrast", "sand", "fjord", "grove", "rose"}
}

// Accents are the colors for selected things; "" is the scheme's own.
func Accents() []string {
	return []string{"", "violet", "blue", "teal", "green", "amber", "red", "pink"}
}
