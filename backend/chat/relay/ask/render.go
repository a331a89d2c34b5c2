package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/permission"
)

// divider precedes the part of a post with the instructions or the ending.
const divider = "\n\n---\n"

const (
	// maxInline is how much of a question's subject is shown in full, in characters and
	// lines; of more, a post has the start, and a file has all of it.
	maxInline, maxLines = 4000, 80
	headInline          = 1500
	// maxRules is the maximum text length of offered rules, because they are shown in
	// full.
	maxRules = 1000
	// usualLimit is for a chat that doesn't report a post limit, leastLimit for one that
	// reports an implausibly low one.
	usualLimit, leastLimit = 16000, 2000
)

// paper is the content of a post.
type paper struct {
	// head is the question, tail the instructions, call mentions those who should
	// answer.
	head, tail, call string
	// file is its attachment, with a name; "" for none.
	file, name string
	actions    []action
	// locked is set if it can only be denied here.
	locked bool
	// rules are those that "always" creates: exactly those shown in the tail.
	rules []string
}

func (p paper) text() string { return p.head + divider + p.tail + p.call }

// setting configures the rendering of a post.
type setting struct {
	limit   int
	private bool
	holders func(private bool, least port.ChatRole) (names []string, more int)
	zone    *time.Location
	// name is what a reply calls the question.
	name string
	// call mentions those who should answer, "" for nobody.
	call string
	// scale divides lengths to make the post fit.
	scale int
}

// render renders the post of a request, or of one of its questions.
func render(q port.Request, step int, s setting) paper {
	if s.limit <= 0 {
		s.limit = usualLimit
	}
	s.limit = max(s.limit, leastLimit)
	var p paper
	for s.scale = 1; s.scale <= 32; s.scale *= 2 {
		p = s.render(q, step)
		if p.call = s.call; p.length() <= s.limit {
			return p
		}
	}
	p.lock()
	p.head = post.Truncate(p.head, s.limit-p.length()+utf8.RuneCountInString(p.head))
	return p
}

func (p paper) length() int { return utf8.RuneCountInString(p.text()) }

func (s setting) render(q port.Request, step int) paper {
	switch q.Kind {
	case permission.KindPlan:
		return renderPlan(q, s)
	case permission.KindTrust:
		return renderTrust(q, s)
	case permission.KindQuestion:
		return renderQuestion(q, step, s)
	}
	return renderTool(q, s)
}

// prose and code render secondary text, shortened if there is too much of it.
func (s setting) prose(text string, n int) string { return prose(text, s.most(n)) }
func (s setting) code(text string, n int) string  { return code(text, s.most(n)) }
func (s setting) most(n int) int                  { return max(n/s.scale, 20) }

// offerOf returns the narrowest rule that an answer could create, if it can be shown in
// full.
func offerOf(q port.Request) (event.RuleOffer, bool) {
	if q.NoRemember || q.Kind != permission.KindTool || len(q.Offers) == 0 || len(q.Offers[0].Rules) == 0 {
		return event.RuleOffer{}, false
	}
	length := 0
	for _, rule := range q.Offers[0].Rules {
		if strings.TrimSpace(rule) == "" {
			return event.RuleOffer{}, false
		}
		length += utf8.RuneCountInString(rule)
	}
	return q.Offers[0], length <= maxRules
}

func renderTool(q port.Request, s setting) paper {
	u := useOf(q.Question)
	offer, offered := offerOf(q)
	p := paper{actions: actionsOf(q, 0, offered)}
	var b strings.Builder
	b.WriteString("**" + s.prose(u.title, 200) + "**")
	if q.Description != "" {
		b.WriteString("\n" + s.prose(q.Description, 1000))
	}
	if u.says != "" {
		b.WriteString("\nClaude says: " + s.prose(u.says, maxFact))
	}
	p.writeExact(&b, u.kind(), u.exact, u.lang, u.file, s.limit)
	if strings.ContainsFunc(plainEnds(u.exact), hides) {
		b.WriteString("\nThis contains invisible characters, shown here as codes.")
	}
	b.WriteString("\n" + s.facts(q, u.facts))
	p.head = strings.TrimRight(b.String(), "\n")

	var tail []string
	tail = append(tail, ":+1: allow once · :-1: deny")
	if q.Cautious() {
		tail[0] = ":-1: deny (recommended) · :+1: allow once"
	}
	if offered {
		p.rules = offer.Rules
		tail = append(tail, ":white_check_mark: allow for the rest of this session: "+s.prose(offer.Means, 300))
		for _, rule := range offer.Rules {
			tail = append(tail, post.Code(exactly(rule)))
		}
	}
	reply := "Or reply: text that starts with `no` denies, and Claude reads it. "
	if isCommand(q) {
		reply += "`edit:` with a command, or just a code block, runs that instead."
	} else {
		reply += "`edit:` with the whole input as JSON, or just a code block with it, uses that instead."
	}
	tail = append(tail, reply+s.which())
	p.tail = strings.Join(append(tail, s.who(q, offered)), "\n")
	return p
}

// writeExact writes the subject of the decision, or its start if it is long:
// then a file has all of it.
func (p *paper) writeExact(b *strings.Builder, what, exact, lang, name string, limit int) {
	shown := exactly(exact)
	n, rows := utf8.RuneCountInString(shown), strings.Count(strings.TrimSuffix(shown, "\n"), "\n")+1
	if n <= min(maxInline, limit/3) && rows <= maxLines {
		b.WriteString("\n" + post.Fence(shown, lang))
		return
	}
	p.file, p.name = exact, name
	fmt.Fprintf(b, "\n:paperclip: **The full %s is in the attached file** (%d characters, %d lines). It starts like this:\n", what, utf8.RuneCountInString(exact), rows)
	head := shown
	if all := strings.SplitAfterN(head, "\n", maxLines/2+1); len(all) > maxLines/2 {
		head = strings.Join(all[:maxLines/2], "")
	}
	b.WriteString(post.Fence(post.Truncate(head, min(headInline, limit/6)), lang))
}

// facts render where it would happen, its risk and the reason for asking.
func (s setting) facts(q port.Request, more []fact) string {
	var out []string
	for _, f := range more {
		out = append(out, s.prose(exactly(f.name), 60)+": "+s.code(f.value, maxFact))
	}
	if q.CWD != "" {
		out = append(out, "Folder: "+s.code(q.CWD, maxFact))
	}
	if q.BlockedPath != "" {
		out = append(out, "Outside the session's folder: "+s.code(q.BlockedPath, maxFact))
	}
	if q.Risk != nil {
		out = append(out, s.risk(*q.Risk)...)
	}
	if v := q.Verdict; v != nil {
		if v.Why != "" {
			out = append(out, "Your rules: "+s.prose(v.Why, maxFact))
		}
		if v.Unclear {
			out = append(out, "Parley could not read all of this, so no rule allows it.")
		}
	}
	if q.Reason != "" {
		out = append(out, "Reason: "+s.prose(q.Reason, 600))
	}
	if q.Heartbeat != "" {
		out = append(out, "The heartbeat "+s.prose(q.Heartbeat, 100)+" asks.")
	}
	return strings.Join(out, "\n")
}

func (s setting) risk(r event.Risk) []string {
	level := map[string]string{"medium": "Medium risk", "high": "High risk", "critical": "Critical risk"}[r.Level]
	if level == "" {
		return nil
	}
	out := []string{":warning: **" + level + "**"}
	for _, f := range r.Findings[:min(len(r.Findings), 10)] {
		line := "- " + s.prose(f.Why, 200)
		if f.Words != "" {
			line = "- " + s.code(f.Words, 120) + ": " + s.prose(f.Why, 200)
		}
		out = append(out, line)
	}
	return append(out, "") // the end of the list
}

func renderPlan(q port.Request, s setting) paper {
	p := paper{actions: actionsOf(q, 0, false)}
	plan := show(textField(q.Question, "plan"), turns)
	head := "**Review the plan**\n\n"
	switch {
	case strings.TrimSpace(plan) == "":
		head += "This plan has no text."
	case utf8.RuneCountInString(plan) > min(2*maxInline, s.limit/2):
		p.file, p.name = textField(q.Question, "plan"), "plan.md"
		head += fmt.Sprintf(":paperclip: **The full plan is in the attached file** (%d characters). It starts like this:\n\n", utf8.RuneCountInString(plan))
		head += post.Split(post.Sanitize(plan), min(maxInline, s.limit/3))[0]
	default:
		head += strings.TrimSpace(post.Sanitize(plan))
	}
	if f := s.facts(q, nil); f != "" {
		head += "\n\n" + f
	}
	p.head = strings.TrimRight(head, "\n")
	p.tail = strings.Join([]string{
		":+1: approve and start · :pencil2: approve and accept edits without asking · :-1: discard the plan",
		"Or reply to ask for changes. Claude then revises the plan." + s.which(),
		s.who(q, true),
	}, "\n")
	return p
}

// finding is one thing that a folder makes the CLI load or run.
type finding struct {
	Kind, File, Name, Command, Why string
}

func renderTrust(q port.Request, s setting) paper {
	p := paper{actions: actionsOf(q, 0, false)}
	var in struct {
		Folder   string
		Findings []finding
		More     int
	}
	var b strings.Builder
	b.WriteString("**Trust this folder?**\n")
	if json.Unmarshal(q.Input, &in) != nil {
		p.writeExact(&b, "report", indent(q.Input), "json", "folder.json", s.limit)
	} else {
		if in.Folder == "" {
			in.Folder = q.CWD
		}
		b.WriteString(s.code(in.Folder, maxFact) + "\n")
		b.WriteString("Claude Code would load or run the following on its own in this folder. Only trust folders whose authors you trust.")
		p.writeExact(&b, "list", list(in.Findings, in.More), "", "folder.txt", s.limit)
	}
	if q.Reason != "" {
		b.WriteString("\nReason: " + s.prose(q.Reason, 600))
	}
	p.head = strings.TrimRight(b.String(), "\n")
	p.tail = ":one: start without them · :two: trust the folder and start · :-1: don't start\n" + s.who(q, false)
	return p
}

func list(all []finding, more int) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s (%s)\n", f.Kind, f.Name, f.File)
		for line := range strings.SplitSeq(plainEnds(f.Command), "\n") {
			if line != "" {
				b.WriteString("    " + line + "\n")
			}
		}
		if f.Why != "" {
			b.WriteString("    " + f.Why + "\n")
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func renderQuestion(q port.Request, step int, s setting) paper {
	p := paper{actions: actionsOf(q, step, false)}
	all := questionsOf(q.Input)
	if step >= len(all) {
		// There are no questions to show: it can only be denied here.
		var b strings.Builder
		b.WriteString("**A question**")
		p.writeExact(&b, "question", indent(q.Input), "json", "question.json", s.limit)
		p.locked = true
		p.head = b.String()
		p.tail = ":-1: don't answer\nThis question can only be answered in Parley's window.\n" + s.who(q, false)
		return p
	}
	asked := all[step]
	title := "**A question**"
	if len(all) > 1 {
		title = fmt.Sprintf("**Question %d of %d**", step+1, len(all))
	}
	var b strings.Builder
	b.WriteString(title)
	if asked.Header != "" {
		b.WriteString(" · " + s.prose(asked.Header, 60))
	}
	b.WriteString("\n" + post.Escape(post.Truncate(show(asked.Question, turns), s.most(s.limit/6))) + "\n")
	// The options share the remaining room.
	room := max(60, s.limit/3/max(1, len(asked.Options)))
	for i, o := range asked.Options {
		b.WriteString("\n" + mark(i) + " **" + s.prose(o.Label, min(200, room)) + "**")
		if o.Description != "" {
			b.WriteString(" — " + s.prose(o.Description, min(400, room)))
		}
		if preview := strings.TrimSpace(exactly(first(o.Preview, 600))); preview != "" && s.scale < 8 {
			b.WriteString("\n" + post.Fence(post.Truncate(preview, s.most(min(600, room))), ""))
		}
	}
	p.head = strings.TrimRight(b.String(), "\n")
	p.tail = strings.Join([]string{howToPick(asked), "Or reply in your own words." + s.which(), s.who(q, false)}, "\n")
	return p
}

// mark precedes an option: the emoji that picks it, or its number.
func mark(i int) string {
	if i < len(numbers()) {
		return ":" + numbers()[i] + ":"
	}
	return fmt.Sprintf("%d:", i+1)
}

func howToPick(asked question) string {
	n := len(asked.Options)
	switch {
	case n == 0:
		return ":-1: don't answer"
	case asked.MultiSelect:
		return "Choose one or more, then react with :white_check_mark:, or reply with their numbers (`1, 3`). :-1: don't answer"
	case n > len(numbers()):
		return "Choose one by its emoji, or reply with the number of a later one. :-1: don't answer"
	}
	return "Choose one by its emoji, or reply with its number. :-1: don't answer"
}

// which describes how a reply names its question if several are open.
func (s setting) which() string {
	return fmt.Sprintf(" (If several requests are open, start with `%s`.)", s.name)
}

// who describes who may answer, and until when.
func (s setting) who(q port.Request, admins bool) string {
	least := port.RoleApprove
	if q.Kind == permission.KindTrust {
		least = port.RoleAdmin
	}
	line := "Who can answer: " + s.names(least) + "."
	if admins && least != port.RoleAdmin {
		extra := ":white_check_mark:"
		if q.Kind == permission.KindPlan {
			extra = ":" + editsEmoji + ":"
		}
		line = "Who can answer: " + s.names(least) + " (" + extra + " needs " + s.names(port.RoleAdmin) + ")."
	}
	if q.ExpiresAt > 0 {
		line += " Auto-denies " + s.time(q.ExpiresAt) + "."
	}
	return line
}

func (s setting) names(least port.ChatRole) string {
	names, more := s.holders(s.private, least)
	if len(names) == 0 {
		return "no one here; answer in Parley's window"
	}
	for i, name := range names {
		names[i] = s.prose(name, 60)
	}
	line := strings.Join(names, ", ")
	if more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

func (s setting) time(ms int64) string {
	zone := s.zone
	if zone == nil {
		zone = time.Local
	}
	return time.UnixMilli(ms).In(zone).Format("2 Jan 15:04 MST")
}
