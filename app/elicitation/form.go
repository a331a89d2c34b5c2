package elicitation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/app/feature"
	"parley/app/tool"
	"parley/backend/claude/wire"
)

// maxFields bounds the questions of one form.
const maxFields = 20

// confirmField is the name of the only field if none is requested.
const confirmField = "consent"

// leaveOut is the choice to skip an optional field.
const leaveOut = "Leave it out"

// Form is an MCP server's request as questions like Claude's: one per field, with choices or free
// text.
type Form struct {
	server, message string
	// fields are never empty.
	fields []field
	// confirm is true if only consent is requested.
	confirm bool
}

// field is one requested property.
type field struct {
	name, text string
	required   bool
	// choices are the labels to choose from; values maps them to their values.
	choices []string
	values  map[string]any
	several bool
	// read converts free text to a value, nil if there are only choices. Its error describes the
	// expected text.
	read func(text string) (any, error)
}

// property is the schema of a field. MCP has no nested ones.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	EnumNames   []string `json:"enumNames"`
	OneOf       []choice `json:"oneOf"`
	AnyOf       []choice `json:"anyOf"`
	// Items are the choices of a list.
	Items *property `json:"items"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// New parses a request. Its error says why it can't be mapped to questions.
func New(e wire.Elicitation) (Form, error) {
	f := Form{server: e.ServerName, message: feature.Plain(e.Message)}
	if e.Mode != "" && e.Mode != "form" {
		return f, fmt.Errorf("mode %.20q is not a form", e.Mode)
	}
	var schema struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if len(e.Schema) > 0 {
		if err := json.Unmarshal(e.Schema, &schema); err != nil {
			return f, fmt.Errorf("read the schema: %w", err)
		}
	}
	if len(schema.Properties) > maxFields {
		return f, fmt.Errorf("%d fields are too many", len(schema.Properties))
	}
	for _, name := range fieldOrder(schema.Properties, e.PropertyOrder) {
		p := schema.Properties[name]
		made, err := newField(name, p, slices.Contains(schema.Required, name))
		if err != nil {
			return f, fmt.Errorf("field %.50q: %w", name, err)
		}
		if slices.ContainsFunc(f.fields, func(other field) bool { return other.text == made.text }) {
			made.text += " (" + name + ")"
		}
		f.fields = append(f.fields, made)
	}
	if len(f.fields) == 0 {
		consent := field{name: confirmField, required: true, values: make(map[string]any)}
		consent.choose("Yes", true)
		consent.choose("No", false)
		f.fields, f.confirm = []field{consent}, true
		if f.message == "" {
			return f, errors.New("nothing is asked")
		}
	}
	return f, nil
}

// fieldOrder lists all properties, starting with those the server has ordered.
func fieldOrder(properties map[string]property, order []string) []string {
	names := make([]string, 0, len(properties))
	for _, name := range order {
		if _, ok := properties[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	rest := make([]string, 0, len(properties))
	for name := range properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

func newField(name string, p property, required bool) (field, error) {
	f := field{name: name, text: feature.Plain(p.Title), required: required, values: make(map[string]any)}
	if f.text == "" {
		f.text = name
	}
	if d := feature.Plain(p.Description); d != "" {
		f.text += ": " + d
	}
	choices := p
	switch p.Type {
	case "boolean":
		f.choose("Yes", true)
		f.choose("No", false)
	case "string":
		f.read = func(text string) (any, error) { return text, nil }
	case "number":
		f.read = readNumber
	case "integer":
		f.read = readInteger
	case "array":
		if f.several = true; p.Items != nil {
			choices = *p.Items
		}
	default:
		return f, fmt.Errorf("type %.20q is not known", p.Type)
	}
	if p.Type == "string" || p.Type == "array" {
		choices.offer(&f)
	}
	if f.several && len(f.choices) == 0 {
		return f, errors.New("a list without choices")
	}
	if len(f.values) != len(f.choices) {
		return f, errors.New("choices that look the same")
	}
	if f.several && slices.ContainsFunc(f.choices, func(c string) bool { return strings.Contains(c, separator) }) {
		return f, errors.New("choices that cannot be told apart in a list")
	}
	return f, nil
}

// separator separates the choices of one answer.
const separator = ", "

// offer adds the choices of a schema. A field with choices takes no free text.
func (p property) offer(f *field) {
	for i, value := range p.Enum {
		label := value
		if i < len(p.EnumNames) {
			label = p.EnumNames[i]
		}
		f.choose(label, value)
	}
	for _, c := range append(p.OneOf, p.AnyOf...) {
		f.choose(c.Title, c.Const)
	}
}

func (f *field) choose(label string, value any) {
	if label = feature.Plain(label); label == "" {
		label = fmt.Sprint(value)
	}
	f.choices, f.read = append(f.choices, label), nil
	f.values[label] = value
}

func readNumber(text string) (any, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) { // JSON has no such numbers
		return nil, errors.New("must be a number")
	}
	return n, nil
}

func readInteger(text string) (any, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return nil, errors.New("must be a whole number")
	}
	return n, nil
}

// Input is the form as the input of a question, with the text of each field's question. problem
// describes the error in the previous answer, "" at first.
func (f Form) Input(problem string) (input json.RawMessage, texts []string, err error) {
	questions := make([]tool.Dialog, 0, len(f.fields))
	for i, field := range f.fields {
		q := tool.Dialog{Question: field.text, Header: f.server, MultiSelect: field.several, Options: []tool.Option{}}
		if i == 0 {
			q.Question = joinWords(" — ", problem, f.message, field.text)
		}
		for _, label := range field.choices {
			q.Options = append(q.Options, tool.Option{Label: label})
		}
		if !field.required {
			q.Options = append(q.Options, tool.Option{Label: leaveOut})
		}
		questions, texts = append(questions, q), append(texts, q.Question)
	}
	input, err = json.Marshal(map[string][]tool.Dialog{"questions": questions})
	return input, texts, err
}

// joinWords joins the non-empty words.
func joinWords(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}

// Answer parses an answered input. problem describes its error for the user.
func (f Form) Answer(input json.RawMessage, texts []string) (answer wire.ElicitationAnswer, problem string) {
	var given struct {
		Answers map[string]string `json:"answers"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return answer, "The answer could not be read."
	}
	content := make(map[string]any)
	for i, field := range f.fields {
		value, err := field.value(given.Answers[texts[i]])
		if err != nil {
			return answer, fmt.Sprintf("%s: %v.", field.name, err)
		}
		if value != nil {
			content[field.name] = value
		}
	}
	if f.confirm {
		if content[confirmField] != true {
			return wire.ElicitationAnswer{Action: "decline"}, ""
		}
		content = map[string]any{}
	}
	return wire.ElicitationAnswer{Action: "accept", Content: content}, ""
}

// value is the value of an answer, nil for a skipped field.
func (f field) value(text string) (any, error) {
	value, chosen := f.values[text]
	switch {
	case chosen && f.several:
		return []any{value}, nil
	case chosen:
		return value, nil
	case text == "" && f.required:
		return nil, errors.New("an answer is needed")
	case text == "" || text == leaveOut && !f.required:
		return nil, nil
	case f.read != nil:
		return f.read(text)
	case !f.several:
		return nil, errors.New("must be one of the choices")
	}
	var list []any
	for label := range strings.SplitSeq(text, separator) {
		value, chosen := f.values[label]
		if !chosen {
			return nil, errors.New("must be some of the choices")
		}
		list = append(list, value)
	}
	return list, nil
}
