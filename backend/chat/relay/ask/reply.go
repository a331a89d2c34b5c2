package ask

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

// reply is the meaning of a reply to a question.
type reply struct {
	// does is "deny", "edit", "answer", or "" if unclear.
	does string
	// message is for deny, input for edit.
	message string
	input   json.RawMessage
	// answer is a label, several, or free text.
	answer any
	// problem is a sentence with the reason it is unclear, and what to do.
	problem string
}

// maxMessage bounds a text for the model, in characters.
const maxMessage = 10_000

// codeInReply matches a reply's reference to its question.
var codeInReply = regexp.MustCompile("^`?#([0-9a-z]{4})`?[ \t\n,:.]*")

// cutCode removes the question's name from the start of a reply, without its "#".
func cutCode(text string) (name, rest string) {
	if m := codeInReply.FindStringSubmatch(text); m != nil {
		return m[1], text[len(m[0]):]
	}
	return "", text
}

// cutQuote removes the quote at the start of a reply, in the form of [plain].
func cutQuote(text string) (quote, rest string) {
	lines := strings.Split(text, "\n")
	n := 0
	for n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), ">") {
		quote += " " + strings.TrimLeft(strings.TrimSpace(lines[n]), "> ")
		n++
	}
	return plain(quote), strings.TrimSpace(strings.Join(lines[n:], "\n"))
}

// plain returns the words of a markdown text, for comparison.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_`>#\\~", r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// noes match the start of a denying reply.
var noes = regexp.MustCompile(`(?i)^[^\pL\d:+\-👎]*(?:👎|:-1:|:thumbsdown:|-1\b|(?:no|nope|nah|don['’]?t|do not|deny|denied|reject|rejected|refuse|refused|stop|cancel|never|not|nein|nee|non|nicht)(?:[^\pL\d]|$))`)

// isNo reports whether a text starts with a word for no.
func isNo(text string) bool {
	lower := strings.ToLower(text)
	for _, other := range []string{"no problem", "no worries", "not sure", "no idea"} {
		if strings.HasPrefix(lower, other) {
			return false
		}
	}
	return noes.MatchString(text)
}

// readReply interprets a non-empty text as an answer to a question.
func readReply(q port.Request, step int, text string) reply {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > maxMessage {
		return reply{problem: "This is too long for an answer. Nothing happened."}
	}
	if q.Kind == permission.KindQuestion {
		return readAnswer(questionsOf(q.Input), step, text)
	}
	if isYes(text) {
		return reply{problem: "To allow it, react to the request with :+1:. A reply would deny it, so nothing happened."}
	}
	if q.Kind != permission.KindPlan {
		if edited, ok := editOf(text); ok {
			return readEdit(q, edited)
		}
	}
	return reply{does: "deny", message: text}
}

// isYes reports whether a user meant to allow: such a word isn't taken as a reason to
// deny.
func isYes(text string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(text, " \t\n.!:`*_")))
	yes := []string{"yes", "yep", "yeah", "y", "ok", "okay", "k", "sure", "go", "allow", "allowed", "approve", "approved", "accept", "lgtm", "do it", "go ahead",
		"go on", "yes please", "please do", "ja", "jep", "gut", "passt", "fine", "+1", "thumbsup", "👍", "✅", "white_check_mark", "always"}
	return slices.Contains(yes, strings.Join(words, " "))
}

// editOf finds the replacement: everything after "edit:", or a code block that is the
// whole text.
func editOf(text string) (string, bool) {
	if len(text) >= 5 && strings.EqualFold(text[:5], "edit:") {
		rest := strings.TrimSpace(text[5:])
		if inside, ok := block(rest); ok {
			return inside, true
		}
		// `one line` is a command, too.
		if n := len(rest); n > 2 && rest[0] == '`' && rest[n-1] == '`' && strings.Count(rest, "`") == 2 {
			rest = rest[1 : n-1]
		}
		return rest, true
	}
	return block(text)
}

// block returns the content of a code block that is the whole text.
func block(text string) (string, bool) {
	marks := len(text) - len(strings.TrimLeft(text, "`"))
	if marks < 3 {
		return "", false
	}
	fence := text[:marks]
	first, rest, ok := strings.Cut(text[marks:], "\n")
	if !ok || strings.Contains(first, "`") {
		return "", false
	}
	lines := strings.Split(rest, "\n")
	last := len(lines) - 1
	for i, line := range lines {
		// A line of as many fence characters or more ends a block; one before the last means more
		// than one block.
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "" {
			return strings.TrimSuffix(strings.Join(lines[:i], "\n"), "\r"), i == last
		}
	}
	return "", false
}

// isCommand reports whether the input is edited as a command; any other input is edited as
// JSON.
func isCommand(q port.Request) bool {
	return q.ToolName == "Bash" && textField(q.Question, "command") != ""
}

// readEdit returns the input that a tool will run with.
func readEdit(q port.Request, edited string) reply {
	if strings.TrimSpace(edited) == "" {
		return reply{problem: "There is nothing left to run. Nothing happened."}
	}
	var input json.RawMessage
	if isCommand(q) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(q.Input, &fields) != nil {
			return reply{problem: "This input cannot be edited here. Nothing happened."}
		}
		fields["command"] = encode(edited)
		input = encode(fields)
	} else {
		input = json.RawMessage(edited)
		var object map[string]json.RawMessage
		if json.Unmarshal(input, &object) != nil || object == nil {
			return reply{problem: "The input must be a JSON object like the one shown. Nothing happened."}
		}
	}
	if problem := permission.CheckInput(q.ToolName, q.Input, input); problem != "" {
		return reply{problem: "This does not fit the tool: " + prose(problem, 500) + ". Nothing happened."}
	}
	return reply{does: "edit", input: input}
}

// encode writes JSON without HTML escaping; its inputs always encode.
func encode(v any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// readAnswer parses numbers, labels, or else free text.
func readAnswer(all []question, step int, text string) reply {
	if step >= len(all) {
		return reply{problem: "This question can only be answered in Parley's window."}
	}
	asked := all[step]
	if at, ok := places(asked, text); ok {
		if len(at) > 1 && !asked.MultiSelect {
			return reply{problem: "This question takes one answer. Reply with one number."}
		}
		var labels []string
		for i, o := range asked.Options { // in display order
			if slices.Contains(at, i) {
				labels = append(labels, o.Label)
			}
		}
		return reply{does: "answer", answer: answerOf(asked, labels)}
	}
	for _, o := range asked.Options {
		if strings.EqualFold(strings.TrimSpace(o.Label), text) {
			return reply{does: "answer", answer: answerOf(asked, []string{o.Label})}
		}
	}
	return reply{does: "answer", answer: answerOf(asked, []string{text})}
}

// answerOf returns an answer in the desk's form: a list if several may be chosen.
func answerOf(asked question, labels []string) any {
	if asked.MultiSelect {
		return labels
	}
	return labels[0]
}

// places returns the options that a text names by number: "3", "1, 2 and 4". An invalid
// number makes it text.
func places(asked question, text string) ([]int, bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,;+&\n\t", r) })
	var at []int
	for _, w := range words {
		if w == "and" || w == "und" {
			continue
		}
		n, err := strconv.Atoi(strings.Trim(w, "#.:)("))
		if err != nil || n < 1 || n > len(asked.Options) {
			return nil, false
		}
		if !slices.Contains(at, n-1) {
			at = append(at, n-1)
		}
	}
	return at, len(at) > 0
}
