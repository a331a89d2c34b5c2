package ask

import (
	"fmt"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

// deed is the effect of an action.
type deed int

const (
	allow deed = iota
	always
	deny
	pick
	finish
	edits
	bare
	trusted
)

// action is one way to answer with a reaction or a button.
type action struct {
	deed deed
	// option is the index of the chosen option, from 0.
	option int
	// emoji is the reaction's name, id the button's, label its text.
	emoji, id, label, style string
	need                    port.ChatRole
}

// numbers are the emojis of the first nine options.
func numbers() []string {
	return []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
}

const (
	yesEmoji   = "+1"
	noEmoji    = "-1"
	doneEmoji  = "white_check_mark"
	editsEmoji = "pencil2"
)

// actionsOf returns the ways to answer a request, or one of its questions, in display
// order. offer is true if a rule is offered.
func actionsOf(q port.Request, step int, offer bool) []action {
	yes := action{deed: allow, emoji: yesEmoji, id: "allow", label: "Allow once", style: "primary", need: port.RoleApprove}
	no := action{deed: deny, emoji: noEmoji, id: "deny", label: "Deny", style: "danger", need: port.RoleApprove}
	switch q.Kind {
	case permission.KindTrust:
		no.label, no.need = "Don't start", port.RoleAdmin
		return []action{
			{deed: bare, emoji: "one", id: "bare", label: "Start without them", style: "primary", need: port.RoleAdmin},
			{deed: trusted, emoji: "two", id: "trusted", label: "Trust and start", style: "default", need: port.RoleAdmin},
			no,
		}
	case permission.KindPlan:
		yes.label, no.label = "Approve and start", "Reject plan"
		return []action{yes, {deed: edits, emoji: editsEmoji, id: "edits", label: "Approve and accept edits", style: "default", need: port.RoleAdmin}, no}
	case permission.KindQuestion:
		no.label = "Don't answer"
		return append(picks(questionsOf(q.Input), step), no)
	}
	if q.Cautious() {
		yes.style = "default"
	}
	if !offer {
		return []action{yes, no}
	}
	return []action{yes, {deed: always, emoji: doneEmoji, id: "always", label: "Allow in this session", style: "default", need: port.RoleAdmin}, no}
}

// picks returns the options of one question; with several choices there is also
// a confirmation.
func picks(all []question, step int) []action {
	if step >= len(all) {
		return nil
	}
	asked := all[step]
	var out []action
	for i, o := range asked.Options[:min(len(asked.Options), len(numbers()))] {
		out = append(out, action{deed: pick, option: i, emoji: numbers()[i], id: fmt.Sprintf("n%d", i+1),
			label: buttonLabel(fmt.Sprintf("%d: %s", i+1, o.Label)), style: "default", need: port.RoleApprove})
	}
	if asked.MultiSelect {
		out = append(out, action{deed: finish, emoji: doneEmoji, id: "done", label: "Done", style: "primary", need: port.RoleApprove})
	}
	return out
}

func buttonLabel(s string) string {
	s = strings.Join(strings.Fields(exactly(first(s, 40))), " ")
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

func buttonsOf(all []action) []chat.Button {
	out := make([]chat.Button, 0, len(all))
	for _, a := range all {
		out = append(out, chat.Button{ID: a.id, Label: a.label, Style: a.style})
	}
	return out
}

// plainEmoji returns an emoji's canonical name without skin tone.
func plainEmoji(name string) string {
	if at := strings.LastIndex(name, "_skin_tone"); at > 0 && at+len("_skin_tone") == len(name) {
		name = name[:at]
		for _, tone := range []string{"_medium_light", "_medium_dark", "_light", "_medium", "_dark"} {
			if cut, ok := strings.CutSuffix(name, tone); ok {
				name = cut
				break
			}
		}
	}
	switch name {
	case "thumbsup":
		return yesEmoji
	case "thumbsdown":
		return noEmoji
	}
	return name
}

func byEmoji(all []action, emoji string) (action, bool) {
	emoji = plainEmoji(emoji)
	for _, a := range all {
		if a.emoji == emoji {
			return a, true
		}
	}
	return action{}, false
}

func byButton(all []action, id string) (action, bool) {
	for _, a := range all {
		if a.id == id {
			return a, true
		}
	}
	return action{}, false
}
