package method

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/backend/fault"
)

// Method is one entry of the table. Create it with [New].
type Method struct {
	// Name is "group.verb", or one word.
	Name string
	// Doc is one sentence for users.
	Doc string
	// Params and Result are the API's struct types.
	Params, Result reflect.Type

	ordered bool
	always  bool
	was     string
	params  *shape
	enums   map[string][]string
	call    func(context.Context, json.RawMessage) (any, error)
}

// New describes a method. P and R must be structs of API types: exported fields with a JSON name,
// made of booleans, strings, numbers, slices, string maps, structs, pointers, any and
// [json.RawMessage]. It panics if they are not, or if the name is malformed: both are programming
// errors.
func New[P, R any](name, doc string, fn func(context.Context, P) (R, error)) *Method {
	if !wellFormed(name) {
		panic(fmt.Sprintf("method: %q is no method name", name))
	}
	m := &Method{
		Name: name, Doc: doc,
		Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](),
		enums: map[string][]string{},
	}
	m.params = shapeOf(m.Params, name)
	if m.params.kind != kindObject || m.params.elem != nil {
		panic(fmt.Sprintf("method: the parameters of %s must be a struct", name))
	}
	// Called for its panic: results consist of API types too.
	shapeOf(m.Result, name+" result")
	m.call = func(ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, fault.Wrap(err, fault.Invalid, "%s: the parameters cannot be read", name)
			}
		}
		return fn(ctx, p)
	}
	return m
}

func wellFormed(name string) bool {
	return regexp.MustCompile(`^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*)?$`).MatchString(name)
}

// Enum limits a string parameter to some values; an optional one may also be "", which means the
// same as omitting it. It returns m.
func (m *Method) Enum(param string, values ...string) *Method {
	f := m.params.fields[param]
	if f == nil || f.shape.kind != kindString {
		panic(fmt.Sprintf("method: %s has no string parameter %q", m.Name, param))
	}
	if !f.required && !f.shape.nullable {
		values = append(slices.Clone(values), "")
	}
	// The shape belongs to this method alone, so it can be modified.
	f.shape.enum = values
	m.enums[param] = values
	return m
}

// InOrder makes transports start calls of this method one after another, in the order in which a
// connection sent them. It is for methods that return quickly and whose order matters: two prompts,
// a prompt and an interrupt. It returns m.
func (m *Method) InOrder() *Method {
	m.ordered = true
	return m
}

// Ordered reports whether [Method.InOrder] was called.
func (m *Method) Ordered() bool { return m.ordered }

// Always makes a method answer even while Parley is shutting down: it must not use anything behind
// the table. It returns m.
func (m *Method) Always() *Method {
	m.always = true
	return m
}

// Was sets the name of the method in older versions, by which scripts may still call it. It
// returns m.
func (m *Method) Was(name string) *Method {
	m.was = name
	return m
}

// Former is the name that [Method.Was] set, or "".
func (m *Method) Former() string { return m.was }

// Check reports all errors in raw parameters as one [fault.Invalid] whose message names the method
// and each parameter. No bytes and null count as an empty object.
func (m *Method) Check(raw json.RawMessage) error {
	raw = orEmpty(raw)
	switch {
	case !json.Valid(raw):
		return fault.New(fault.Invalid, "%s: the parameters are not JSON", m.Name)
	case !utf8.Valid(raw):
		return fault.New(fault.Invalid, "%s: the parameters are not UTF-8", m.Name)
	}
	if problems := m.params.problems(raw); problems != "" {
		return fault.New(fault.Invalid, "%s: %s", m.Name, problems)
	}
	return nil
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// ParamsSchema is the JSON schema of the parameters. It accepts what [Method.Check] accepts.
func (m *Method) ParamsSchema() (*jsonschema.Schema, error) {
	s, err := schemaOf(m.Params)
	if err != nil {
		return nil, err
	}
	allowNulls(s)
	for param, property := range s.Properties {
		property.Description = m.ParamDoc(param)
	}
	for param, values := range m.enums {
		property := s.Properties[param]
		for _, v := range values {
			property.Enum = append(property.Enum, v)
		}
		if slices.Contains(property.Types, "null") {
			property.Enum = append(property.Enum, nil)
		}
	}
	return s, nil
}

// ResultSchema is the JSON schema of the result.
func (m *Method) ResultSchema() (*jsonschema.Schema, error) { return schemaOf(m.Result) }

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[json.RawMessage](): {},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	forbidNullArrays(s)
	return s, nil
}

// forbidNullArrays makes the schema match the TypeScript: a list is never null.
func forbidNullArrays(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		forbidNullArrays(p)
	}
	forbidNullArrays(s.Items)
	forbidNullArrays(s.AdditionalProperties)
}

// allowNulls lets an optional parameter be null, which means the same as omitting it: clients in
// languages without "undefined" send that.
func allowNulls(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		if p.Type != "" && !slices.Contains(s.Required, name) {
			p.Types, p.Type = []string{"null", p.Type}, ""
		}
		allowNulls(p)
	}
	allowNulls(s.Items)
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		allowNulls(s.AdditionalProperties)
	}
}
