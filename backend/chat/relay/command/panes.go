package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley/backend/chat/relay/post"
	"parley/backend/tmux"
	"parley/backend/untrusted"
)

const noTerminals = "Terminals aren't available."

const (
	// screenLines and screenChars bound a displayed screen, statusChars a
	// terminal's state.
	screenLines, screenChars = 100, 3500
	statusLines, statusChars = 200, 3000
	// maxPanes bounds the listed panes.
	maxPanes = 50
)

// nudge is the prompt for a terminal that seems stuck.
const nudge = "Are you stuck? Say in a few sentences where you are, what blocks you, and what you will do next."

// terminalSaid returns the text for a terminal error, false for other errors.
func terminalSaid(err error) (string, bool) {
	for _, known := range []struct {
		err  error
		said string
	}{
		{tmux.ErrMissing, "tmux is not installed on Parley's computer."},
		{tmux.ErrNoPane, "Claude Code is not running in that pane. " + code("!sessions") + " lists them."},
		{tmux.ErrNotAsking, "That terminal is not asking anything now. Nothing was typed."},
		{tmux.ErrBusy, "That terminal is not ready for text: it asks something, or shows something Parley does not recognize. Nothing was typed."},
		{tmux.ErrDraft, "Someone has started typing there. Nothing was typed."},
		{tmux.ErrCut, "Part of the question is scrolled out of view, so it cannot be allowed from here. Answer it in the terminal, or make the terminal larger."},
		{tmux.ErrChoice, "There is no such option. List the options with " + code("!session <pane>") + ", and choose one with " + code("!session <pane> choose <number>") + ". Nothing was typed."},
		{tmux.ErrFull, "Too many terminals are being watched."},
		{tmux.ErrUnsure, "The keys were sent, but the screen did not change as expected. Check it with " + code("!session <pane>") + "."},
	} {
		if errors.Is(err, known.err) {
			return known.said, true
		}
	}
	if errors.Is(err, tmux.ErrAmbiguous) || errors.Is(err, tmux.ErrInvalid) {
		return "Could not do this: " + post.Escape(post.OneLine(err.Error())) + ".", true
	}
	return "", false
}

// stateWords describe a terminal's state.
func stateWords(s tmux.State) string {
	switch s {
	case tmux.Working:
		return "🟢 Active"
	case tmux.Permission:
		return "🟠 Waiting for permission"
	case tmux.Question:
		return "🟠 Asking something"
	case tmux.Idle:
		return "🟡 Idle"
	case tmux.Errored:
		return "🔴 Error"
	case tmux.Ended:
		return "⚫ Ended"
	}
	return "⚪ Unknown"
}

func doPanes(ctx context.Context, t *Table, _ given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	all, err := t.ports.Terminals.List(ctx)
	if err != nil {
		return Reply{}, err
	}
	if len(all) == 0 {
		return Reply{Text: "Claude Code is not running in any tmux pane."}, nil
	}
	var lines [][]string
	for _, p := range all[:min(len(all), maxPanes)] {
		state := stateWords(p.State)
		if p.Watched {
			state += " :eyes:"
		}
		lines = append(lines, []string{code(p.Target), code(filepath.Base(p.Folder)), state})
	}
	return Reply{Text: "#### :computer: Terminals\n" + table([]string{"Pane", "Project", "Status"}, lines) + more(len(all))}, nil
}

// screen reads a pane and records that the thread is shown its question.
func (t *Table) screen(ctx context.Context, g *given, lines int) (tmux.Screen, error) {
	s, err := t.ports.Terminals.Screen(ctx, g.arg, lines)
	if err == nil {
		t.seen.inThread(g.ThreadID, &s)
	}
	return s, err
}

// asked shows a terminal's question, and how to answer it.
func asked(s *tmux.Screen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s asks:\n%s", code(s.Pane.Target), block(tail(s.Asked, screenChars)))
	for _, o := range s.Options {
		fmt.Fprintf(&b, "\n%d. %s", o.Number, post.Escape(post.OneLine(o.Label)))
	}
	switch {
	case !s.Whole:
		b.WriteString("\n\nPart of it is not visible here. Answer it in the terminal, or deny it with :x:.")
	case s.Yes() != 0:
		fmt.Fprintf(&b, "\n\n:white_check_mark: allows it once (%d), :x: denies it, a number chooses an option.", s.Yes())
	case len(s.Options) > 0:
		b.WriteString("\n\nA number chooses an option, :x: denies.")
	default:
		b.WriteString("\n\nIt can only be answered in the terminal.")
	}
	return b.String()
}

// answerable returns the screen to remember with a post, nil if it has no
// question.
func answerable(s *tmux.Screen) *tmux.Screen {
	if s.Fingerprint == "" {
		return nil
	}
	return s
}

func doPane(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	s, err := t.screen(ctx, &g, screenLines)
	if err != nil {
		return Reply{}, err
	}
	text := code(s.Pane.Target) + " " + stateWords(s.State) + "\n" + block(tail(s.Text, screenChars))
	if s.Fingerprint != "" {
		text += "\n" + asked(&s)
	}
	return Reply{Text: text, Screen: answerable(&s)}, nil
}

func doPaneStatus(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	s, err := t.screen(ctx, &g, statusLines)
	if err != nil {
		return Reply{}, err
	}
	lines := []string{code(s.Pane.Target) + " " + stateWords(s.State), "- **Folder:** " + code(s.Pane.Folder)}
	if s.Said != "" {
		lines = append(lines, "- **Last message:**", quote(s.Said))
	}
	switch {
	case s.Fingerprint != "":
		lines = append(lines, "", asked(&s))
	case s.State == tmux.Unknown:
		lines = append(lines, "Parley does not recognize its screen:", block(tail(s.Text, statusChars)))
	}
	return Reply{Text: strings.Join(lines, "\n"), Screen: answerable(&s)}, nil
}

func doPaneNudge(ctx context.Context, t *Table, g given) (Reply, error) {
	return t.typed(ctx, &g, nudge, ":wave: Asked "+code(g.arg)+" whether it is stuck.")
}

func doPaneType(ctx context.Context, t *Table, g given) (Reply, error) {
	text, ok := quoted(g.text)
	if !ok {
		return Reply{}, errUsage
	}
	return t.typed(ctx, &g, untrusted.Typed(text), ":keyboard: Typed into "+code(g.arg)+".")
}

func (t *Table) typed(ctx context.Context, g *given, text, said string) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	if err := t.ports.Terminals.Type(ctx, g.arg, text); err != nil {
		return Reply{}, err
	}
	return Reply{Text: said}, nil
}

func doPaneAnswer(allow bool) func(context.Context, *Table, given) (Reply, error) {
	return func(ctx context.Context, t *Table, g given) (Reply, error) {
		said := ":no_entry: Denied"
		if allow {
			said = ":white_check_mark: Allowed"
		}
		return t.answer(ctx, &g, said, func(shown string) (tmux.Screen, error) {
			return t.ports.Terminals.Answer(ctx, g.arg, shown, allow)
		})
	}
}

// answer answers the question that the thread was last shown, or that a reaction is about.
// A question that wasn't shown yet is shown instead.
func (t *Table) answer(ctx context.Context, g *given, said string, do func(shown string) (tmux.Screen, error)) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	fingerprint := g.shown
	if fingerprint == "" {
		s, err := t.ports.Terminals.Screen(ctx, g.arg, 1)
		if err != nil {
			return Reply{}, err
		}
		fingerprint = t.seen.last(g.ThreadID, s.Pane.ID)
	}
	s, err := do(fingerprint)
	switch {
	case errors.Is(err, tmux.ErrOther):
		t.seen.inThread(g.ThreadID, &s)
		before := "It is asking something else now."
		if fingerprint == "" {
			before = "This thread has not shown what it is asking."
		}
		return Reply{Text: before + " Nothing was typed.\n\n" + asked(&s), Screen: answerable(&s)}, nil
	case errors.Is(err, errLasting):
		return Reply{Text: "This allows more than this one request, so it needs the role admin. Nothing was typed. " + code("!session "+s.Pane.Target+" approve") + " allows it once."}, nil
	case err != nil:
		return Reply{}, err
	}
	t.seen.inThread(g.ThreadID, &s)
	if s.Fingerprint != "" {
		said += ". Next, " + asked(&s)
	} else {
		said += ": " + code(s.Pane.Target) + " " + stateWords(s.State) + "."
	}
	return Reply{Text: said, Screen: answerable(&s)}, nil
}

func doPaneKill(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	p, err := t.ports.Terminals.Kill(ctx, g.arg)
	if errors.Is(err, tmux.ErrNoPane) && t.unwatch(ctx, g.arg) {
		return Reply{Text: "That pane no longer exists. It is no longer watched."}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":skull: The pane " + code(p.Target) + " was closed, along with everything running in it."}, nil
}

// unwatch removes a pane that is gone from the watched ones.
func (t *Table) unwatch(ctx context.Context, target string) bool {
	for _, w := range t.ports.Terminals.Watched() {
		if w.Target == target || w.PaneID == target {
			return t.ports.Terminals.Unwatch(ctx, target) == nil
		}
	}
	return false
}

func doSpawn(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	s, ok := spawnOf(g.text)
	if !ok {
		return Reply{}, errUsage
	}
	s.Prompt = untrusted.Typed(s.Prompt)
	var err error
	if s.Folder == "" {
		s.Folder, err = t.folder(ctx, &g)
	} else {
		s.Folder, err = t.resolve(ctx, &g, s.Folder)
	}
	if err != nil {
		return Reply{}, err
	}
	if s.Folder == "" {
		return Reply{Text: "Name the folder: " + code("!spawn \"prompt\" --dir ~/projects/name") + "."}, nil
	}
	p, err := t.ports.Terminals.Spawn(ctx, s)
	if err != nil {
		return Reply{}, err
	}
	text := ":rocket: Started " + code(p.Target) + ".\n- **Prompt:** " + code(post.Truncate(s.Prompt, 500)) + "\n- **Folder:** " + code(s.Folder)
	if _, err := t.ports.Terminals.Watch(ctx, tmux.Watch{Target: p.ID, ChannelID: g.ChannelID, ThreadID: g.ThreadID, Begun: true}); err != nil {
		text += "\nIt cannot be watched."
	} else {
		text += "\nThis thread gets its updates."
	}
	return Reply{Text: text + " " + code("!session "+p.Target) + " shows its screen."}, nil
}

// spawnOf parses a prompt and its options, which may come before or after it.
func spawnOf(text string) (tmux.Spawn, bool) {
	var s tmux.Spawn
	var prompt []string
	all := words(text)
	for i := 0; i < len(all); i++ {
		name, value, inOne := strings.Cut(all[i], "=")
		if dash := strings.TrimLeft(name, "—–"); dash != name { // phones replace "--" with it
			name = "--" + dash
		}
		if name != "--name" && name != "--dir" {
			prompt = append(prompt, all[i])
			continue
		}
		if !inOne {
			if i++; i == len(all) {
				return s, false
			}
			value = all[i]
		}
		if name == "--name" {
			s.Name = value
		} else {
			s.Folder = value
		}
	}
	if len(prompt) != 1 || strings.TrimSpace(prompt[0]) == "" {
		return s, false
	}
	s.Prompt = prompt[0]
	return s, true
}

func doWatch(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	target, rest, ok := cutWord(g.text)
	if !ok {
		return t.watchedHere(&g), nil
	}
	if rest != "" {
		return Reply{}, errUsage
	}
	p, err := t.ports.Terminals.Watch(ctx, tmux.Watch{Target: target, ChannelID: g.ChannelID, ThreadID: g.ThreadID})
	if err != nil {
		return Reply{}, err
	}
	g.arg = p.ID
	s, err := t.screen(ctx, &g, 1)
	if err != nil {
		return Reply{}, err
	}
	text := ":eyes: " + code(p.Target) + " is now watched from this thread. Status: " + stateWords(s.State) + "."
	if s.Fingerprint != "" {
		text += "\n" + asked(&s)
	}
	return Reply{Text: text, Screen: answerable(&s)}, nil
}

func (t *Table) watchedHere(g *given) Reply {
	var here, other []string
	for _, w := range t.ports.Terminals.Watched() {
		if w.ThreadID == g.ThreadID {
			here = append(here, w.Target)
		} else {
			other = append(other, w.Target)
		}
	}
	said := "No terminal is watched from this thread."
	if len(here) > 0 {
		said = "Watched from this thread: " + list(here) + "."
	}
	if len(other) > 0 {
		said += " Elsewhere: " + list(other) + "."
	}
	return Reply{Text: said}
}

func doUnwatch(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Terminals == nil {
		return Reply{Text: noTerminals}, nil
	}
	target, rest, ok := cutWord(g.text)
	if !ok || rest != "" {
		return Reply{}, errUsage
	}
	if err := t.ports.Terminals.Unwatch(ctx, target); err != nil {
		return Reply{}, err
	}
	return Reply{Text: code(target) + " is no longer watched."}, nil
}

// errorLines is how many lines of a failure an alert shows.
const errorLines = 10

// Alert returns the post about a watched terminal. The reply is for the watch's thread;
// pass its screen to [Table.Shown] with the post's id.
func (t *Table) Alert(a tmux.Alert) Reply {
	s := a.Screen
	t.seen.inThread(a.Watch.ThreadID, &s)
	name := code(a.Watch.Target)
	switch a.What {
	case string(tmux.Permission):
		return Reply{Text: ":lock: " + asked(&s), Screen: answerable(&s)}
	case string(tmux.Question):
		return Reply{Text: ":question: " + asked(&s), Screen: answerable(&s)}
	case string(tmux.Errored):
		lines := strings.Split(strings.TrimSpace(s.Said), "\n")
		return Reply{Text: ":x: " + name + " failed:\n" + block(strings.Join(lines[max(0, len(lines)-errorLines):], "\n"))}
	case string(tmux.Ended):
		return Reply{Text: ":headstone: " + name + " has ended and is no longer watched."}
	case string(tmux.Idle):
		text := ":white_check_mark: " + name + " is done and waiting."
		if s.Said != "" {
			text += "\n" + quote(s.Said)
		}
		return Reply{Text: text}
	}
	return Reply{Text: ":hourglass: " + name + " has not moved for a while. " + code("!session "+a.Watch.Target+" nudge") + " asks why."}
}
