package method

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

type kind int

const (
	kindAny kind = iota
	kindBool
	kindString
	kindInteger
	kindNumber
	kindArray
	kindObject
)

// shape is what the check needs to know about a Go type, computed once.
type shape struct {
	kind kind
	// nullable is set for pointers.
	nullable bool
	// signed and bits describe an integer.
	signed bool
	bits   int
	// enum holds the allowed strings, if they are limited.
	enum []string
	// elem is the shape of a list's or map's elements. An object without elem has the fields below.
	elem   *shape
	fields map[string]*field
	// order has the names of the fields in declaration order.
	order []string
}

type field struct {
	shape    *shape
	required bool
}

// shapeOf panics if t is not an API type.
func shapeOf(t reflect.Type, where string) *shape {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &shape{kind: kindAny, nullable: true}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := shapeOf(t.Elem(), where)
		s.nullable = true
		return s
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &shape{kind: kindAny, nullable: true}
		}
	case reflect.Bool:
		return &shape{kind: kindBool}
	case reflect.String:
		return &shape{kind: kindString}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &shape{kind: kindInteger, signed: true, bits: t.Bits()}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &shape{kind: kindInteger, bits: t.Bits()}
	case reflect.Float64:
		return &shape{kind: kindNumber}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return &shape{kind: kindArray, elem: shapeOf(t.Elem(), where+"[]")}
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return &shape{kind: kindObject, elem: shapeOf(t.Elem(), where+"{}")}
		}
	case reflect.Struct:
		s := &shape{kind: kindObject, fields: map[string]*field{}}
		s.addFields(t, where)
		return s
	}
	panic(fmt.Sprintf("method: %s: %v cannot cross the border", where, t))
}

func (s *shape) addFields(t reflect.Type, where string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			s.addFields(f.Type, where)
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			panic(fmt.Sprintf("method: %s: field %s of %v has no JSON name", where, f.Name, t))
		}
		if strings.ContainsFunc(name, notCamel) || !(name[0] >= 'a' && name[0] <= 'z') {
			panic(fmt.Sprintf("method: %s: %q is not camelCase", where, name))
		}
		if s.fields[name] != nil {
			panic(fmt.Sprintf("method: %s: %v has two fields %q", where, t, name))
		}
		s.fields[name] = &field{
			shape:    shapeOf(f.Type, where+"."+name),
			required: !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero"),
		}
		s.order = append(s.order, name)
	}
}

func notCamel(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
}

// maxProblems bounds an error message: nobody needs to read a thousand problems.
const maxProblems = 20

// problems checks valid JSON and describes its errors, or returns "".
func (s *shape) problems(raw []byte) string {
	var c check
	c.value(s, gjson.ParseBytes(raw), "")
	if more := c.count - len(c.found); more > 0 {
		c.found = append(c.found, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(c.found, "; ")
}

type check struct {
	found []string
	count int
}

func (c *check) add(format string, args ...any) {
	c.count++
	if len(c.found) < maxProblems {
		c.found = append(c.found, fmt.Sprintf(format, args...))
	}
}

func (c *check) value(s *shape, v gjson.Result, path string) {
	if v.Type == gjson.Null && s.nullable {
		return
	}
	switch s.kind {
	case kindAny:
	case kindBool:
		c.want(v.Type == gjson.True || v.Type == gjson.False, v, path, "true or false")
	case kindString:
		if c.want(v.Type == gjson.String, v, path, "a string") && s.enum != nil {
			c.oneOf(s.enum, v.Str, path)
		}
	case kindInteger:
		if c.want(v.Type == gjson.Number, v, path, "a whole number") {
			c.integer(s, v.Raw, path)
		}
	case kindNumber:
		if c.want(v.Type == gjson.Number, v, path, "a number") && math.IsInf(v.Num, 0) {
			c.add("%s is out of range", label(path))
		}
	case kindArray:
		if c.want(v.IsArray(), v, path, "a list") {
			i := 0
			v.ForEach(func(_, e gjson.Result) bool {
				c.value(s.elem, e, fmt.Sprintf("%s[%d]", path, i))
				i++
				return true
			})
		}
	case kindObject:
		if c.want(v.IsObject(), v, path, "an object") {
			c.object(s, v, path)
		}
	}
}

func (c *check) want(ok bool, v gjson.Result, path, what string) bool {
	if !ok {
		c.add("%s must be %s, not %s", label(path), what, describe(v))
	}
	return ok
}

func (c *check) integer(s *shape, raw, path string) {
	var err error
	if s.signed {
		_, err = strconv.ParseInt(raw, 10, s.bits)
	} else {
		_, err = strconv.ParseUint(raw, 10, s.bits)
	}
	switch {
	case err == nil:
	case strings.ContainsAny(raw, ".eE"):
		c.add("%s must be a whole number, written without fraction or exponent", label(path))
	default:
		c.add("%s is out of range", label(path))
	}
}

func (c *check) oneOf(allowed []string, got, path string) {
	var quoted []string
	for _, a := range allowed {
		if a == got {
			return
		}
		if a != "" {
			quoted = append(quoted, strconv.Quote(a))
		}
	}
	c.add("%s must be one of %s, not %s", label(path), strings.Join(quoted, ", "), quote(got))
}

func (c *check) object(s *shape, v gjson.Result, path string) {
	seen := map[string]bool{}
	v.ForEach(func(key, e gjson.Result) bool {
		name := key.Str
		at := name
		if path != "" {
			at = path + "." + name
		}
		if seen[name] {
			c.add("%s is given twice", label(at))
			return true
		}
		seen[name] = true
		if s.elem != nil {
			c.value(s.elem, e, at)
			return true
		}
		f := s.fields[name]
		switch {
		case f == nil:
			c.unknown(s, name, at)
		case e.Type == gjson.Null && !f.required:
			// The same as omitting it.
		default:
			c.value(f.shape, e, at)
		}
		return true
	})
	for _, name := range s.order {
		if s.fields[name].required && !seen[name] {
			at := name
			if path != "" {
				at = path + "." + name
			}
			c.add("missing parameter %s", label(at))
		}
	}
}

func (c *check) unknown(s *shape, name, at string) {
	for _, known := range s.order {
		if strings.EqualFold(known, name) {
			c.add("unknown parameter %s (did you mean %q?)", label(at), known)
			return
		}
	}
	c.add("unknown parameter %s", label(at))
}

func label(path string) string {
	if path == "" {
		return "the parameters"
	}
	return quote(path)
}

// quote quotes a caller's string, truncated to a readable length.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}

func describe(v gjson.Result) string {
	switch {
	case v.IsArray():
		return "a list"
	case v.IsObject():
		return "an object"
	}
	switch v.Type {
	case gjson.String:
		return "a string"
	case gjson.Number:
		return "the number " + strings.Trim(quote(v.Raw), `"`)
	case gjson.True, gjson.False:
		return v.Raw
	default:
		return "null"
	}
}
