package command

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/backend/chat/relay/post"
	"parley/backend/event"
)

// stopped reports whether a session's process was permanently ended.
func stopped(s *event.Session) bool { return s.State == "closed" || s.State == "failed" }

func (t *Table) session(ctx context.Context, g *given) (event.Session, error) {
	return t.ports.Sessions.Get(ctx, g.Thread.SessionID)
}

func doStats(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	var spent Totals
	if t.ports.Figures != nil {
		if spent, err = t.ports.Figures.Spent(ctx, s.ID); err != nil {
			return Reply{}, err
		}
	}
	in, out := taken(spent.Tokens), spent.Tokens.OutputTokens
	lines := [][]string{{"**Total tokens**", fmt.Sprintf("%s (in: %s, out: %s)", thousands(in+out), thousands(in), thousands(out))}}
	title := "#### :bar_chart: Session stats"
	if stopped(&s) {
		title += " (stopped)"
	} else {
		more, err := t.live(ctx, &s)
		if err != nil {
			return Reply{}, err
		}
		lines = append(lines, more...)
	}
	cost := spent.CostUSD
	if t.ports.Figures == nil || cost == 0 {
		cost = s.TotalCostUSD
	}
	lines = append(lines, []string{"**Cost**", money(cost)})
	return Reply{Text: title + "\n" + table([]string{"Metric", "Value"}, lines)}, nil
}

// taken returns the model's input.
func taken(u event.Usage) int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheCreationTokens
}

// live returns the figures of a running session.
func (t *Table) live(ctx context.Context, s *event.Session) ([][]string, error) {
	var lines [][]string
	if c := s.Context; c != nil {
		used := thousands(c.Used) + " tokens"
		if c.Percent != nil {
			used = fmt.Sprintf("%.1f%% of %s", *c.Percent, thousands(c.Window))
		}
		lines = append(lines, []string{"**Context used**", used})
	}
	model := s.Model
	if model == "" {
		model = "the CLI's default"
	}
	lines = append(lines, []string{"**Model**", code(model)})
	page, err := t.ports.Sessions.Page(ctx, s.ID, "", 50)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(page.Messages) {
		if m.Result == nil {
			continue
		}
		if ms := m.Result.TTFTMs; ms > 0 {
			lines = append(lines, []string{"**Last TTFT**", fmt.Sprintf("%.1fs", float64(ms)/1000)})
		}
		if ms := m.Result.DurationMs - m.Result.TTFTMs; ms > 0 && m.Result.Usage.OutputTokens > 0 {
			lines = append(lines, []string{"**Last speed**", fmt.Sprintf("%.0f tok/s", float64(m.Result.Usage.OutputTokens)*1000/float64(ms))})
		}
		break
	}
	return lines, nil
}

func doUsage(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Figures == nil {
		return Reply{Text: "This Parley does not track usage."}, nil
	}
	session := ""
	if g.Thread != nil {
		session = g.Thread.SessionID
	}
	a, err := t.ports.Figures.Account(ctx, session)
	if err != nil {
		return Reply{}, err
	}
	lines := []string{"#### :chart_with_upwards_trend: Usage"}
	for _, one := range a.Allowances {
		line := "- **" + post.Escape(one.Name) + ":** "
		if one.Percent >= 0 {
			line += fmt.Sprintf("%.0f%% used", one.Percent)
		} else {
			line += post.Escape(one.State)
		}
		if one.ResetsAt != 0 {
			line += ", resets " + moment(one.ResetsAt)
		}
		lines = append(lines, line)
	}
	for _, p := range []struct {
		name string
		s    Totals
	}{{"Today", a.Today}, {"This month", a.Month}} {
		lines = append(lines, fmt.Sprintf("- **%s:** %s, %s tokens (in: %s, out: %s), %s answers", p.name, money(p.s.CostUSD),
			thousands(taken(p.s.Tokens)+p.s.Tokens.OutputTokens), thousands(taken(p.s.Tokens)), thousands(p.s.Tokens.OutputTokens), thousands(p.s.Answers)))
	}
	for _, b := range a.Budgets {
		lines = append(lines, budgetLine(b))
	}
	if len(a.Allowances) == 0 {
		lines = append(lines, "", "Plan limits are unknown: no running session has reported them.")
	}
	return Reply{Text: strings.Join(lines, "\n")}, nil
}

func budgetLine(b event.Budget) string {
	period, unit, _ := strings.Cut(b.Name, "-")
	show := func(n float64) string {
		if unit == "usd" {
			return fmt.Sprintf("$%.2f", n)
		}
		return thousands(int64(n)) + " tokens"
	}
	percent := 0.0
	if b.Limit > 0 {
		percent = b.Used / b.Limit * 100
	}
	return fmt.Sprintf("- **Budget of the %s:** %.0f%% used (%s / %s)", period, percent, show(b.Used), show(b.Limit))
}

// contextOrder is the display order of the window's parts; others come before the free
// space.
func contextOrder() []string {
	return []string{"Messages", "System prompt", "System tools", "MCP tools", "Custom agents", "Memory files", "Skills", "", "Free space", "Autocompact buffer"}
}

func doContext(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	var w Window
	if t.ports.Figures != nil {
		if w, err = t.ports.Figures.Window(ctx, s.ID); err != nil {
			return Reply{}, err
		}
	}
	if w.Model == "" {
		w.Model = s.Model
	}
	if w.Used == 0 {
		return Reply{Text: "The context window is not known yet. It is measured with the first answer."}, nil
	}
	lines := []string{
		"#### :brain: Context window usage",
		"- **Model:** " + code(w.Model),
		fmt.Sprintf("- **Used:** %s / %s tokens%s", thousands(w.Used), thousands(w.Size), w.share(w.Used)),
	}
	if w.Size == 0 {
		lines[2] = fmt.Sprintf("- **Used:** %s tokens. The window's size is known after the first answer.", thousands(w.Used))
	}
	order := contextOrder()
	rank := func(p Part) int {
		if i := slices.IndexFunc(order, func(o string) bool { return strings.EqualFold(o, p.Name) }); i >= 0 {
			return i
		}
		return slices.Index(order, "")
	}
	slices.SortStableFunc(w.Parts, func(a, b Part) int { return rank(a) - rank(b) })
	for _, p := range w.Parts {
		lines = append(lines, fmt.Sprintf("- **%s:** %s%s", post.Escape(p.Name), thousands(p.Tokens), w.share(p.Tokens)))
	}
	if !w.Live {
		lines = append(lines, "", "No process is running that could report the details. The next message starts one.")
	}
	return Reply{Text: strings.Join(lines, "\n")}, nil
}

// share returns a part of the window in percent, "" while its size is unknown.
func (w *Window) share(tokens int64) string {
	if w.Size == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f%%)", float64(tokens)/float64(w.Size)*100)
}

// doStop ends a session that its thread started. A desktop session is only mirrored
// here, and its user may be working with it: of that, it only stops the turn, as the
// window would.
func doStop(ctx context.Context, t *Table, g given) (Reply, error) {
	if g.Thread.Mirror {
		if err := t.ports.Sessions.Drop(ctx, g.Thread.SessionID); err != nil {
			return Reply{}, err
		}
		ran, err := t.interrupt(ctx, &g)
		said := "No turn is running."
		if ran {
			said = ":stop_sign: The turn was stopped. The session stays open, and Parley's queue is kept."
		}
		return Reply{Text: said, Dropped: true}, err
	}
	if err := t.ports.Sessions.Stop(ctx, g.Thread.SessionID, false); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":stop_sign: Session stopped." + after(&g), Ended: true}, nil
}

// doNew runs if the conversation was already started with it, or if there is none.
func doNew(_ context.Context, _ *Table, g given) (Reply, error) {
	if g.PostID != g.ThreadID {
		return Reply{Text: "In a thread, the session stays the same until " + code("!stop") + " ends it. A message outside the thread starts another one."}, nil
	}
	return Reply{Text: ":sparkles: Your next message starts a new conversation."}, nil
}

func after(g *given) string {
	if g.Thread.Mirror {
		return " The next message reopens it."
	}
	return " The next message starts a new one."
}

func doKill(ctx context.Context, t *Table, g given) (Reply, error) {
	if err := t.ports.Sessions.Stop(ctx, g.Thread.SessionID, true); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":skull: Session killed, along with everything its process had started." + after(&g), Ended: true}, nil
}

func doEscape(ctx context.Context, t *Table, g given) (Reply, error) {
	ran, err := t.interrupt(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	if !ran {
		return Reply{Text: "No turn is running."}, nil
	}
	return Reply{Text: ":warning: Interrupted."}, nil
}

// interrupt interrupts the turn of the thread's session, and reports whether there
// was one.
func (t *Table) interrupt(ctx context.Context, g *given) (ran bool, err error) {
	s, err := t.session(ctx, g)
	if err != nil || slices.Contains([]string{"idle", "closed", "failed"}, s.State) {
		return false, err
	}
	return true, t.ports.Sessions.Interrupt(ctx, s.ID, g.By)
}

// doRestart restarts Parley. It doesn't return before that: the next Parley reports that it
// is running.
func doRestart(ctx context.Context, t *Table, g given) (Reply, error) {
	if t.ports.Restart == nil {
		return Reply{Text: "This Parley cannot restart itself. Restart it on its computer."}, nil
	}
	working, err := t.ports.Restart(ctx, g.row.sub == "now", g.By)
	if err != nil {
		return Reply{}, err
	}
	if len(working) > 0 {
		return Reply{Text: fmt.Sprintf("Parley restarts when these sessions have finished: %s. To interrupt them instead, run %s.", strings.Join(working, ", "), code("!restart now"))}, nil
	}
	<-ctx.Done()
	return Reply{Text: "Parley has not quit yet. Check it on its computer."}, nil
}

func doRestartSession(ctx context.Context, t *Table, g given) (Reply, error) {
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	const next = "The next message starts a new process, with the same conversation."
	if s.PID == 0 {
		return Reply{Text: "This session has no running process. " + next}, nil
	}
	if _, err := t.ports.Sessions.Suspend(ctx, s.ID); err != nil {
		return Reply{}, err
	}
	return Reply{Text: ":arrows_counterclockwise: The session's process was ended. " + next}, nil
}

func doUpdate(_ context.Context, t *Table, _ given) (Reply, error) {
	return Reply{Text: "This is Parley " + code(t.ports.Version) + ". It is updated on its computer, not from here: " + code("parley update") + " installs a newer one, or says who does. " +
		"Update Claude Code there, too. To use the new version in a session, run " + code("!restart session") + "."}, nil
}

func doCompact(_ context.Context, _ *Table, g given) (Reply, error) {
	return Reply{Prompt: strings.TrimSpace("/compact " + free(g.text))}, nil
}

// interval is a loop's interval: "30s", "5m", "2h", "1d".
var interval = regexp.MustCompile(`(?i)^[1-9][0-9]{0,3}[smhd]$`)

func doLoop(_ context.Context, _ *Table, g given) (Reply, error) {
	if g.text == "" {
		return Reply{Prompt: "List the tasks that you have scheduled in this session (cron and loops) as a table with their id, schedule, next run and prompt. If there are none, say so."}, nil
	}
	every, what, _ := cutWord(g.text)
	if !interval.MatchString(every) || what == "" {
		return Reply{}, errUsage
	}
	return Reply{Prompt: "/loop " + strings.ToLower(every) + " " + free(what)}, nil
}
