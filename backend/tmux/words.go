package tmux

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What the CLI draws, as far as the code depends on it. It changes now and then: if it
// is not found, the screen is unknown, and then nothing is typed.
const (
	// yes is the option of a permission request that allows once, no the one that
	// denies.
	yes = "Yes"
	no  = "No"
	// marker precedes the selected option, and the user's text.
	marker = "❯"
	// bullet starts the CLI's messages, and blinks while one is incomplete; tip starts a
	// hint that it shows during a turn.
	bullet = "●"
	tip    = "  ⎿  Tip:"
	// interruptible is in the line below the composer while a turn runs.
	interruptible = "esc to interrupt"
)

// optionLine matches an option: "❯ 1. Yes", "  2. No".
var optionLine = regexp.MustCompile(`^\s{0,8}(❯\s)?\s*([1-9])\.\s+(\S.*)$`)

// spinnerLine matches a running turn: "✻ Thinking…", "✻ Thinking… (12s · ↓ 3 tokens)". The model's text never starts at the beginning of a line.
var spinnerLine = regexp.MustCompile(`^[^\s\pL\pN●⎿❯>│|] \pL[^…]*…( \(.*)?$`)

// doneLine matches the end of a turn: "✻ Churned for 2s · done 10:06 PM".
var doneLine = regexp.MustCompile(`^[^\s\pL\pN●⎿❯>│|] \pL+ for \d+[smh]`)

// moreLine matches the note that a part of a question is not shown: " ↑ 30 more lines".
var moreLine = regexp.MustCompile(`^\s*[↑↓] \d+ more line`)

// sgr matches changes of the characters' style.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// numbers matches what changes in lines about running things.
var numbers = regexp.MustCompile(`\d+`)

// failures are the prefixes of the CLI's last message if it is an error.
func failures() []string {
	return []string{"API Error", "Invalid API key", "Credit balance is too low", "Claude usage limit reached", "You've hit your", "Please run /login"}
}

// isRule reports whether a line is a rule that the CLI draws across the whole screen. Inside
// questions everything is indented, so that no command can draw one.
func isRule(line string, width int) bool {
	n := utf8.RuneCountInString(line)
	if n < 20 || width > 0 && n != width {
		return false
	}
	return strings.Trim(line, "─") == "" || strings.Trim(line, "▔") == ""
}

// typed is the user's text in a line that starts with the marker: the CLI's
// suggestions there have a color, or are faint. It also leaves out the cursor.
func typed(line string) string {
	_, line, _ = strings.Cut(line, marker)
	var b strings.Builder
	plain := true
	for line != "" {
		at := sgr.FindStringIndex(line)
		if at == nil {
			at = []int{len(line), len(line)}
		}
		if plain {
			b.WriteString(line[:at[0]])
		}
		if at[0] < at[1] {
			plain = isPlain(line[at[0]+2:at[1]-1], plain)
		}
		line = line[at[1]:]
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "\u00a0", " "))
}

// isPlain reports whether characters look normal after a style change.
func isPlain(codes string, before bool) bool {
	all := strings.Split(codes, ";")
	for i := 0; i < len(all); i++ {
		switch all[i] {
		case "", "0", "22", "27", "39":
			before = true
		case "2", "7":
			before = false
		case "38", "48":
			if all[i] == "38" {
				before = false
			}
			if i+1 < len(all) && all[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
	return before
}
