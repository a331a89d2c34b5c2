package ask

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/permission"
)

// Ways a question ended, in addition to the outcomes of package permission.
const (
	// ended: only the fact is known. hidden: its thread no longer shows the session.
	ended  = "ended"
	hidden = "hidden"
)

// ending is how a question ended.
type ending struct {
	// what is an outcome of package permission, or one of the constants.
	what string
	// did describes it more precisely than what, or is "": "Trusted".
	did string
	// person is who answered in the chat, where is who answered elsewhere, as
	// a suffix.
	person, where string
	personID      string
	at            int64
	// message is what the model was told, made the created rules, changed what
	// runs instead.
	message string
	made    []string
	changed string
	lang    string
	// notes are sentences.
	notes []string
}

// whereOf returns where or by what it was decided. by is the name of a surface, of one of
// the deciders of package permission, or of a user in a chat ("@ann in Mattermost").
func whereOf(by string) string {
	switch by {
	case "", permission.ByTimeout:
		return ""
	case permission.ByRule:
		return "by a rule"
	case permission.ByGuard:
		return "by the guard"
	case permission.ByReviewer:
		return "by the reviewer"
	case "gateway":
		return "over the gateway"
	}
	if name, ok := event.DeviceOf(by); ok {
		return "by " + prose(name, 60)
	}
	if name, ok := strings.CutPrefix(by, "@"); ok {
		name, _, _ = strings.Cut(name, " ")
		return "by " + prose(name, 60)
	}
	return "in the " + prose(by, 60)
}

// resolved returns the ending from an event.
func resolved(q port.Request, r event.PermissionResolved) ending {
	e := ending{what: r.Outcome, at: r.AnsweredAt, made: r.Made}
	e.where = whereOf(r.By)
	if r.Outcome == permission.OutcomeDeny {
		e.message = reason(q, r.Message)
	}
	if r.Why != "" && q.Kind == permission.KindTool {
		e.notes = append(e.notes, prose(r.Why, 300))
	}
	return e
}

// reason drops the model's default text for a denial without a reason.
func reason(q port.Request, message string) string {
	if message == permission.DefaultDenial(q.Kind) || q.Kind == permission.KindPlan && message == discarded {
		return ""
	}
	return message
}

// lostTo returns the ending that preceded a user's answer.
func lostTo(q port.Request, o port.Outcome) ending {
	what := map[string]string{"allowed": permission.OutcomeAllow, "denied": permission.OutcomeDeny, "expired": permission.OutcomeExpired, "withdrawn": permission.OutcomeWithdrawn}[o.What]
	if what == "" {
		what = ended
	}
	e := ending{what: what, at: o.At}
	if what == permission.OutcomeDeny {
		e.message = reason(q, o.Message)
	}
	e.where = whereOf(o.By)
	return e
}

// add merges what another report knows, and reports whether anything changed.
func (e *ending) add(other ending) bool {
	switch {
	case e.what == ended && other.what != ended:
		*e = other
		return true
	case len(e.made) == 0 && len(other.made) > 0:
		e.made = other.made
		return true
	}
	return false
}

// line describes the ending in one line.
func (e ending) line(q port.Request, zone *time.Location) string {
	var b strings.Builder
	b.WriteString("**" + e.word(q) + "**")
	switch {
	case e.person != "":
		b.WriteString(" by " + e.person)
	case e.where != "":
		b.WriteString(" " + e.where)
	}
	if e.at > 0 {
		b.WriteString(" · " + time.UnixMilli(e.at).In(zone).Format("2 Jan 15:04 MST"))
	}
	return b.String()
}

// word returns the outcome in terms of the question's kind.
func (e ending) word(q port.Request) string {
	if e.did != "" {
		return e.did
	}
	words := [2]string{"Allowed", "Denied"}
	switch q.Kind {
	case permission.KindPlan:
		words = [2]string{"Approved", "Not approved"}
	case permission.KindQuestion:
		words = [2]string{"Answered", "Not answered"}
	case permission.KindTrust:
		words = [2]string{"Started", "Not started"}
	}
	switch e.what {
	case permission.OutcomeAllow:
		return words[0]
	case permission.OutcomeDeny:
		return words[1]
	case permission.OutcomeExpired:
		return "Time is up"
	case permission.OutcomeWithdrawn:
		return "Withdrawn"
	case hidden:
		return "No longer shown here"
	}
	return "Closed"
}

// text returns the text at the end of its post.
func (e ending) text(q port.Request, zone *time.Location) string {
	icon := map[string]string{
		permission.OutcomeAllow: ":white_check_mark:", permission.OutcomeDeny: ":no_entry_sign:", permission.OutcomeExpired: ":hourglass:",
	}[e.what]
	if icon == "" {
		icon = ":information_source:"
	}
	out := []string{icon + " " + e.line(q, zone)}
	switch e.what {
	case permission.OutcomeExpired:
		out = append(out, "No one answered in time. Nothing ran.")
	case permission.OutcomeWithdrawn:
		out = append(out, "The session withdrew the request.")
	case hidden:
		out = append(out, "The session is no longer mirrored to this thread. Answer the request in Parley's window.")
	case ended:
		out = append(out, "This request is no longer open.")
	}
	if e.message != "" {
		out = append(out, post.Quote(prose(e.message, 1000)))
	}
	if e.changed != "" {
		shown := exactly(e.changed)
		if len([]rune(shown)) > maxInline {
			shown = post.Truncate(shown, maxInline)
			out = append(out, fmt.Sprintf("The answer changed the input to this (start of %d characters):", len([]rune(e.changed))))
		} else {
			out = append(out, "The answer changed the input to this:")
		}
		out = append(out, post.Fence(shown, e.lang))
	}
	if len(e.made) > 0 {
		out = append(out, "Rule added for the rest of this session:")
		for _, rule := range e.made {
			out = append(out, post.Code(exactly(rule)))
		}
	}
	return strings.Join(slices.Concat(out, e.notes), "\n")
}
