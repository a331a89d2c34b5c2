package elicitation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
)

const everyField = `{"type":"object","properties":{
	"name":{"type":"string","title":"Name","description":"yours"},
	"colour":{"type":"string","enum":["r","b"],"enumNames":["Red","Blue"]},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l"}]},
	"sides":{"type":"array","items":{"type":"string","anyOf":[{"const":"f","title":"Front"},{"const":"t","title":"Top"}]}},
	"age":{"type":"integer"},"weight":{"type":"number"},"sure":{"type":"boolean","title":"Sure?"}},
	"required":["name","sides","sure"]}`

func elicitation(schema string) wire.Elicitation {
	return wire.Elicitation{ServerName: "census", Message: "Who are \x1b[1myou\x1b[0m?", Schema: json.RawMessage(schema), PropertyOrder: []string{"name", "colour", "nobody", "name", "size"}}
}

// A server's fields are asked one by one, in its order.
func TestFormQuestions(t *testing.T) {
	f, err := New(elicitation(everyField))
	if err != nil {
		t.Fatal(err)
	}
	input, texts, err := f.Input("")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Questions []struct {
			Question, Header string
			MultiSelect      bool
			Options          []struct{ Label string }
		}
	}
	if err := json.Unmarshal(input, &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i, q := range got.Questions {
		if q.Question != texts[i] || q.Header != "census" {
			t.Errorf("question %+v, text %q", q, texts[i])
		}
		line := q.Question
		for _, o := range q.Options {
			line += " / " + o.Label
		}
		if q.MultiSelect {
			line += " *"
		}
		lines = append(lines, line)
	}
	want := []string{
		"Who are you? — Name: yours", "colour / Red / Blue / Leave it out", "size / Small / l / Leave it out",
		"age / Leave it out", "sides / Front / Top *", "Sure? / Yes / No", "weight / Leave it out",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if _, texts, _ = f.Input("age: must be a whole number."); texts[0] != "age: must be a whole number. — Who are you? — Name: yours" {
		t.Errorf("asked again: %q", texts[0])
	}
}

func TestFormAnswers(t *testing.T) {
	tests := []struct {
		answers map[int]string // by question; see TestFormQuestions
		want    string         // content
		problem string
	}{
		{map[int]string{0: "Ada", 4: "Front", 5: "Yes"}, `{"name":"Ada","sides":["f"],"sure":true}`, ""},
		{map[int]string{0: "Ada", 1: "Blue", 2: "l", 3: " 36 ", 4: "Front, Top", 5: "No", 6: "1.5"},
			`{"age":36,"colour":"b","name":"Ada","sides":["f","t"],"size":"l","sure":false,"weight":1.5}`, ""},
		{map[int]string{0: "Leave it out", 1: "Leave it out", 3: "Leave it out", 4: "Top", 5: "Yes"}, `{"name":"Leave it out","sides":["t"],"sure":true}`, ""},
		{map[int]string{4: "Front", 5: "Yes"}, "", "name: an answer is needed."},
		{map[int]string{0: "Ada", 4: "Front, Below", 5: "Yes"}, "", "sides: must be some of the choices."},
		{map[int]string{0: "Ada", 1: "Green", 4: "Front", 5: "Yes"}, "", "colour: must be one of the choices."},
		{map[int]string{0: "Ada", 3: "many", 4: "Front", 5: "Yes"}, "", "age: must be a whole number."},
		{map[int]string{0: "Ada", 4: "Front", 5: "Yes", 6: "NaN"}, "", "weight: must be a number."},
		{map[int]string{0: "Ada", 4: "Front", 5: "perhaps"}, "", "sure: must be one of the choices."},
	}
	f, err := New(elicitation(everyField))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		_, texts, err := f.Input("")
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{}
		for i, text := range tt.answers {
			given[texts[i]] = text
		}
		input, _ := json.Marshal(map[string]any{"answers": given})
		answer, problem := f.Answer(input, texts)
		content, _ := json.Marshal(answer.Content)
		if problem != tt.problem || tt.problem == "" && (answer.Action != "accept" || string(content) != tt.want) {
			t.Errorf("%v: %+v with %s, problem %q", tt.answers, answer, content, problem)
		}
	}
}

// If only consent is requested, a question asks for it.
func TestFormWithoutFields(t *testing.T) {
	for _, schema := range []string{"", `{}`, `{"type":"object","properties":{}}`} {
		f, err := New(elicitation(schema))
		if err != nil {
			t.Fatal(err)
		}
		_, texts, _ := f.Input("")
		for label, want := range map[string]string{"Yes": "accept", "No": "decline"} {
			answer, problem := f.Answer(fmt.Appendf(nil, `{"answers":{%q:%q}}`, texts[0], label), texts)
			if answer.Action != want || len(answer.Content) > 0 || problem != "" {
				t.Errorf("%s: %+v %q", label, answer, problem)
			}
		}
	}
}

// Requests that can't be asked well are rejected.
func TestFormsThatDoNotMap(t *testing.T) {
	many := map[string]any{}
	for i := range maxFields + 1 {
		many[fmt.Sprint("f", i)] = map[string]string{"type": "string"}
	}
	tooMany, _ := json.Marshal(map[string]any{"properties": many})
	property := func(p string) string { return `{"properties":{"a":` + p + `}}` }
	for schema, want := range map[string]string{
		string(tooMany):                        "too many",
		`[]`:                                   "read the schema",
		property(`{"type":["string","null"]}`): "read the schema",
		property(`{"type":"object"}`):          `type "object"`,
		property(`{}`):                         `type ""`,
		property(`{"type":"array"}`):           "without choices",
		property(`{"type":"array","items":{"type":"string"}}`):                         "without choices",
		property(`{"type":"array","items":{"type":"string","enum":["a, b","c"]}}`):     "told apart",
		property(`{"type":"string","enum":["a","b"],"enumNames":["Same","Same"]}`):     "look the same",
		property(`{"type":"string","oneOf":[{"const":7,"title":"Seven is no text"}]}`): "read the schema",
	} {
		if _, err := New(elicitation(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", schema, err, want)
		}
	}
	if _, err := New(wire.Elicitation{Mode: "url", Message: "Go there."}); err == nil {
		t.Error("an address was taken for a form")
	}
	if _, err := New(wire.Elicitation{}); err == nil {
		t.Error("nothing was taken for a form")
	}
}

func FuzzForm(f *testing.F) {
	f.Add([]byte(everyField), []byte(`{"answers":{"colour":"Red"}}`))
	f.Add([]byte(`{}`), []byte(`{"answers":7}`))
	f.Fuzz(func(t *testing.T, schema, answered []byte) {
		form, err := New(elicitation(string(schema)))
		if err != nil {
			return
		}
		input, texts, err := form.Input("")
		if err != nil || !json.Valid(input) {
			t.Fatalf("%s: %v", input, err)
		}
		if answer, problem := form.Answer(answered, texts); problem == "" {
			if _, err := json.Marshal(answer); err != nil {
				t.Error(err)
			}
		}
	})
}
