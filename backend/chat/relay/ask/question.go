package ask

import (
	"encoding/json"
	"strings"

	"parley/backend/event"
)

// question is one question of AskUserQuestion.
type question struct {
	Question    string   `json:"question"`
	Header      string   `json:"header"`
	MultiSelect bool     `json:"multiSelect"`
	Options     []option `json:"options"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Preview     string `json:"preview"`
}

const (
	// maxQuestions and maxOptions bound what is shown; the CLI sends at most four of each.
	maxQuestions = 20
	maxOptions   = 50
)

// questionsOf parses the input of AskUserQuestion. Entries without text are omitted, as in
// the window.
func questionsOf(input json.RawMessage) []question {
	var in struct {
		Questions []json.RawMessage `json:"questions"`
	}
	if json.Unmarshal(input, &in) != nil {
		return nil
	}
	var out []question
	for _, raw := range in.Questions {
		var q question
		if json.Unmarshal(raw, &q) != nil || q.Question == "" || len(out) == maxQuestions {
			continue
		}
		var options []option
		for _, o := range q.Options {
			if o.Label != "" && len(options) < maxOptions {
				options = append(options, o)
			}
		}
		q.Options = options
		out = append(out, q)
	}
	return out
}

// textField returns a field of an input, "" if missing.
func textField(q event.Question, name string) string {
	var fields map[string]json.RawMessage
	var s string
	if json.Unmarshal(q.Input, &fields) != nil || json.Unmarshal(fields[name], &s) != nil {
		return ""
	}
	return s
}

// cutName extracts a question's id from a post's name.
func cutName(name string) (requestID string, ok bool) {
	rest, ok := strings.CutPrefix(name, NamePrefix)
	if at := strings.LastIndexByte(rest, '#'); at > 0 {
		rest = rest[:at]
	}
	return rest, ok && rest != ""
}
