package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Type types a text for the CLI and sends it, if the CLI waits for text and there is no
// draft. The CLI runs a text that starts with "!" as a command.
func (s *Supervisor) Type(ctx context.Context, target, text string) error {
	text, err := typeable(text)
	if err != nil {
		return err
	}
	s.typing.Lock()
	defer s.typing.Unlock()
	f, err := s.find(ctx, target)
	if err != nil {
		return err
	}
	now, err := s.read(ctx, &f, 0)
	if err != nil {
		return err
	}
	switch now.State {
	case Idle, Errored, Working:
	default:
		return ErrBusy
	}
	if now.drafted {
		coloured, err := s.tmux.capture(ctx, f.id, 0, true)
		if err != nil {
			return err
		}
		if lines := strings.Split(coloured, "\n"); typed(lastWith(lines, marker)) != "" {
			return ErrDraft
		}
	}
	if err := s.tmux.text(ctx, f.id, text); err != nil {
		return err
	}
	// Enter is pressed when the text is there and the CLI is idle: while it still
	// processes a text, it treats Enter as a line break.
	var last string
	since := time.Now()
	if _, err := s.settled(ctx, &f, func(after *Screen) bool {
		if after.draft != last {
			last, since = after.draft, time.Now()
		}
		return after.composed(text) && time.Since(since) >= rest
	}); err != nil {
		return err
	}
	for try := 1; ; try++ {
		if err := s.tmux.key(ctx, f.id, "Enter"); err != nil {
			return err
		}
		after, err := s.settled(ctx, &f, func(after *Screen) bool { return !after.drafted || !after.composed(text) })
		// It is only pressed again if the text is still unsent.
		if !errors.Is(err, ErrUnsure) || try == tries || !after.composed(text) {
			return err
		}
	}
}

// rest is how long typed text must be unchanged before Enter is pressed.
const rest = 300 * time.Millisecond

// composed reports whether a text is in the composer.
func (s *Screen) composed(text string) bool {
	return s.drafted && holds(s.draft, text)
}

// lastWith returns the last line that contains a word.
func lastWith(lines []string, word string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.Contains(lines[i], word) {
			return lines[i]
		}
	}
	return ""
}

// holds reports whether a screen shows the end of a typed text, or that the CLI
// folded it.
func holds(screen, text string) bool {
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || r == '\u00a0' {
				return -1
			}
			return r
		}, s)
	}
	end := []rune(squeeze(text))
	end = end[max(0, len(end)-20):]
	return strings.Contains(squeeze(screen), string(end)) || strings.Contains(screen, "[Pasted text")
}

// typeable returns a text in a form that can be typed.
func typeable(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text == "":
		return "", fmt.Errorf("%w: there is no text", ErrInvalid)
	case len(text) > MaxText:
		return "", fmt.Errorf("%w: the text has more than %d bytes", ErrInvalid, MaxText)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%w: the text is not UTF-8", ErrInvalid)
	}
	text = strings.ReplaceAll(text, "\t", "    ")
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return "", fmt.Errorf("%w: the text has control characters", ErrInvalid)
	}
	return text, nil
}
