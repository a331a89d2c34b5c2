package tmux

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"parley/backend/truncate"
)

// maxSaid bounds the CLI's last message, in characters.
const maxSaid = 500

// lookAt parses a screen with that many columns. It searches questions from the
// bottom: anything that the model, a command or a file makes the CLI draw is above the
// CLI's own question, whatever it looks like.
func lookAt(text string, width int) Screen {
	lines := trimmed(text)
	s := Screen{Text: strings.Join(lines, "\n"), State: Unknown, Options: []Option{}}
	box, boxed := composerOf(lines, width)
	if o, ok := optionsOf(lines, width); ok && (!boxed || o.first > box.bottom) {
		s.ask(lines, o, width)
		return s
	}
	if boxed {
		s.rest(lines, box)
		return s
	}
	if at, ok := chosen(lines); ok {
		s.ask(lines, options{first: at, last: len(lines) - 1}, width)
	}
	return s
}

// trimmed returns the lines of a screen without trailing space, and without empty lines
// at the end.
func trimmed(text string) []string {
	lines := strings.Split(strings.ReplaceAll(text, "\u00a0", " "), "\n")
	for i := range lines {
		lines[i] = strings.TrimRightFunc(lines[i], unicode.IsSpace)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// chosen finds the selected option if options have no numbers: it shows that
// something is asked, but not which key answers it.
func chosen(lines []string) (int, bool) {
	for i := len(lines) - 1; i >= 0 && len(lines)-i <= maxBelow; i-- {
		if line := strings.TrimLeft(lines[i], " "); line != lines[i] && strings.HasPrefix(line, marker+" ") {
			return i, true
		}
	}
	return 0, false
}

// options are a question's options, and their lines.
type options struct {
	first, last int
	list        []Option
}

const (
	// maxBelow is how many lines there may be below a question or the composer.
	maxBelow = 8
	// maxBetween is how many lines one option may have.
	maxBetween = 8
)

// optionsOf finds the lowest options of a screen: numbered from one, with exactly one
// selected.
func optionsOf(lines []string, width int) (options, bool) {
	var o options
	want, chosen, below := 0, 0, 0
	for i := len(lines) - 1; i >= 0; i-- {
		m := optionLine.FindStringSubmatch(lines[i])
		if m == nil || want != 0 && int(m[2][0]-'0') != want {
			if below++; want == 0 && below > maxBelow || want != 0 && below > maxBetween {
				return options{}, false
			}
			continue
		}
		n := int(m[2][0] - '0')
		if o.list == nil {
			o.last = i
		}
		if m[1] != "" {
			chosen++
		}
		o.list = append([]Option{{Number: n, Label: m[3]}}, o.list...)
		o.first, want, below = i, n-1, 0
		if want == 0 {
			// Text directly below a rule is the composer's, never a question.
			written := i > 0 && isRule(lines[i-1], width)
			return o, len(o.list) > 1 && chosen == 1 && !written
		}
	}
	return options{}, false
}

// composer is where prompts are typed: the lines around it.
type composer struct{ top, bottom int }

func composerOf(lines []string, width int) (composer, bool) {
	c := composer{-1, -1}
	for i := len(lines) - 1; i >= 0; i-- {
		if !isRule(lines[i], width) {
			continue
		}
		if c.bottom < 0 {
			c.bottom = i
			continue
		}
		c.top = i
		break
	}
	if c.top < 0 || c.bottom-c.top < 2 || len(lines)-1-c.bottom > maxBelow {
		return c, false
	}
	return c, strings.HasPrefix(lines[c.top+1], marker) || strings.HasPrefix(lines[c.top+1], ">")
}

// ask stores a question.
func (s *Screen) ask(lines []string, o options, width int) {
	top := o.first - 1
	for top >= 0 && !isRule(lines[top], width) {
		top--
	}
	s.Whole = top >= 0
	for _, line := range lines[o.last:] {
		s.Whole = s.Whole && !moreLine.MatchString(line)
	}
	s.Asked = strings.Trim(strings.Join(lines[top+1:o.first], "\n"), "\n")
	s.Options = append(s.Options, o.list...)
	s.State = Question
	if s.Yes() != 0 {
		s.State = Permission
	}
	words := []string{s.Asked}
	for _, option := range o.list {
		words = append(words, option.Label)
	}
	if len(o.list) == 0 {
		s.Asked += "\n\n" + strings.Join(lines[o.first:], "\n")
	}
	s.Fingerprint = digest(words)
	s.calm = s.Fingerprint
	s.Said = saidIn(lines[:max(top, 0)])
}

// rest stores the state of a screen without a question.
func (s *Screen) rest(lines []string, c composer) {
	above, below := lines[:c.top], lines[c.bottom+1:]
	var kept []string
	working := strings.Contains(strings.Join(below, "\n"), interruptible)
	for _, line := range above {
		switch {
		case line == "", line == bullet, strings.HasPrefix(line, tip):
		case strings.HasPrefix(line, strings.Repeat(" ", 40)): // right of the middle
		case spinnerLine.MatchString(line):
			working = true
		case strings.HasPrefix(line, marker+" "):
			kept = []string{line} // what is above is from an older turn, or the CLI's animation
		case strings.Contains(line, "…"):
			kept = append(kept, numbers.ReplaceAllString(line, "#"))
		default:
			kept = append(kept, strings.TrimPrefix(strings.TrimPrefix(line, bullet), " "))
		}
	}
	s.Said, s.calm = saidIn(above), digest(kept)
	s.draft = strings.TrimSpace(strings.TrimLeft(strings.Join(lines[c.top+1:c.bottom], "\n"), marker+">"))
	s.drafted = s.draft != ""
	s.State = Idle
	if working {
		s.State = Working
		return
	}
	for _, f := range failures() {
		if strings.HasPrefix(s.Said, f) {
			s.State = Errored
		}
	}
}

// saidIn returns the CLI's last message since the last prompt.
func saidIn(lines []string) string {
	from := -1
	for i := len(lines) - 1; i >= 0 && !strings.HasPrefix(lines[i], marker+" "); i-- {
		if strings.HasPrefix(lines[i], bullet+" ") {
			from = i
			break
		}
	}
	if from < 0 {
		return ""
	}
	said := []string{strings.TrimPrefix(lines[from], bullet+" ")}
	for _, line := range lines[from+1:] {
		if spinnerLine.MatchString(line) || doneLine.MatchString(line) || strings.HasPrefix(line, strings.Repeat(" ", 40)) {
			break
		}
		said = append(said, strings.TrimPrefix(line, "  "))
	}
	return truncate.Runes(strings.TrimSpace(strings.Join(said, "\n")), maxSaid)
}

func digest(words []string) string {
	h := sha256.New()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
