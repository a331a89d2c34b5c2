package method_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func paramsSchema(tb testing.TB) *jsonschema.Resolved {
	tb.Helper()
	schema, err := newMethod().ParamsSchema()
	if err != nil {
		tb.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return resolved
}

func TestResultSchemaPromisesLists(t *testing.T) {
	schema, err := newMethod().ResultSchema()
	if err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties["list"].Type; got != "array" {
		t.Errorf("list has type %q %q", got, schema.Properties["list"].Types)
	}
}

// Whatever the bytes, the check neither panics nor accepts anything that the published schema
// rejects, nor the reverse where the schema can express it.
func FuzzCheck(f *testing.F) {
	f.Add(`{"name":"a","inner":"b"}`)
	f.Add(`{"name":"a","inner":"b","mode":"fast","count":3,"small":7,"ratio":0.5,"on":false}`)
	f.Add(`{"name":"a","inner":"b","list":[{"id":"x","size":1}],"extra":{"k":[]},"free":{},"strings":{"n":2}}`)
	f.Add(`{"name":null,"inner":1,"mode":"warp","nope":true}`)
	f.Add(`{"name":"a","name":"b","inner":"c"}`)
	f.Add(`[{"name":"a"}]`)
	f.Add(`null`)
	f.Add(`{"name":"a","inner":"b","count":1e400}`)
	f.Add(strings.Repeat("[", 100))
	schema := paramsSchema(f)
	m := newMethod()
	f.Fuzz(func(t *testing.T, in string) {
		raw := json.RawMessage(in)
		err := m.Check(raw)
		var p params
		if err == nil && strings.TrimSpace(in) != "" {
			if e := json.Unmarshal(raw, &p); e != nil {
				t.Fatalf("checked parameters cannot be read: %v", e)
			}
		}
		var v any
		if json.Unmarshal(raw, &v) != nil || v == nil {
			return
		}
		refused := schema.Validate(v)
		if err == nil && refused != nil {
			t.Fatalf("the check takes what the schema refuses: %v", refused)
		}
		if err != nil && refused == nil && !beyondSchema(err.Error()) {
			t.Fatalf("the check refuses what the schema takes: %v", err)
		}
	})
}

// beyondSchema lists the complaints that a schema can't express.
func beyondSchema(message string) bool {
	for _, s := range []string{"given twice", "fraction or exponent", "out of range", "not UTF-8"} {
		if strings.Contains(message, s) {
			return true
		}
	}
	return false
}
