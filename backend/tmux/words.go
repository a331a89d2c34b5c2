package tmux

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What the CLI draws, as far as anything depends on it. It changes now and then: what
// is not found here any more makes a screen unknown, and then nothing is typed.
const (
	// yes is the option of a permission that allows something once, no the one that does
	// not.
	yes = "Yes"
	no  = "No"
	// marker stands before what is chosen, and before what a user writes.
	marker = "❯"
	// bullet begins what the CLI says, and blinks while that is not over; tip begins a
	// hint that it shows meanwhile.
	bullet = "●"
	tip    = "  ⎿  Tip:"
	// interruptible is in the line below the composer while a turn runs.
	interruptible = "esc to interrupt"
)

// optionLine is an option: "❯ 1. Yes", "  2. No".
var optionLine = regexp.MustCompile(`^\s{0,8}(❯\s)?\s*([1-9])\.\s+(\S.*)$`)

// spinnerLine says that a turn runs: "✻ Thinking…", "✻ Thinking… (12s · ↓ 3 tokens)". What the model says is never at the beginning of a line.
var spinnerLine = regexp.MustCompile(`^[^\s\pL\pN●⎿❯>│|] \pL[^…]*…( \(.*)?$`)

// doneLine says that a turn has ended: "✻ Churned for 2s · done 10:06 PM".
var doneLine = regexp.MustCompile(`^[^\s\pL\pN●⎿❯>│|] \pL+ for \d+[smh]`)

// moreLine says that a part of a question is not shown: " ↑ 30 more lines".
var moreLine = regexp.MustCompile(`^\s*[↑↓] \d+ more line`)

// sgr changes how characters look.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// numbers are what changes in lines of things that run.
var numbers = regexp.MustCompile(`\d+`)

// failures are how the last thing that the CLI said begins when it is an error.
func failures() []string {
	return []string{"API Error", "Invalid API key", "Credit balance is too low", "Claude usage limit reached", "You've hit your", "Please run /login"}
}

// isRule says whether a line is one that the CLI draws across the whole screen. What it
// draws inside of questions is indented, so that no command can draw one.
func isRule(line string, width int) bool {
	n := utf8.RuneCountInString(line)
	if n < 20 || width > 0 && n != width {
		return false
	}
	return strings.Trim(line, "─") == "" || strings.Trim(line, "▔") == ""
}

// typed is what of a line that begins with the marker is a user's: what the CLI
// suggests there has a colour, or is faint. It also leaves out the cursor.
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

// isPlain says whether characters look as usual after a change.
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
