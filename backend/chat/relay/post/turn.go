package post

import (
	"fmt"
	"strconv"
	"strings"

	"parley/backend/event"
)

// Limits of one turn's memory. The rest is only in Parley, and the thread says so.
const (
	maxItems  = 500
	maxText   = 256 << 10
	maxPrompt = 3000
	maxShell  = 2 << 10
)

// Kinds of items.
const (
	ofText   = iota // the model's text
	ofTool          // a tool call
	ofNotice        // an event
	ofPrompt        // a user's message; empty if it is already in the thread
	ofAlarm         // a failure that people should see
	ofShell         // a user's shell command
	ofBorder        // something posted in another way
)

// item is one element of a turn, in order of their start.
type item struct {
	kind int
	text string
	// said is the text as the model writes it.
	said []byte
	// tame is the sanitized text, once it is complete.
	tame  string
	ended bool
	tool  *tool
}

// alone reports whether an item has its own post.
func (i *item) alone() bool { return i.kind >= ofPrompt }

// turn is the state of one turn. It is plain data: package post's stream feeds it, and its
// posts are derived only from it.
type turn struct {
	id string
	// last is the last message with text or tools of the model, "" for none.
	last  string
	items []*item
	// blocks, tools and shells find items by the ids of what they show.
	blocks, tools, shells map[string]*item
	// bytes counts the text; left counts the omitted items, lost is true if text was
	// omitted.
	bytes, left int
	lost        bool
	// status is the current activity.
	status string
	// over: the turn has ended. settled: all of it is in the thread.
	over, settled bool
	// reason is the reason of the end.
	reason  string
	stopped bool
	// files counts the uploaded files, dropped those that weren't.
	files, dropped int
	model          string
	context        float64
	result         *event.TurnResult
}

func newTurn(id string) *turn {
	return &turn{id: id, blocks: map[string]*item{}, tools: map[string]*item{}, shells: map[string]*item{}}
}

// add appends an item. Beyond the limit it only accepts text, because some of it is the
// answer; omitted items are counted.
func (t *turn) add(i *item) *item {
	n := len(t.items)
	if n < maxItems || i.alone() || i.kind == ofText && n < 4*maxItems {
		t.items = append(t.items, i)
		return i
	}
	t.left++
	if last := t.items[n-1]; last.kind == ofText && n < 4*maxItems {
		// Text after it is held back anyway.
		t.items = append(t.items, &item{kind: ofNotice, ended: true})
	}
	return i
}

// say adds to a block of text.
func (t *turn) say(blockID, text string) {
	b := t.blocks[blockID]
	if b == nil {
		b = t.add(&item{kind: ofText})
		t.blocks[blockID] = b
	}
	if room := maxText - t.bytes; len(text) > room {
		text, t.lost = text[:fit(text, room/4)], true
		if room < 8 {
			text = ""
		}
	}
	t.bytes += len(text)
	b.said, b.tame = append(b.said, text...), ""
}

// use starts a tool call.
func (t *turn) use(id, name string) *item {
	i := t.tools[id]
	if i != nil {
		return i
	}
	if hidden(name) {
		i = &item{kind: ofBorder}
	} else {
		i = &item{kind: ofTool, tool: &tool{name: name}}
	}
	t.tools[id] = t.add(i)
	return i
}

// note adds a line about an event.
func (t *turn) note(text string) { t.add(&item{kind: ofNotice, text: text, ended: true}) }

// held reports whether the model's current text waits for the end: it follows tools,
// and may be the answer.
func (t *turn) held() bool {
	if t.over {
		return false
	}
	for i := len(t.items) - 1; i >= 0; i-- {
		switch it := t.items[i]; {
		case it.alone():
			return false
		case it.kind != ofText:
			return true
		}
	}
	return false
}

// end ends the turn.
func (t *turn) end(reason string) {
	t.over, t.reason, t.status = true, reason, ""
	for _, i := range t.items {
		i.ended = true
	}
	t.stopTools(event.UseCutOff)
}

// stopTools marks the running tools. A later result may be more precise.
func (t *turn) stopTools(state string) {
	for _, i := range t.items {
		if i.tool != nil && i.tool.state == "" {
			i.tool.state = state
		}
	}
}

// quoted returns the display of a prompt.
func quoted(who, text string, attachments []event.Attachment) string {
	text = strings.TrimSpace(Truncate(text[:firstRunes(text, 2*maxPrompt)], maxPrompt))
	var names []string
	for _, a := range attachments {
		names = append(names, "📎 "+Code(Truncate(OneLine(a.Name), maxName)))
	}
	head := "**" + Escape(who) + "**:"
	parts := []string{head}
	if text != "" {
		parts = append(parts, Quote(seal(Sanitize(text))))
	}
	if len(names) > 0 {
		parts = append(parts, "", strings.Join(names, " · "))
	}
	return strings.Join(parts, "\n")
}

// failure returns an error with its next step.
func failure(message, hint string) string {
	text := "⚠️ **" + Escape(OneLine(message)) + "**"
	if hint != "" {
		text += "\n" + Escape(OneLine(hint))
	}
	return text
}

// compacted describes the result of a compaction.
func compacted(failed string, before, after int64) string {
	switch {
	case failed != "":
		return "🗜️ The conversation could not be compacted: " + Escape(OneLine(failed))
	case before > 0 && after > 0:
		return fmt.Sprintf("🗜️ The conversation was compacted: %s → %s tokens", thousands(before), thousands(after))
	}
	return "🗜️ The conversation was compacted"
}

// retrying describes a pending retry of the model's service.
func retrying(r *event.Retry) string {
	why := "Anthropic's API did not answer"
	if r.HTTPStatus != 0 {
		why = "Anthropic's API answered " + strconv.Itoa(r.HTTPStatus)
	}
	return fmt.Sprintf("⏳ _%s. Retrying in %[4]s (%[2]d of %[3]d)._", why, r.Attempt, r.MaxRetries, duration(max(r.DelayMs, 1000)))
}

// ran returns the display of a user's command, with the end of its output.
func ran(who string, s event.Shell, output string) string {
	how := ""
	switch {
	case s.State == "stopped":
		how = " · stopped"
	case s.State == "failed":
		how = " · **could not start**"
	case s.Signal != "":
		how = " · ended by " + Escape(s.Signal)
	case s.ExitCode != 0:
		how = " · **exit " + strconv.Itoa(s.ExitCode) + "**"
	}
	if d := duration(s.DurationMs); d != "" {
		how += " · " + d
	}
	text := "**" + Escape(who) + "** ran " + Code(Truncate(OneLine(s.Command), maxObject)) + how
	if tail := lastLines(output+s.Tail, 12, 1000); tail != "" {
		text += "\n" + Fence(tail, "")
	}
	return text
}

// footer returns the last line of a turn: what it took.
func (t *turn) footer() string {
	var parts []string
	if t.model != "" && t.model != "<synthetic>" {
		parts = append(parts, Escape(Truncate(OneLine(t.model), maxName)))
	}
	if r := t.result; r != nil {
		in := r.Usage.InputTokens + r.Usage.CacheReadTokens + r.Usage.CacheCreationTokens
		if in+r.Usage.OutputTokens > 0 {
			parts = append(parts, thousands(in)+" in, "+thousands(r.Usage.OutputTokens)+" out")
		}
	}
	if t.context > 0 {
		parts = append(parts, "context "+strconv.FormatFloat(t.context, 'f', 0, 64)+" %")
	}
	if r := t.result; r != nil {
		if r.CostUSD > 0 {
			parts = append(parts, "$"+strconv.FormatFloat(r.CostUSD, 'f', 4, 64))
		}
		if d := duration(r.DurationMs); d != "" {
			parts = append(parts, d)
		}
	}
	if t.result == nil || len(parts) == 0 {
		return ""
	}
	return "_" + strings.Join(parts, " · ") + "_"
}

// thousands formats a number of tokens.
func thousands(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 100_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "k"
	case n < 1_000_000:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + "M"
}
