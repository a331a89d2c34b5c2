package choice

import "slices"

// Words are all values of a choice, in order.
type Words []string

// Modes are the CLI's permission modes, the strictest first: "dontAsk" denies what
// "default" asks about.
func Modes() Words {
	return Words{"plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"}
}

// Asking are the modes ordered by how often the CLI asks, most often first.
func Asking() Words {
	return Words{"plan", "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"}
}

// What auto-approves safe tool calls: nothing, fixed tables, or also
// a review by a small model.
const (
	GuardOff      = "off"
	GuardStatic   = "static"
	GuardReviewed = "reviewed"
)

// Guards are these values, the strictest first.
func Guards() Words { return Words{GuardOff, GuardStatic, GuardReviewed} }

// Efforts are the CLI's levels of effort, the lowest first.
func Efforts() Words { return Words{"low", "medium", "high", "xhigh", "max"} }

// How the CLI is driven: through its streams and a tool that answers its requests, or by
// its control protocol.
const (
	EngineCLI = "cli"
	EngineSDK = "sdk"
)

// Engines are these values, the default first.
func Engines() Words { return Words{EngineCLI, EngineSDK} }

// Has reports whether a word is one of them.
func (w Words) Has(word string) bool { return slices.Contains(w, word) }

// Beyond reports whether a word comes after another. If either is unknown, it does.
func (w Words) Beyond(word, other string) bool {
	if word == other {
		return false
	}
	i, j := slices.Index(w, word), slices.Index(w, other)
	return i < 0 || i > j
}

// First is the one of two words that comes first, ignoring unknown ones; if both are
// unknown, it is the first of all words.
func (w Words) First(a, b string) string {
	for _, one := range w {
		if one == a || one == b {
			return one
		}
	}
	return w[0]
}
