package choice

import "slices"

// Words are all that a choice can be, in the order that counts.
type Words []string

// Modes are the CLI's permission modes, the strictest first: "dontAsk" refuses what
// "default" asks about.
func Modes() Words {
	return Words{"plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"}
}

// Asking are the modes again, those in which the CLI asks most first.
func Asking() Words {
	return Words{"plan", "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"}
}

// What lets harmless uses of tools pass without a question: nothing, fixed tables, or also
// a review by a small model.
const (
	GuardOff      = "off"
	GuardStatic   = "static"
	GuardReviewed = "reviewed"
)

// Guards are these, the strictest first.
func Guards() Words { return Words{GuardOff, GuardStatic, GuardReviewed} }

// Efforts are the levels of effort that the CLI knows, the least first.
func Efforts() Words { return Words{"low", "medium", "high", "xhigh", "max"} }

// How the CLI is driven: through its streams and a tool that answers its questions, or by
// its control protocol.
const (
	EngineCLI = "cli"
	EngineSDK = "sdk"
)

// Engines are these, the usual one first.
func Engines() Words { return Words{EngineCLI, EngineSDK} }

// Has says whether a word is one of them.
func (w Words) Has(word string) bool { return slices.Contains(w, word) }

// Beyond says whether a word comes after another. Where one of two is unknown, it does.
func (w Words) Beyond(word, other string) bool {
	if word == other {
		return false
	}
	i, j := slices.Index(w, word), slices.Index(w, other)
	return i < 0 || i > j
}

// First is the one of two words that comes first, of those that are known; of two unknown
// ones it is the first of all.
func (w Words) First(a, b string) string {
	for _, one := range w {
		if one == a || one == b {
			return one
		}
	}
	return w[0]
}
