package permission

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
)

// Kinds of questions.
const (
	KindTool     = "tool"
	KindQuestion = "question"
	KindPlan     = "plan"
	// KindTrust asks whether the CLI may load a folder's settings.
	KindTrust = "trust"
)

// Choices for an answer to [KindTrust].
const (
	ChoiceTrusted = "trusted"
	ChoiceBare    = "bare"
)

// KindOf returns the kind of question the CLI asks about a tool.
func KindOf(toolName string) string {
	switch toolName {
	case "AskUserQuestion":
		return KindQuestion
	case "ExitPlanMode":
		return KindPlan
	default:
		return KindTool
	}
}

// Answer is a user's answer to a question.
type Answer struct {
	// Behavior is "allow" or "deny".
	Behavior string
	// UpdatedInput replaces the tool's input; only with allow. It is a JSON object.
	UpdatedInput json.RawMessage
	// Message tells the model the reason; only with deny. For a plan it is the
	// feedback.
	Message string
	// Answers maps the text of a question to the chosen label, to a list of labels
	// if several may be chosen, or to free text; only with allow, and only for the
	// kind "question". Without it the model reads that nobody answered.
	Answers map[string]any
	// Remember allows the same tool with the same input (as allowed, including
	// edits) for the rest of the session without asking; only with allow, and
	// only if the question permits it.
	Remember bool
	// Suggestions are the indexes of the question's suggestions that the user
	// accepts; only with allow.
	Suggestions []int
	// Choice is for the kind "trust", with allow: one of the Choice constants; ""
	// means "trusted".
	Choice string
	// Made are the rules created with the answer if it wins, in readable form; only
	// with allow.
	Made []string
	// Connection distinguishes the clients of one surface, for the record.
	Connection string
}

// Decision is the outcome of a question for the asker.
type Decision struct {
	// Outcome is one of the Outcome constants. Everything except allow is a
	// denial.
	Outcome string
	// UpdatedInput is set with allow: the input the tool must run with, which
	// is the original one unless it was edited.
	UpdatedInput json.RawMessage
	// Permissions are the accepted suggestions, as in the question.
	Permissions []json.RawMessage
	// Message is what the model is told; non-empty unless allowed.
	Message string
	// Said is true if Message is in the user's own words.
	Said bool
	// By is the surface that answered, "" if none. Connection is as in the
	// answer.
	By, Connection string
	// Remembered is set if the same call is allowed without asking from now on.
	Remembered bool
	// Why is the reason if no user decided; Rules are the rules that decided, in
	// readable form.
	Why   string
	Rules []string
	// Made are the rules created with the answer.
	Made []string
	// Choice is as in the answer.
	Choice string
}

// Allowed reports whether the tool may run.
func (d Decision) Allowed() bool { return d.Outcome == OutcomeAllow }

// Reply returns the decision in the CLI's format, the same on both channels:
// {"behavior":"allow","updatedInput":{…}} or {"behavior":"deny","message":"…"}. It
// omits Permissions, which only one channel supports.
func (d Decision) Reply() (json.RawMessage, error) {
	if d.Allowed() {
		return encode(struct {
			Behavior     string          `json:"behavior"`
			UpdatedInput json.RawMessage `json:"updatedInput"`
		}{OutcomeAllow, d.UpdatedInput})
	}
	return encode(struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message"`
	}{OutcomeDeny, d.Message})
}

func withdrawn(why string) Decision {
	return Decision{Outcome: OutcomeWithdrawn, Message: "The request was withdrawn: " + why + "."}
}

func expired(after time.Duration) Decision {
	return Decision{
		Outcome: OutcomeExpired, By: ByTimeout,
		Message: fmt.Sprintf("No one answered within %s, so the request expired. Nothing was run.", after.Round(time.Second)),
	}
}

// decide checks an answer against its question and turns it into a decision. Its
// errors are faults that name the problem.
func decide(q Request, a Answer) (Decision, error) {
	if bytes.Equal(bytes.TrimSpace(a.UpdatedInput), []byte("null")) {
		a.UpdatedInput = nil // many clients send it for "not given"
	}
	switch a.Behavior {
	case OutcomeDeny:
		return decideDeny(q, a)
	case OutcomeAllow:
		return decideAllow(q, a)
	default:
		return Decision{}, fault.New(fault.Invalid, "behavior is %q; it must be \"allow\" or \"deny\".", a.Behavior)
	}
}

func decideDeny(q Request, a Answer) (Decision, error) {
	switch {
	case len(a.UpdatedInput) > 0:
		return Decision{}, fault.New(fault.Invalid, "updatedInput can only be sent with \"allow\".")
	case len(a.Answers) > 0:
		return Decision{}, fault.New(fault.Invalid, "answers can only be sent with \"allow\".")
	case a.Remember:
		return Decision{}, fault.New(fault.Invalid, "remember can only be sent with \"allow\".")
	case len(a.Suggestions) > 0:
		return Decision{}, fault.New(fault.Invalid, "suggestions can only be sent with \"allow\".")
	case len(a.Made) > 0:
		return Decision{}, fault.New(fault.Invalid, "rule can only be sent with \"allow\".")
	case a.Choice != "":
		return Decision{}, fault.New(fault.Invalid, "choice can only be sent with \"allow\".")
	}
	message := strings.TrimSpace(a.Message)
	if message == "" {
		message = DefaultDenial(q.Kind)
	}
	return Decision{Outcome: OutcomeDeny, Message: message, Said: message != DefaultDenial(q.Kind) && !slices.Contains(forms(), message)}, nil
}

// forms are the messages that surfaces send when a user only presses a button.
func forms() []string {
	return []string{
		"The user chose not to answer",
		"The user discarded this plan. Stop here and wait for what they say next.",
	}
}

// DefaultDenial is what the model is told when a question of that kind is denied without a
// reason.
func DefaultDenial(kind string) string {
	switch kind {
	case KindQuestion:
		return "The user does not want to answer this question."
	case KindPlan:
		return "The user does not approve this plan. Ask what should change."
	case KindTrust:
		return "The CLI was not started in this folder."
	default:
		return "The user does not allow this. Do not try it another way; ask what to do instead."
	}
}

func decideAllow(q Request, a Answer) (Decision, error) {
	if strings.TrimSpace(a.Message) != "" {
		return Decision{}, fault.New(fault.Invalid, "message can only be sent with \"deny\".")
	}
	if a.Remember && q.NoRemember {
		return Decision{}, fault.New(fault.Invalid, "The answer to this request cannot be remembered.")
	}
	switch {
	case q.Kind == KindTrust:
		return decideTrust(q, a)
	case a.Choice != "":
		return Decision{}, fault.New(fault.Invalid, "choice can only be sent for a trust request.")
	case len(a.Made) > 0 && (q.Kind != KindTool || q.NoRemember):
		return Decision{}, fault.New(fault.Invalid, "No rule can be created from this request.")
	}
	permissions, err := accepted(q, a.Suggestions)
	if err != nil {
		return Decision{}, err
	}
	input := q.Input
	if len(a.UpdatedInput) > 0 {
		if !isObject(a.UpdatedInput) {
			return Decision{}, fault.New(fault.Invalid, "updatedInput must be a JSON object.")
		}
		if q.Kind == KindTool {
			if problem := CheckInput(q.ToolName, q.Input, a.UpdatedInput); problem != "" {
				return Decision{}, fault.New(fault.Invalid, "updatedInput is not valid for the tool %s: %s.", q.ToolName, problem)
			}
		}
		input = a.UpdatedInput
	}
	if q.Kind != KindQuestion {
		if len(a.Answers) > 0 {
			return Decision{}, fault.New(fault.Invalid, "answers can only be sent for a question from Claude; this request is for the tool %s.", q.ToolName)
		}
		return Decision{Outcome: OutcomeAllow, UpdatedInput: input, Permissions: permissions, Made: a.Made}, nil
	}
	input, err = withAnswers(q, input, a.Answers)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Outcome: OutcomeAllow, UpdatedInput: input, Permissions: permissions}, nil
}

func decideTrust(q Request, a Answer) (Decision, error) {
	switch {
	case len(a.UpdatedInput) > 0:
		return Decision{}, fault.New(fault.Invalid, "updatedInput cannot be sent for a trust request.")
	case len(a.Answers) > 0 || len(a.Suggestions) > 0 || len(a.Made) > 0:
		return Decision{}, fault.New(fault.Invalid, "A trust request can only be answered with choice.")
	case a.Choice != "" && a.Choice != ChoiceTrusted && a.Choice != ChoiceBare:
		return Decision{}, fault.New(fault.Invalid, "choice is %q; it must be %q or %q.", a.Choice, ChoiceTrusted, ChoiceBare)
	}
	return Decision{Outcome: OutcomeAllow, UpdatedInput: q.Input, Choice: cmp.Or(a.Choice, ChoiceTrusted)}, nil
}

// accepted returns the suggestions at the given positions.
func accepted(q Request, positions []int) ([]json.RawMessage, error) {
	var list []json.RawMessage
	for i, at := range positions {
		if at < 0 || at >= len(q.Suggestions) {
			return nil, fault.New(fault.Invalid, "suggestions contains position %d; this request has %d suggestions.", at, len(q.Suggestions))
		}
		if slices.Contains(positions[:i], at) {
			return nil, fault.New(fault.Invalid, "suggestions contains position %d twice.", at)
		}
		list = append(list, q.Suggestions[at])
	}
	return list, nil
}

// asked is the part of an AskUserQuestion input that answers are checked
// against.
type asked struct {
	Question    string `json:"question"`
	MultiSelect bool   `json:"multiSelect"`
}

// withAnswers returns input with the answers in it. Answers may already be in the
// input if a surface edits the input as a whole; both are checked alike, and
// separate answers win.
func withAnswers(q Request, input json.RawMessage, answers map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "updatedInput must be a JSON object.")
	}
	if len(answers) == 0 {
		raw, ok := fields["answers"]
		if !ok {
			return input, nil
		}
		if err := json.Unmarshal(raw, &answers); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "answers in updatedInput must map questions to answers.")
		}
	}
	if len(answers) == 0 {
		return input, nil
	}

	var known struct {
		Questions []asked `json:"questions"`
	}
	if err := json.Unmarshal(q.Input, &known); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The questions in this request cannot be read.")
	}
	texts := make(map[string]string, len(answers))
	for question, value := range answers {
		i := slices.IndexFunc(known.Questions, func(a asked) bool { return a.Question == question })
		if i < 0 {
			return nil, fault.New(fault.Invalid, "answers contains %q, which is not one of the questions.", question)
		}
		text, err := answerText(question, value, known.Questions[i].MultiSelect)
		if err != nil {
			return nil, err
		}
		texts[question] = text
	}
	raw, err := encode(texts)
	if err != nil {
		return nil, fmt.Errorf("encode answers: %w", err)
	}
	fields["answers"] = raw
	out, err := encode(fields)
	if err != nil {
		return nil, fmt.Errorf("encode answered input: %w", err)
	}
	return out, nil
}

// answerText converts one answer to the text the CLI expects.
func answerText(question string, value any, multi bool) (string, error) {
	var labels []string
	switch v := value.(type) {
	case string:
		labels = []string{v}
	case []string:
		labels = v
	case []any:
		for _, item := range v {
			label, ok := item.(string)
			if !ok {
				return "", fault.New(fault.Invalid, "The answer to %q must be a text or a list of texts.", question)
			}
			labels = append(labels, label)
		}
	default:
		return "", fault.New(fault.Invalid, "The answer to %q must be a text or a list of texts.", question)
	}
	if len(labels) > 1 && !multi {
		return "", fault.New(fault.Invalid, "The question %q takes one answer, not %d.", question, len(labels))
	}
	text := strings.Join(labels, ", ")
	if strings.TrimSpace(text) == "" {
		return "", fault.New(fault.Invalid, "The answer to %q is empty.", question)
	}
	return text, nil
}

// encode writes JSON without escaping <, > and & for HTML: inputs are often
// code.
func encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
