package method

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// paramDocs are written by app/tsgen.
//
//go:embed params.gen.json
var paramDocs []byte

var docsOfParams = sync.OnceValue(func() map[string]map[string]string {
	var docs map[string]map[string]string
	if err := json.Unmarshal(paramDocs, &docs); err != nil {
		panic(err) // it is part of the program
	}
	return docs
})

// ParamDoc describes a parameter, "" for an unknown one.
func (m *Method) ParamDoc(param string) string { return docsOfParams()[m.Name][param] }

// Parameter is a parameter of a method for use in a shell.
type Parameter struct {
	Name, Doc string
	Required  bool
	// Kind is "text", "number", "switch", "list" (of texts) or "JSON".
	Kind string
	// Values are the only allowed ones; nil for any.
	Values []string
}

// Parameters are the method's parameters, in declaration order.
func (m *Method) Parameters() []Parameter {
	var out []Parameter
	for _, name := range m.params.order {
		f := m.params.fields[name]
		p := Parameter{Name: name, Doc: m.ParamDoc(name), Required: f.required, Kind: "JSON"}
		switch f.shape.kind {
		case kindString:
			p.Kind = "text"
		case kindBool:
			p.Kind = "switch"
		case kindInteger, kindNumber:
			p.Kind = "number"
		case kindArray:
			if f.shape.elem.kind == kindString {
				p.Kind = "list"
			}
		}
		for _, value := range f.shape.enum {
			if value != "" {
				p.Values = append(p.Values, value)
			}
		}
		out = append(out, p)
	}
	return out
}

// Example returns parameters that [Method.Check] accepts: the required ones, with realistic values.
func (m *Method) Example() json.RawMessage {
	out, err := Encode(m.params.example(m.Name))
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return out
}

// samples are example values of strings by parameter name.
var samples = map[string]string{
	"cwd": "/home/ada/project", "folder": "/home/ada/project", "path": "/home/ada/project/README.md", "file": "2026-01-31.md",
	"text": "What does this project do?", "title": "First steps", "mode": "plan", "model": "sonnet", "effort": "high",
	"url": "https://chat.example.org", "rule": "Bash(git status)", "words": "error", "query": "error", "events[]": "session.*",
	"tool": "Bash", "scope": "session", "effect": "allow", "kind": "env", "helper": "pass show api-key",
}

func (s *shape) example(name string) any {
	switch s.kind {
	case kindBool:
		return true
	case kindString:
		if len(s.enum) > 0 {
			return s.enum[0]
		}
		if sample := samples[name]; sample != "" {
			return sample
		}
		// "sessionId" is "session-1".
		return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "[]"), "Id")) + "-1"
	case kindInteger, kindNumber:
		return 1
	case kindArray:
		return []any{s.elem.example(name + "[]")}
	case kindObject:
		out := map[string]any{}
		for _, field := range s.order {
			if f := s.fields[field]; f.required {
				out[field] = f.shape.example(field)
			}
		}
		return out
	}
	return map[string]any{}
}
