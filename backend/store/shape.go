package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// shape is what a Go type knows of a JSON object: the names of its members, each
// with its own shape if it is an object too. Arrays have none, because elements
// can't be matched.
type shape struct {
	members map[string]*shape
}

// maxShapeDepth stops recursive types.
const maxShapeDepth = 8

// shapeOf returns nil for types that aren't plain structs.
func shapeOf(t reflect.Type, depth int) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || depth > maxShapeDepth || hasOwnJSON(t) {
		return nil
	}
	s := &shape{members: map[string]*shape{}}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			if inner := shapeOf(f.Type, depth+1); inner != nil {
				for n, m := range inner.members {
					s.members[n] = m
				}
			}
		default:
			if name == "" {
				name = f.Name
			}
			s.members[name] = shapeOf(f.Type, depth+1)
		}
	}
	return s
}

func hasOwnJSON(t reflect.Type) bool {
	for _, i := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler]()} {
		if t.Implements(i) || reflect.PointerTo(t).Implements(i) {
			return true
		}
	}
	return false
}

// find looks up a member as encoding/json does: exactly, else ignoring case.
func (s *shape) find(name string) (member *shape, known bool) {
	if m, ok := s.members[name]; ok {
		return m, true
	}
	for n, m := range s.members {
		if strings.EqualFold(n, name) {
			return m, true
		}
	}
	return nil, false
}

// carry returns next with the members of old that the type doesn't know. Both are
// JSON of the same type; some version of the program wrote old.
func (s *shape) carry(old, next []byte) ([]byte, error) {
	if s == nil || bytes.Equal(old, next) {
		return next, nil
	}
	before, after, err := objects(old, next)
	if err != nil || before == nil || after == nil {
		return next, err
	}
	changed := false
	for name, value := range before {
		member, known := s.find(name)
		if !known {
			after[name], changed = value, true
			continue
		}
		inner, ok := after[name]
		if !ok || member == nil {
			continue
		}
		merged, err := member.carry(value, inner)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(merged, inner) {
			after[name], changed = merged, true
		}
	}
	if !changed {
		return next, nil
	}
	return json.Marshal(after)
}

// objects decodes both; anything that isn't an object is nil.
func objects(old, next []byte) (before, after map[string]json.RawMessage, err error) {
	if !isObject(old) || !isObject(next) {
		return nil, nil, nil
	}
	if err := json.Unmarshal(old, &before); err != nil {
		return nil, nil, fmt.Errorf("take apart the record before: %w", err)
	}
	if err := json.Unmarshal(next, &after); err != nil {
		return nil, nil, fmt.Errorf("take apart the record: %w", err)
	}
	return before, after, nil
}

func isObject(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && data[0] == '{'
}
